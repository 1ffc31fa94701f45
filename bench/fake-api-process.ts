// The Messages API of the benches, in a process of its own: one answer is one write, and nothing is kept.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf, frameOf } from '../test/fake-model-api/sse.ts';
import { tellParent } from './child-side.ts';
import { answerTo, readJob } from './job.ts';

const server = createServer(async (request, response) => {
  const answer = answerTo(readJob(await bodyOf(request)));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.end(
    eventsOf(answer)
      .map((event) => frameOf(event))
      .join(''),
  );
});
server.keepAliveTimeout = 0; // an idle connection that is dropped looks like a network fault to a client
server.listen(0, '127.0.0.1', () => tellParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1'); // what is searched for is ASCII
}
