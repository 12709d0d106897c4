import type { Cli } from "#cli/cli.ts";
import { askInput } from "#cli/input/ask-input.ts";
import { type Assignment, parseAssignment, readSource } from "#cli/input/assignment.ts";
import type { Inputs, Values } from "#cli/input/describe-input.ts";
import { remark } from "#cli/print.ts";
import { UsageError } from "#cli/usage-error.ts";
import { parseJson, typeValue } from "#core/value/type-value.ts";

type Given = {
  /** `key=value` and its like. */
  readonly words: readonly string[];
  /** A JSON object, or the name of a file that holds one. */
  readonly args?: string | undefined;
};

/** The values that were given, typed by their declarations but not yet checked. What is given alone is asked for. */
export async function gatherInputs(cli: Cli, inputs: Inputs, { words, args }: Given): Promise<Values> {
  const values: Record<string, unknown> = Object.create(null);
  if (args !== undefined) Object.assign(values, await readObject(cli, inputs, args));
  const seen = new Set<string>();
  const problems: string[] = [];
  const toAsk: string[] = [];
  for (const word of words) {
    const assignment = await parseAssignment(cli, word);
    const { name } = assignment;
    if (seen.has(name)) problems.push(`${name} is given twice`);
    seen.add(name);
    if (assignment.isOpen) warnIfSensitive(cli, inputs, name);
    if (assignment.kind === "ask" && inputs.has(name)) toAsk.push(name);
    else {
      values[name] = readValue(inputs, assignment);
      if (values[name] === undefined) {
        problems.push(`${name} must be JSON; a text needs quotes, like ${name}:='"text"'`);
      }
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  for (const name of toAsk) {
    const input = inputs.get(name);
    if (input !== undefined) values[name] = await askInput(cli, input);
  }
  return values;
}

/** An undeclared name keeps its text: the check says that there is no such input, and which one is near. */
function readValue(inputs: Inputs, { name, kind, text }: Assignment): unknown {
  if (kind === "json") return parseJson(text, () => true);
  const input = inputs.get(name);
  return input === undefined ? text : typeValue(input.type, text);
}

async function readObject(cli: Cli, inputs: Inputs, args: string): Promise<Values> {
  const isOpen = args.trimStart().startsWith("{");
  const text = isOpen ? args : await readSource(cli, args.replace(/^@/, ""));
  const object = parseObject(text);
  if (object === undefined)
    throw new UsageError('--args must be a JSON object such as {"power":5}, or a file with one');
  if (isOpen) for (const name of Object.keys(object)) warnIfSensitive(cli, inputs, name);
  return object;
}

function parseObject(text: string): Values | undefined {
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  return parseJson(text, isObject) as Values | undefined;
}

function warnIfSensitive(cli: Cli, inputs: Inputs, name: string): void {
  if (inputs.get(name)?.sensitive !== true) return;
  remark(
    cli,
    `warning: ${name} is sensitive, and everyone on this machine can read a command line; the shell's history keeps it too. ` +
      `Next time write ${name}=@FILE, or ${name} alone to be asked.`,
  );
}
