import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import {
  gatherModules,
  type KnownModule,
  type RuleModules,
  requiredNames,
  yamlModule,
} from "#core/rule/rule-modules.ts";
import { MOST_CODE_BYTES } from "#core/rule/site-rule.ts";

/** The rules that a script requires are files beside it, by their slugs. */
export function modulesBeside(cli: Cli, file: string, text: string): RuleModules {
  const known = new Map<string, KnownModule>();
  for (;;) {
    const gathered = gatherModules(basename(file, ".lua"), requiredNames(text), known);
    if (gathered.wanted.length === 0) return gathered;
    for (const name of gathered.wanted) known.set(name, readModule(resolve(cli.cwd, dirname(file)), name));
  }
}

function readModule(folder: string, name: string): KnownModule {
  const path = join(folder, `${name}.lua`);
  if (!existsSync(path)) {
    const isYaml = [".yml", ".yaml"].some((ending) => existsSync(join(folder, name + ending)));
    return isYaml ? yamlModule(name) : { problem: `there is no file ${name}.lua beside it` };
  }
  if (statSync(path).size > MOST_CODE_BYTES) return { problem: `${name}.lua has more than ${MOST_CODE_BYTES} bytes` };
  const bytes = readFileSync(path);
  return { bytes, requires: requiredNames(bytes.toString("utf8")) };
}
