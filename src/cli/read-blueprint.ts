import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { MANIFEST_NAMES } from "#service/blueprint/unpack-package.ts";
import type { Cli } from "./cli.ts";
import { UsageError } from "./usage-error.ts";

/** A blueprint ready to be sent: a folder is packed into a zip, a zip or a bare manifest goes as it is. */
export async function readBlueprint({ cwd }: Pick<Cli, "cwd">, given: string): Promise<Uint8Array> {
  const path = resolve(cwd, given);
  if (!statSync(path).isDirectory()) return readFileSync(path);
  const { files, issues } = await readPackageFolder(path);
  const wrong = issues.map((issue) => issue.message);
  if (!MANIFEST_NAMES.some((name) => files.has(name))) wrong.push("There is no manifest.yml in it.");
  if (wrong.length > 0)
    throw new UsageError([`${given} cannot be packed:`, ...wrong.map((line) => `  ${line}`)].join("\n"));
  return packPackage(files);
}
