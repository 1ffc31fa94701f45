// Google's application default credentials as a workload outside Google Cloud has them: a file that says where a token
// of somebody else's is changed into one of Google's. https://google.aip.dev/auth/4117

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Credentials that work without Google. */
export interface GoogleCredentials {
  /** What points Google's client to them, and keeps it from looking elsewhere. */
  readonly env: Readonly<Record<string, string>>;
  /** How often a token was asked for. */
  readonly exchanges: () => number;
  close(): Promise<void>;
}

/** Starts the token service. By default it gives `token`; `respond` may answer otherwise. */
export async function startGoogleCredentials(
  token: string,
  respond: (response: ServerResponse, give: () => void) => void = (_, give) => give(),
): Promise<GoogleCredentials> {
  let exchanges = 0;
  const server = createServer((request, response) => {
    exchanges++;
    request.resume();
    const issued = { access_token: token, issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', expires_in: 3_600 };
    respond(response, () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(issued));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'pawl-google-'));
  const file = writeFiles(folder, `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`);
  return {
    env: { GOOGLE_APPLICATION_CREDENTIALS: file, GOOGLE_CLOUD_PROJECT: 'other', METADATA_SERVER_DETECTION: 'none' },
    exchanges: () => exchanges,
    async close() {
      rmSync(folder, { recursive: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

function writeFiles(folder: string, tokenUrl: string): string {
  const [file, subject] = [join(folder, 'credentials.json'), join(folder, 'subject')];
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: tokenUrl,
    credential_source: { file: subject },
  };
  writeFileSync(subject, 'token-of-somebody-else');
  writeFileSync(file, JSON.stringify(credentials));
  return file;
}
