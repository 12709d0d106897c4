import { printable } from "#core/text/printable.ts";
import type { Cli } from "./cli.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const PATIENCE = 400;
const FRAME_TIME = 80;
const CLEAR_LINE = "\r\u001b[2K";

export type Progress = {
  /** A line that stays. */
  readonly say: (line: string) => void;
  /** What is going on from now on. */
  readonly relabel: (label: string) => void;
  readonly stop: () => void;
};

/** Shows that something is going on, on a terminal only and not before it takes noticeably long. Lines are always shown. */
export function startProgress({ stderr }: Pick<Cli, "stderr">, label: string): Progress {
  const isTerminal = stderr.isTTY === true;
  let current = label;
  let frame = -Math.ceil(PATIENCE / FRAME_TIME);
  const clear = () => {
    if (isTerminal && frame > 0) stderr.write(CLEAR_LINE);
  };
  const draw = () => {
    if (frame >= 0) stderr.write(`${CLEAR_LINE}${FRAMES[frame % FRAMES.length]} ${printable(current)}`);
    frame++;
  };
  const timer = isTerminal ? setInterval(draw, FRAME_TIME) : undefined;
  return {
    say(line) {
      clear();
      stderr.write(`${printable(line)}\n`);
    },
    relabel(next) {
      current = next;
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}

export async function withProgress<T>(cli: Pick<Cli, "stderr">, label: string, work: Promise<T>): Promise<T> {
  const progress = startProgress(cli, label);
  try {
    return await work;
  } finally {
    progress.stop();
  }
}
