import type { Cli } from "./cli.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const PATIENCE = 400;
const FRAME_TIME = 80;
const CLEAR_LINE = "\r\u001b[2K";

/** Shows that something is going on, on a terminal only and not before it takes noticeably long. */
export async function withProgress<T>({ stderr }: Pick<Cli, "stderr">, label: string, work: Promise<T>): Promise<T> {
  if (stderr.isTTY !== true) return work;
  let frame = -Math.ceil(PATIENCE / FRAME_TIME);
  const timer = setInterval(() => {
    if (frame >= 0) stderr.write(`${CLEAR_LINE}${FRAMES[frame % FRAMES.length]} ${label}`);
    frame++;
  }, FRAME_TIME);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (frame > 0) stderr.write(CLEAR_LINE);
  }
}
