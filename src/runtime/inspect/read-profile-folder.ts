import { promises } from "node:fs";
import { join, sep } from "node:path";
import type { Profile } from "#core/blueprint/profile.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { parseProfiles } from "#manifest/parse-profiles.ts";
import { STARTER_PROFILES } from "#manifest/starter-profiles.ts";

export interface ReadProfiles {
  /** Those of the folder, without the ones that have errors. */
  readonly profiles: readonly Profile[];
  readonly problems: readonly ProfileProblem[];
}

interface ProfileProblem {
  readonly severity: "error" | "warning";
  /** With the path of its file, its line and its column. */
  readonly message: string;
}

const MAX_FILES = 5_000;
const MAX_FILE_BYTES = 256 * 1024;

/** Reads a tree of profile files; everything that is no YAML, such as pages about them, and what begins with a dot is left aside. */
export async function readProfileFolder(folder: string): Promise<ReadProfiles> {
  const problems: ProfileProblem[] = [];
  const fault = (message: string) => void problems.push({ severity: "error", message });
  const entries = await promises.readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    fault(`it cannot be read: ${error instanceof Error && "code" in error ? String(error.code) : String(error)}`);
    return [];
  });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.replace(/[\\/]+$/, "").length + 1)
        .split(sep)
        .join("/"),
    )
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")))
    .sort();
  if (paths.length > MAX_FILES) fault(`it holds more than ${MAX_FILES} YAML files; the others are not read`);
  const texts = new Map<string, string>();
  for (const path of paths.slice(0, MAX_FILES)) {
    const text = await readText(join(folder, path));
    if (text === undefined) fault(`${path} is larger than 256 KiB, no UTF-8 text, or cannot be read.`);
    else texts.set(path, text);
  }
  const parsed = parseProfiles(texts, STARTER_PROFILES);
  for (const [path, issues] of parsed.issues) {
    for (const { severity, range, message } of issues)
      problems.push({ severity, message: `${path}:${range.start.line}:${range.start.column} ${message}` });
  }
  return { profiles: parsed.profiles, problems };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    const { size } = await promises.stat(file);
    return size > MAX_FILE_BYTES ? undefined : decodeText(await promises.readFile(file));
  } catch {
    return undefined;
  }
}
