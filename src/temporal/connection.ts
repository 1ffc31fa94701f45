import { Connection, isGrpcServiceError } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnection, NativeConnectionOptions } from '@temporalio/worker';
import { type Config, ConfigError } from '../config.ts';
import { isListening } from './ports.ts';

/** Where Temporal is. */
export interface Target {
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and metadata. Holds keys: must never be printed. */
  readonly connectionOptions: Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'>;
  /** Root of the Temporal UI, without a slash at the end; undefined where it is not known. */
  readonly uiUrl?: string;
  /**
   * `configured`: by TEMPORAL_ADDRESS or temporal.toml. `local`: a dev server that somebody started on the usual port.
   * `embedded`: Pawl's own.
   */
  readonly source: 'configured' | 'local' | 'embedded';
}

/** Thrown where no Temporal server answers; its message names the address and what to type. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';
  readonly address: string;

  constructor(target: Pick<Target, 'address' | 'source'>, options?: ErrorOptions) {
    super(`No Temporal server answers at ${target.address}. ${mendOf(target)}`, options);
    this.address = target.address;
  }
}

const LOCAL_PORT = 7233;
const LOCAL_UI_PORT = 8233;
/** Loopback answers in a millisecond or not at all; every command waits for this. */
const PROBE_TIMEOUT_MS = 200;
/** A distant cluster needs a few round trips; nobody waits longer than this for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The server that TEMPORAL_ADDRESS or a profile of temporal.toml names, if one does. Throws {@link ConfigError}. */
export function configuredTarget(config: Pick<Config, 'temporalEnv'>): Target | undefined {
  const { connectionOptions, namespace } = readProfile(config.temporalEnv);
  const { address, tls, apiKey, metadata } = connectionOptions;
  if (address === undefined) return undefined;
  return {
    address,
    namespace: namespace ?? 'default',
    connectionOptions: { tls, apiKey, metadata },
    uiUrl: address.endsWith('.tmprl.cloud:7233') ? 'https://cloud.temporal.io' : undefined,
    source: 'configured',
  };
}

function readProfile(temporalEnv: Readonly<Record<string, string>>) {
  try {
    return loadClientConnectConfig({ overrideEnvVars: { ...temporalEnv } });
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    throw new ConfigError([{ variable: 'temporal.toml', seen, allowed: 'a profile that exists, in valid TOML' }]);
  }
}

/** A dev server on the usual port of this machine, if a Temporal server listens there. */
export async function localTarget(): Promise<Target | undefined> {
  if (!(await isListening(LOCAL_PORT, PROBE_TIMEOUT_MS))) return undefined;
  const address = `127.0.0.1:${LOCAL_PORT}`;
  if (!(await isServing(address))) return undefined;
  const hasUi = await isListening(LOCAL_UI_PORT, PROBE_TIMEOUT_MS);
  const uiUrl = hasUi ? `http://127.0.0.1:${LOCAL_UI_PORT}` : undefined;
  return { address, namespace: 'default', connectionOptions: {}, uiUrl, source: 'local' };
}

/** Whether a Temporal server at this address says that it serves. */
export async function isServing(address: string): Promise<boolean> {
  const connection = Connection.lazy({ address, connectTimeout: CONNECT_TIMEOUT_MS });
  try {
    const { status } = await connection.withDeadline(Date.now() + CONNECT_TIMEOUT_MS, () =>
      connection.healthService.check({ service: 'temporal.api.workflowservice.v1.WorkflowService' }),
    );
    return status === 1; // SERVING
  } catch {
    return false; // whatever the reason: for the one who asks, it does not serve
  } finally {
    await connection.close();
  }
}

const channelArgs = {
  // A page of a history may be larger than the 4 MiB to which gRPC's client limits an answer.
  'grpc.max_receive_message_length': -1,
  // gRPC's own pause grows up to two minutes, so that a server that is back would long be taken for gone.
  'grpc.max_reconnect_backoff_ms': 2_000,
};

/** A client's connection, open. Throws {@link ServerUnreachable} after five seconds at most. */
export async function connectClient(target: Target): Promise<Connection> {
  if (await isRefused(target.address)) throw new ServerUnreachable(target);
  try {
    const { address, connectionOptions } = target;
    return await Connection.connect({ ...connectionOptions, address, connectTimeout: CONNECT_TIMEOUT_MS, channelArgs });
  } catch (error) {
    throw new ServerUnreachable(target, { cause: error });
  }
}

/** A worker's connection, open. Throws {@link ServerUnreachable}, and {@link ConfigError} where its namespace is missing. */
export async function connectWorker(target: Target): Promise<NativeConnection> {
  const { NativeConnection } = await import('@temporalio/worker'); // half a second that no client should pay
  const connection = await NativeConnection.connect({ ...target.connectionOptions, address: target.address }).catch(
    (error: unknown) => {
      throw new ServerUnreachable(target, { cause: error });
    },
  );
  try {
    await connection.workflowService.describeNamespace({ namespace: target.namespace });
    return connection;
  } catch (error) {
    await connection.close();
    throw namespaceFault(error, target);
  }
}

/** The number that gRPC gives to NOT_FOUND. */
const NOT_FOUND = 5;

function namespaceFault(error: unknown, { address, namespace }: Target): unknown {
  if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) return error;
  const seen = `${JSON.stringify(namespace)}, which the server at ${address} does not have`;
  return new ConfigError([{ variable: 'TEMPORAL_NAMESPACE', seen, allowed: 'a namespace that it has' }], {
    cause: error,
  });
}

/** gRPC tries a refused connection again until its time is over; on this machine that helps nobody. */
async function isRefused(address: string): Promise<boolean> {
  const port = /^(?:127\.0\.0\.1|localhost):(\d+)$/.exec(address)?.[1];
  return port !== undefined && !(await isListening(Number(port), PROBE_TIMEOUT_MS));
}

function mendOf({ source }: Pick<Target, 'source'>): string {
  if (source === 'embedded') return 'Type `npm run -s pawl -- down` and try again; its log is server.log in PAWL_HOME.';
  return 'Start it, set TEMPORAL_ADDRESS to another one, or unset TEMPORAL_ADDRESS to use the one that Pawl starts itself.';
}
