import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import { renderTypes } from "#cli/blueprint/render-types.ts";
import type { Cli } from "#cli/cli.ts";
import { saveFile } from "#cli/save-file.ts";

export type TypesFlags = { readonly output?: string; readonly force?: boolean };

export async function types(cli: Cli, path: string | undefined, flags: TypesFlags): Promise<void> {
  const { blueprint } = await readValidBlueprint(cli, path);
  saveFile(cli, { file: flags.output ?? "-", force: flags.force }, renderTypes(blueprint));
}
