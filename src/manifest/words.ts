import type { Reporter } from "./reporter.ts";
import type { Node, Trail } from "./tree.ts";

const LONGEST_QUOTE = 40;
const MOST_CHOICES = 12;

/** A text of the document inside a message: in quotes, on one line, not too long. */
export function quote(text: string): string {
  const flat = text.replace(/\s+/g, " ");
  return JSON.stringify(flat.length > LONGEST_QUOTE ? `${flat.slice(0, LONGEST_QUOTE)}...` : flat);
}

/** The name of a place inside a message: its key, or the key of the list that it is in. */
export function nameOf(trail: Trail): string {
  if (trail.parent === undefined) return "the manifest";
  if (typeof trail.step === "number") return `item ${trail.step + 1} of ${nameOf(trail.parent)}`;
  return short(trail.step);
}

/** A key inside a message: as it is, but not too long. */
export function short(key: string, longest = LONGEST_QUOTE): string {
  return key.length > longest ? `${key.slice(0, longest)}...` : key;
}

/** What a value is, for someone who expected something else. */
export function kindOf(node: Node): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "an object";
  if (node.kind === "broken" || node.value === null) return "empty";
  const value = quote(node.text);
  if (typeof node.value === "number") return `the number ${value.slice(1, -1)}`;
  return typeof node.value === "boolean" ? `${node.value}, a yes or no` : `the text ${value}`;
}

/** "Did you mean x?" or the list of what there is. `nearest` is what was meant, if that can be guessed. */
export function choices(
  reporter: Reporter,
  word: string,
  known: readonly string[],
): { readonly nearest: string | undefined; readonly words: string } {
  const nearest = reporter.nearest(word, known);
  if (nearest !== undefined) return { nearest, words: `Did you mean ${nearest}?` };
  if (known.length === 0) return { nearest, words: "" };
  const more = known.length - MOST_CHOICES;
  const listed = known
    .slice(0, MOST_CHOICES)
    .map((word) => short(word))
    .join(", ");
  return { nearest, words: more > 0 ? `Known are ${listed} and ${more} more.` : `Known are ${listed}.` };
}
