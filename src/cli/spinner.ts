/** A sign of life on a terminal's last line. */
export interface Spinner {
  show(text: string): void;
  clear(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** Slow enough to be calm, fast enough to be seen as alive. */
const FRAME_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/** A spinner on stderr where both streams are a terminal that moves its cursor; elsewhere one that does nothing. */
export function createSpinner(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Spinner {
  // A terminal without colour (`TERM=dumb`, `NO_COLOR`) is spared the motion too.
  if (!stdout.isTTY || !stderr.isTTY || !stderr.hasColors()) return { show: () => {}, clear: () => {} };
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let drawn = false;
  const clear = (): void => {
    clearInterval(timer);
    if (drawn) stderr.write(CLEAR_LINE);
    drawn = false;
  };
  const show = (text: string): void => {
    clear();
    // What is over within a frame is never drawn: lines that come together don't flicker.
    timer = setInterval(() => {
      frame = (frame + 1) % FRAMES.length;
      stderr.write(`${CLEAR_LINE}${FRAMES[frame]} ${text}`);
      drawn = true;
    }, FRAME_MS);
    timer.unref();
  };
  return { show, clear };
}
