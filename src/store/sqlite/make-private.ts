import { chmodSync, closeSync, openSync } from "node:fs";

/** For its owner alone. Done before SQLite opens the file, because its log takes over the file's mode. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}
