import type { Cli } from "#cli/cli.ts";
import { parseAssignment } from "#cli/input/assignment.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import { parseJson, typeValue } from "#core/value/type-value.ts";

type Declared = ReadonlyMap<string, { readonly type: ValueType | TelemetryType; readonly aliases: readonly string[] }>;

/** `name=value` with the value in its declared type, `name:=json` as it is. What is not declared stays a text, for the check to say so. */
export async function parseHeld(
  cli: Cli,
  declared: Declared,
  words: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const held = new Map<string, unknown>();
  for (const word of words) {
    const { name, kind, text } = await parseAssignment(cli, word);
    if (kind === "ask") throw new UsageError(`"${word}" has no value: write ${word}=value`);
    held.set(name, kind === "json" ? parseJson(text, () => true) : typeValue(typeOf(declared, name), text));
  }
  return held;
}

function typeOf(declared: Declared, name: string): ValueType {
  const found = declared.get(name) ?? [...declared.values()].find(({ aliases }) => aliases.includes(name));
  const type = found?.type ?? "string";
  return type === "alerts" ? "array_of_strings" : type;
}
