import { DefaultLogger, Runtime } from '@temporalio/worker';

let installed = false;

/** Failing attempts are what tests make on purpose; their warnings would hide everything else. Once a process. */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}
