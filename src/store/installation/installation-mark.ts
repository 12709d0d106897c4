// installation.json in the data folder: that the folder is an installation, and where its records are. It comes into
// place last, so a folder without it is new, was cut off while it was made, or has lost it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeSecretFile } from "#store/write-secret-file.ts";

export const MARK_FILE = "installation.json";

export type Storage = "embedded" | "postgres";

export interface InstallationMark {
  readonly storage: Storage;
  /** False while the first start makes it. Nothing is acknowledged before it is true. */
  readonly isComplete: boolean;
}

export function readMark(data: string): InstallationMark | undefined {
  try {
    const { storage, complete } = JSON.parse(readFileSync(join(data, MARK_FILE), "utf8")) as Record<string, unknown>;
    if (storage !== "embedded" && storage !== "postgres") return undefined;
    return { storage, isComplete: complete === true };
  } catch {
    // The other files decide then.
    return undefined;
  }
}

export function writeMark(data: string, { storage, isComplete }: InstallationMark): void {
  writeSecretFile(join(data, MARK_FILE), `${JSON.stringify({ storage, complete: isComplete })}\n`, 0o600);
}
