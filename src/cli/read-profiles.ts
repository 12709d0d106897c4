import { readFileSync, statSync } from "node:fs";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { UsageError } from "./usage-error.ts";

/** Profiles ready to be sent: the YAML files of a folder are packed into a zip, a zip goes as it is. */
export async function readProfiles(path: string): Promise<Uint8Array> {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  const { files, issues } = await readPackageFolder(path);
  if (issues.length > 0) {
    throw new UsageError([`${path} cannot be packed:`, ...issues.map(({ message }) => `  ${message}`)].join("\n"));
  }
  return packPackage(new Map([...files].filter(([name]) => /\.ya?ml$/.test(name))));
}
