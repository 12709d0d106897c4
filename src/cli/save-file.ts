import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Cli } from "./cli.ts";
import { UsageError } from "./usage-error.ts";

/** Writes a file and says so on stdout, or writes to stdout itself for `-`. What is there is kept unless `force`. */
export function saveFile(
  cli: Cli,
  { file, force }: { readonly file: string; readonly force?: boolean | undefined },
  content: string | Uint8Array,
): void {
  if (file === "-") {
    cli.stdout.write(content);
    return;
  }
  const full = resolve(cli.cwd, file);
  mkdirSync(dirname(full), { recursive: true });
  try {
    writeFileSync(full, content, { flag: force === true ? "w" : "wx" });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new UsageError(`${file} is already there: add --force to replace it, or --output to write elsewhere`);
  }
  cli.stdout.write(`${file}\n`);
}
