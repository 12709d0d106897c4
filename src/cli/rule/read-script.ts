import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { NewRuleScript } from "#client/resources.ts";

export interface ScriptFlags {
  readonly execInterval?: string;
  readonly language?: "lua" | "yaml";
}

export function readScript(cli: Cli, file: string, flags: ScriptFlags): NewRuleScript {
  const path = resolve(cli.cwd, file);
  const content = contentOf(path);
  const isYaml = [".yml", ".yaml"].includes(extname(path).toLowerCase());
  return {
    code: content.toString("base64"),
    runtime_version: "V3",
    language: flags.language ?? (isYaml ? "yaml" : "lua"),
    ...(flags.execInterval === undefined ? {} : { exec_interval: flags.execInterval }),
  };
}

export function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
