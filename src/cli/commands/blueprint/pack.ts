import { basename, resolve } from "node:path";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import type { Cli } from "#cli/cli.ts";
import { remark } from "#cli/print.ts";
import { saveFile } from "#cli/save-file.ts";
import { UsageError } from "#cli/usage-error.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";

export type PackFlags = { readonly output?: string; readonly force?: boolean };

/** Packs a folder into a zip that the service takes. The same folder always gives the same bytes. */
export async function pack(cli: Cli, path: string | undefined, flags: PackFlags): Promise<void> {
  const { source } = await readValidBlueprint(cli, path);
  const unpacked = source.unpacked.package;
  if (unpacked?.kind !== "folder") throw new UsageError(`${source.name} is no folder`);
  const zip = packPackage(unpacked.files);
  // A folder within its own limits can still be packed too tightly, or not tightly enough.
  const [problem] = unpackPackage(zip).issues;
  if (problem !== undefined) throw new UsageError(`the zip would be refused: ${problem.message}`);
  const folder = resolve(cli.cwd, source.manifestFile ?? ".", "..");
  saveFile(cli, { file: flags.output ?? `${basename(folder)}.zip`, force: flags.force }, zip);
  if (flags.output !== "-") remark(cli, `${unpacked.files.size} files, ${zip.length} bytes`);
}
