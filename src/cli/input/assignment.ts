import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";

/** What a word of the command line says about an input. */
export type Assignment = {
  readonly name: string;
  /** `text` is to be typed by the declaration, `json` is taken as it is, `ask` has no value yet. */
  readonly kind: "text" | "json" | "ask";
  readonly text: string;
  /** The value stands on the command line itself, where others can read it. */
  readonly isOpen: boolean;
};

/**
 * `key=value`, `key:=json`, either with `@file` for what the file holds (`@-` is standard input), or `key` alone to be
 * asked for it.
 */
export async function parseAssignment(cli: Cli, word: string): Promise<Assignment> {
  const [, name, sign, value] = /^([^=:]*)(:?=)?(.*)$/s.exec(word) ?? [];
  if (!name || (sign === undefined && value)) {
    throw new UsageError(`"${word}" is not understood: write key=value, key:=json, key=@file, or key to be asked`);
  }
  if (sign === undefined) return { name, kind: "ask", text: "", isOpen: false };
  const kind = sign === ":=" ? "json" : "text";
  if (value?.startsWith("@")) return { name, kind, text: await readSource(cli, value.slice(1)), isOpen: false };
  return { name, kind, text: value ?? "", isOpen: true };
}

/** The text of a file, without the line end that editors add; `-` is standard input. */
export async function readSource(cli: Cli, path: string): Promise<string> {
  if (path !== "-") return readFileSync(resolve(cli.cwd, path), "utf8").replace(/\r?\n$/, "");
  if (cli.readInput === undefined) throw new UsageError("@- reads standard input, but there is none");
  return new TextDecoder().decode(await cli.readInput()).replace(/\r?\n$/, "");
}
