import { expect, it } from 'vitest';
import { startListener } from './listener.ts';

it('counts who comes to the listener, and whom the redirector sends there', async () => {
  const listener = await startListener();
  try {
    const { redirector_to_listener: url = '', listener_port: port } = listener.placeholders;
    const sent = await fetch(url, { redirect: 'manual' });
    expect(sent.headers.get('location')).toContain(`127.0.0.1:${port}`);
    expect([listener.redirects, listener.hits]).toEqual([1, 0]);
    await fetch(url);
    expect([listener.redirects, listener.hits]).toEqual([2, 1]);
  } finally {
    await listener.close();
  }
});
