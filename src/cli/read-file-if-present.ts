import { readFileSync } from "node:fs";

/** The text of a file, or undefined when there is none. A file that cannot be read is an error. */
export function readFileIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
