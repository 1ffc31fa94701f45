// The providers of the bench `adapters`, in a process of their own: each event of an answer is one write.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tellParent } from './child-side.ts';
import { eventsOf, modelOf, readModel } from './streamed-answer.ts';

/** Made once each: the service must not be what is measured. */
const answers = new Map<string, readonly Buffer[]>();

const server = createServer(async (request, response) => {
  await send(eventsFor(`${request.url} ${await bodyOf(request)}`), response);
});
server.keepAliveTimeout = 0; // an idle connection that is dropped looks like a network fault to a client
server.listen(0, '127.0.0.1', () => tellParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

function eventsFor(request: string): readonly Buffer[] {
  const asked = readModel(request);
  const events = answers.get(modelOf(asked)) ?? eventsOf(asked);
  answers.set(modelOf(asked), events);
  return events;
}

async function send(events: readonly Buffer[], response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) {
    response.write(event);
    await new Promise(setImmediate); // so that it leaves by itself, as it does where a model takes its time
  }
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1'); // what is searched for is ASCII
}
