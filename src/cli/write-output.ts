import type { Cli } from "./cli.ts";

/** Writes to stdout, and waits when the reader cannot keep up: long output must not pile up in memory. */
export async function writeOutput({ stdout }: Pick<Cli, "stdout">, content: string | Uint8Array): Promise<void> {
  if (stdout.write(content) === false && stdout.once !== undefined) {
    await new Promise<void>((resolve) => stdout.once?.("drain", resolve));
  }
}
