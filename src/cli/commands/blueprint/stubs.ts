import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readValidBlueprint } from "#cli/blueprint/read-valid-blueprint.ts";
import type { Cli } from "#cli/cli.ts";
import { remark } from "#cli/print.ts";
import { saveFile } from "#cli/save-file.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { createRuleApi } from "#core/lua/host/create-host-api.ts";
import {
  renderRuleStubs,
  renderSettings,
  renderStubs,
  STUBS_FOLDER,
  STUBS_SETTINGS,
} from "#core/lua/host/render-stubs.ts";
import { hostApi } from "#drivers/host-api.ts";

/** Writes the type stubs of a blueprint's folder anew. */
export async function stubs(cli: Cli, path: string | undefined): Promise<void> {
  const { blueprint, source } = await readValidBlueprint(cli, path);
  const { folder } = source;
  if (folder === undefined) throw new UsageError(`${source.name} is no folder: stubs are written beside a manifest`);
  if (blueprint.runtime.type !== "lua") {
    throw new UsageError(`${source.name} has no Lua script: its runtime is ${blueprint.runtime.type}`);
  }
  writeStubs(cli, folder, blueprint);
}

export function writeStubs(cli: Cli, folder: string, blueprint: Blueprint): void {
  writeStubFiles(cli, folder, renderStubs(hostApi(blueprint.luaHost), blueprint));
}

/** Of what scripts of rules find around them. */
export const writeRuleStubs = (cli: Cli, folder: string): void =>
  writeStubFiles(cli, folder, renderRuleStubs(createRuleApi()));

/** The folder of stubs is ours and written anew. Settings of the editor that are already there stay as they are. */
function writeStubFiles(cli: Cli, folder: string, files: ReadonlyMap<string, string>): void {
  const stubsFolder = resolve(cli.cwd, folder, STUBS_FOLDER);
  rmSync(stubsFolder, { recursive: true, force: true });
  mkdirSync(stubsFolder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(stubsFolder, name), text);
  cli.stdout.write(`${join(folder, STUBS_FOLDER)}\n`);
  const settings = join(folder, STUBS_SETTINGS);
  if (!existsSync(resolve(cli.cwd, settings))) saveFile(cli, { file: settings }, renderSettings());
  else if (!readFileSync(resolve(cli.cwd, settings), "utf8").includes(STUBS_FOLDER)) {
    remark(cli, `${settings} is already there: add "${STUBS_FOLDER}" to its workspace.library`);
  }
}
