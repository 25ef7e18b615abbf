/** Progress of long work: a bar on a terminal, a line every few seconds elsewhere. Writes to standard error. */
import cliProgress from 'cli-progress';

const EVERY = 5_000; // ms

export interface Progress {
  /** `done` of the total, with a note. */
  report(done: number, note: string): void;
  /** A separate line above the bar. */
  say(line: string): void;
  stop(): void;
}

/** `total` null: unknown, so no bar. */
export function createProgress(total: number | null): Progress {
  return process.stderr.isTTY && total !== null && total > 0 ? bar(total) : lines(total);
}

function bar(total: number): Progress {
  const bars = new cliProgress.MultiBar({
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: '{bar} {percentage} % | {note} | {eta_formatted} left',
  });
  const only = bars.create(total, 0, { note: '' });
  return {
    report: (done, note) => only.update(Math.min(done, total), { note }),
    say: (line) => bars.log(`${line}\n`),
    stop: () => bars.stop(),
  };
}

function lines(total: number | null): Progress {
  let next = Date.now() + EVERY;
  return {
    report(done, note) {
      if (Date.now() < next) return;
      next = Date.now() + EVERY;
      console.error(total ? `${Math.floor((100 * done) / total)} % | ${note}` : note);
    },
    say: (line) => console.error(line),
    stop: () => {},
  };
}
