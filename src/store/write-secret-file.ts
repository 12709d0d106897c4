import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** The file is complete or absent, never half written, and on the disk when this returns. */
export function writeSecretFile(file: string, text: string, mode: number): void {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, "wx", mode);
  writeSync(handle, text);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(draft, file);
  flushFolder(dirname(file));
}

/** The names in it are on the disk when this returns. */
export function flushFolder(folder: string): void {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
