import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createTerminal, endQuietlyOnBrokenPipe } from './terminal.ts';

test('without a terminal there is neither colour nor motion, and each line goes to its stream', () => {
  const { stdout, stderr } = streams();
  const terminal = createTerminal(stdout, stderr);
  terminal.wait('waiting for the model');
  terminal.print(terminal.style.red('answer'));
  terminal.print('');
  terminal.note('note');
  terminal.wait(undefined);
  expect(stdout.read().toString()).toBe('answer\n');
  expect(stderr.read().toString()).toBe('note\n');
});

test('a terminal gets colour and its own width, unless it says that it has none', () => {
  const { stdout, stderr } = streams();
  const tty = Object.assign(stdout, { isTTY: true, columns: 90, hasColors: () => true });
  expect(createTerminal(tty, stderr).style.red('x')).toBe('\u001b[31mx\u001b[39m');
  expect(createTerminal(tty, stderr).style.columns).toBe(90);
  const plain = Object.assign(stdout, { hasColors: () => false });
  expect(createTerminal(plain, stderr).style.red('x')).toBe('x');
});

test('what is waited for is drawn after a moment, and taken away before anything is written', () => {
  vi.useFakeTimers();
  const { stdout, stderr } = streams();
  const tty = { isTTY: true, columns: 80, hasColors: () => true };
  const terminal = createTerminal(Object.assign(stdout, tty), Object.assign(stderr, tty));
  terminal.wait('calls are running');
  terminal.print('over already');
  vi.advanceTimersByTime(1_000);
  expect(stderr.read()).toBeNull();
  terminal.wait('waiting for the model');
  vi.advanceTimersToNextTimer();
  terminal.print('answer');
  expect(stderr.read().toString()).toBe('\r\u001b[2K⠙ waiting for the model\r\u001b[2K');
  vi.advanceTimersByTime(1_000);
  expect(stderr.read()).toBeNull();
  vi.useRealTimers();
});

test('a reader that has enough ends the process quietly; any other fault of the stream is none to be quiet about', () => {
  const { stdout } = streams();
  const codes: number[] = [];
  endQuietlyOnBrokenPipe(stdout, (code) => codes.push(code));
  stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(codes).toEqual([0]);
  expect(() => stdout.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toThrow('disk full');
});

function streams() {
  const stream = (): NodeJS.WriteStream & PassThrough => Object.assign(new PassThrough(), { isTTY: false }) as never;
  return { stdout: stream(), stderr: stream() };
}
