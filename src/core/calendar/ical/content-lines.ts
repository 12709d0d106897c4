// The lines of an iCalendar text (RFC 5545, section 3.1): long lines are folded, and each is a name, parameters and a value.

export interface ContentLine {
  /** Of the text as it was given, from 1. */
  readonly line: number;
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

const NAME = /^[A-Za-z0-9-]{1,100}/;
const MOST_PARAMETERS = 20;
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** Of the text, as they are written. */
export const MOST_ICAL_LINES = 20_000;

/** Undefined instead of a line that cannot be read. */
export function* contentLines(
  text: string,
): Generator<{ readonly line: number; readonly read: ContentLine | undefined }> {
  let [line, folded] = [0, ""];
  for (const [index, physical] of text.split(/\r\n|\n|\r/, MOST_ICAL_LINES + 1).entries()) {
    if (index === MOST_ICAL_LINES) {
      yield { line: index + 1, read: undefined };
      return;
    }
    if (physical.startsWith(" ") || physical.startsWith("\t")) {
      folded += physical.slice(1);
      continue;
    }
    if (folded !== "") yield { line, read: readLine(folded, line) };
    [line, folded] = [index + 1, index === 0 ? physical.replace(/^\uFEFF/, "") : physical];
  }
  if (folded !== "") yield { line, read: readLine(folded, line) };
}

function readLine(text: string, line: number): ContentLine | undefined {
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  let at = name.length;
  if (text[at] === ":") return { line, name: name.toUpperCase(), parameters: NO_PARAMETERS, value: text.slice(at + 1) };
  const parameters = new Map<string, string>();
  while (text[at] === ";") {
    const equals = text.indexOf("=", at);
    if (equals < 0 || parameters.size >= MOST_PARAMETERS) return undefined;
    const end = endOfParameter(text, equals + 1);
    const value = text.slice(equals + 1, end).replace(/^"([^"]*)"$/, "$1");
    parameters.set(text.slice(at + 1, equals).toUpperCase(), value);
    at = end;
  }
  if (text[at] !== ":") return undefined;
  return { line, name: name.toUpperCase(), parameters, value: text.slice(at + 1) };
}

/** A semicolon or colon inside quotes belongs to the value. */
function endOfParameter(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === ";" || sign === ":")) return at;
  }
  return text.length;
}

/** A text value: commas, semicolons and line ends are written with a backslash. */
export const textOf = (value: string): string =>
  value.replace(/\\([\\;,nN])/g, (_, sign: string) => (sign === "n" || sign === "N" ? " " : sign));
