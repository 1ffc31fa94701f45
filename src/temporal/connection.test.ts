import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../config.ts';
import { configuredTarget, connectClient, ServerUnreachable } from './connection.ts';
import { freePorts } from './ports.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-toml-'));
  file = join(folder, 'temporal.toml');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const target = (env: Record<string, string>) =>
  configuredTarget({ temporalEnv: { TEMPORAL_CONFIG_FILE: file, ...env } });

describe('configuredTarget', () => {
  it('is none where nothing names a server', () => {
    expect(target({})).toBeUndefined();
  });

  it('comes from TEMPORAL_ADDRESS, in the namespace default', () => {
    expect(target({ TEMPORAL_ADDRESS: 'temporal.test:7233' })).toMatchObject({
      address: 'temporal.test:7233',
      namespace: 'default',
      source: 'configured',
    });
  });

  it('comes from the profile of temporal.toml that is asked for', () => {
    writeFileSync(
      file,
      '[profile.cloud]\naddress = "ns.acct.tmprl.cloud:7233"\nnamespace = "ns.acct"\napi_key = "k"\n',
    );
    expect(target({})).toBeUndefined();
    expect(target({ TEMPORAL_PROFILE: 'cloud' })).toEqual({
      address: 'ns.acct.tmprl.cloud:7233',
      namespace: 'ns.acct',
      connectionOptions: { apiKey: 'k', tls: true },
      uiUrl: 'https://cloud.temporal.io',
      source: 'configured',
    });
  });

  it.each([
    ['a profile that there is not', '', { TEMPORAL_PROFILE: 'nope' }],
    ['a file that is no TOML', '[[[', {}],
  ])('names %s as a problem of the configuration', (_, text, env) => {
    writeFileSync(file, text);
    expect(() => target(env as Record<string, string>)).toThrow(ConfigError);
  });
});

describe('connectClient', () => {
  it('names the address that does not answer, and what to type', async () => {
    const [port] = await freePorts(1);
    const refused = connectClient({
      address: `127.0.0.1:${port}`,
      namespace: 'default',
      connectionOptions: {},
      source: 'configured',
    });
    await expect(refused).rejects.toThrow(ServerUnreachable);
    await expect(refused).rejects.toThrow(new RegExp(`127.0.0.1:${port}.*TEMPORAL_ADDRESS`));
  });
});
