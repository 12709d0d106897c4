/** Control characters, which could drive a terminal, and marks that reverse the reading order, which could disguise a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The text as one harmless line: what a terminal would obey is written as an escape such as `\n` or `\u001b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => SHORT.get(character) ?? escapeOf(character));
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
