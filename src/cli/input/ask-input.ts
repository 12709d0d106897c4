import type { Cli } from "#cli/cli.ts";
import { describeInput, type Input, type Values } from "#cli/input/describe-input.ts";
import { remark } from "#cli/print.ts";
import { UsageError } from "#cli/usage-error.ts";
import { printable } from "#core/text/printable.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import { typeValue } from "#core/value/type-value.ts";

/** Asks until the answer fits. No answer gives up; what is sensitive is not shown while it is typed. */
export async function askInput(cli: Cli, input: Input): Promise<unknown> {
  const ask = input.sensitive ? cli.askSecret : cli.ask;
  if (ask === undefined) {
    throw new UsageError(`${input.id} is missing and nobody is there to ask: write ${input.id}=${hint(input)}`);
  }
  if (input.description !== "") remark(cli, `  ${input.description}`);
  for (;;) {
    const answer = await ask(printable(`${input.displayName} (${describeInput(input)}): `));
    if (answer === "") throw new UsageError(`${input.id} is required; nothing was sent`);
    const value = typeValue(input.type, answer);
    const problem = value === undefined ? `${input.id} must be JSON; a text needs quotes` : problemOf(input, value);
    if (problem === undefined) return value;
    remark(cli, problem);
  }
}

const hint = (input: Input): string => (input.sensitive ? "@FILE" : "VALUE");

function problemOf(input: Input, value: unknown): string | undefined {
  const values: Values = Object.assign(Object.create(null), { [input.id]: value });
  return checkInputs(new Map([[input.id, input]]), values, () => undefined).problems[0]?.message;
}
