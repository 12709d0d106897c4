// The last lines of a rule that a controller made: which one, with which parameters, and a sum of the text above them. They always
// have the same form, so nobody has to parse the rule to find them.
import { crc32 } from "#core/text/crc32.ts";
import type { ParameterValue } from "./controller.ts";

export interface MadeBy {
  readonly id: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Somebody has edited the text since. */
  readonly isChanged: boolean;
}

export function withMadeBy(text: string, id: string, parameters: MadeBy["parameters"]): string {
  return [
    text,
    "# Made by a controller. A form can open it again; what is edited above is lost when the form is saved.\n",
    "controller:\n",
    `  id: ${id}\n`,
    `  parameters: ${JSON.stringify(parameters)}\n`,
    `  made: ${sumOf(text)}\n`,
  ].join("");
}

const MARK =
  /\ncontroller:\n {2}id: ([a-z_]{1,64})\n {2}parameters: (\{[^\n]{0,20000}\})\n {2}made: (x[0-9a-f]{8})\n?$/;
const COMMENT = /(?:^|\n)#[^\n]*$/;

export function madeByOf(source: string): MadeBy | undefined {
  const text = source.replaceAll("\r\n", "\n");
  const found = MARK.exec(text);
  const [, id = "", json = "", made] = found ?? [];
  const parameters = found === null ? undefined : parametersOf(json);
  if (found === null || parameters === undefined) return undefined;
  const above = text.slice(0, found.index).replace(COMMENT, (match) => (match.startsWith("\n") ? "\n" : ""));
  return { id, parameters, isChanged: sumOf(above) !== made };
}

/** With a letter in front, YAML never takes it for a number. */
const sumOf = (text: string): string =>
  `x${crc32(encodeURI(text.trimEnd().toWellFormed())).toString(16).padStart(8, "0")}`;

function parametersOf(json: string): MadeBy["parameters"] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value);
  const isPlain = entries.every(([, one]) => ["string", "number", "boolean"].includes(typeof one));
  return isPlain ? Object.fromEntries(entries) : undefined;
}
