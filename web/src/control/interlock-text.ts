// The text of an interlock in the editor: what a new one begins with, and where its problems stand. Pure.
import type { InterlockProblem, NewInterlock } from "#client/resources.ts";
import { rangeOfPointer, readPlainDocument } from "#manifest/plain-document.ts";
import { type Problem, problemsOf } from "#web/editor/problems.ts";

export type Kind = NewInterlock["kind"];
export const KINDS: readonly Kind[] = ["connection", "circuits", "condition", "grid_signal"];

/** Names of the site that a new document is filled with. */
export type Names = { readonly device: string; readonly control: string; readonly attribute: string };

/** What each kind needs at least. It is valid as soon as its devices, attributes and controls are. */
export function draftText(kind: Kind, { device, control, attribute }: Names): string {
  const load = `  - { device: ${device}, control: ${control}`;
  switch (kind) {
    case "connection":
      return `kind: connection\nmeter: { device: ${device}, attribute: ${attribute} }\nmax_import: 17000\nloads:\n${load} }\n`;
    case "circuits":
      return `kind: circuits\ncircuits:\n  - name: main\n    max_current: 63\n    meter: { device: ${device}, attributes: [${attribute}] }\nloads:\n${load}, circuit: main }\n`;
    case "condition":
      return `kind: condition\nwhen: { device: ${device}, attribute: ${attribute}, above: 40, hysteresis: 2 }\nlimits:\n${load}, max: 0 }\n`;
    case "grid_signal":
      return `kind: grid_signal\nfrom: { device: ${device}, attribute: ${attribute} }\nlimits:\n${load}, max: 0 }\n`;
  }
}

export type ReadText = { readonly document: NewInterlock | undefined; readonly problems: readonly Problem[] };

/** The document, if the text is one. Whether it is right is for the server to say. */
export function readText(text: string): ReadText {
  const { value, issues } = readPlainDocument(text, "interlock");
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return { document: isObject ? (value as NewInterlock) : undefined, problems: problemsOf(text, issues) };
}

/** What the server found, each where it stands in the text. */
export function placeProblems(text: string, found: readonly InterlockProblem[]): readonly Problem[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = (line: number, column: number) =>
    Math.min((starts[line - 1] ?? text.length) + column - 1, text.length);
  return found.map(({ code, pointer, message }): Problem => {
    const { start, end } = rangeOfPointer(text, pointer);
    const [from, to] = [offset(start.line, start.column), offset(end.line, end.column)];
    const sentence = `${pointer === "" ? "" : `${pointer} `}${message}`;
    const { line, column } = start;
    return { severity: "error", code, message: sentence, file: undefined, line, column, from, to, fix: undefined };
  });
}
