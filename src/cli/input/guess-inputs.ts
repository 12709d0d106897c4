import type { Cli } from "#cli/cli.ts";
import { parseAssignment } from "#cli/input/assignment.ts";
import { UsageError } from "#cli/usage-error.ts";
import { parseJson } from "#core/value/type-value.ts";

/** The values of `key=value` where no blueprint says their types: numbers, true and false are taken for such. */
export async function guessInputs(cli: Cli, words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const values: Record<string, unknown> = Object.create(null);
  for (const word of words) {
    const { name, kind, text } = await parseAssignment(cli, word);
    if (kind === "ask") throw new UsageError(`${name} needs a value: ${name}=VALUE`);
    values[name] = kind === "json" ? parseJson(text, () => true) : guess(text);
    if (values[name] === undefined) throw new UsageError(`${name} must be JSON; a text needs quotes`);
  }
  return values;
}

function guess(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
