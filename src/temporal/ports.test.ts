import { createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { freePorts, isFree, isListening } from './ports.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

function listen(port: number): Promise<void> {
  return new Promise((resolve) => {
    server = createServer().listen(port, '127.0.0.1', () => resolve());
  });
}

it('finds different ports on which a server can listen, and never those of a developer’s own server', async () => {
  const ports = await freePorts(5);
  expect(new Set(ports).size).toBe(5);
  expect(await Promise.all(ports.map(isFree))).toEqual([true, true, true, true, true]);
  expect(ports).not.toContain(7233);
});

it('tells a port that is taken from one that is free', async () => {
  const [port = 0] = await freePorts(1);
  expect(await isListening(port, 1_000)).toBe(false);
  await listen(port);
  expect(await isFree(port)).toBe(false);
  expect(await isListening(port, 1_000)).toBe(true);
});
