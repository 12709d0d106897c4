import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { MANIFEST_NAMES, unpackPackage } from "#service/blueprint/unpack-package.ts";
import type { Cli } from "./cli.ts";
import { UsageError } from "./usage-error.ts";

/** A blueprint ready to be sent. */
export interface ReadBlueprint {
  readonly content: Uint8Array;
  /** The manifest's file, for messages about it. */
  readonly manifestName: string | undefined;
}

/** A folder is packed into a zip, a zip or a bare manifest goes as it is. */
export async function readBlueprint({ cwd }: Pick<Cli, "cwd">, given: string): Promise<ReadBlueprint> {
  const path = resolve(cwd, given);
  if (!statSync(path).isDirectory()) {
    const content = readFileSync(path);
    const { package: found } = unpackPackage(content);
    return { content, manifestName: found?.kind === "manifest" ? basename(path) : found?.manifestPath };
  }
  const { files, issues } = await readPackageFolder(path);
  const wrong = issues.map((issue) => issue.message);
  const manifestName = MANIFEST_NAMES.find((name) => files.has(name));
  if (manifestName === undefined) wrong.push("There is no manifest.yml in it.");
  if (wrong.length > 0)
    throw new UsageError([`${given} cannot be packed:`, ...wrong.map((line) => `  ${line}`)].join("\n"));
  return { content: packPackage(files), manifestName };
}
