// One sentence of the contract, in our own words, and the section that it belongs to.

/** A sentence that a live check holds, or one that says why it has none yet. */
export type Sentence = string | NotServed;

export interface NotServed {
  readonly text: string;
  /** Why Busbar does not keep the sentence yet. */
  readonly reason: string;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly sentences: Readonly<Record<string, Sentence>>;
}

/** Keeps the literal names, so that a misspelt id in a check is a type error. */
export function section<const Id extends string, const Sentences extends Readonly<Record<string, Sentence>>>(
  id: Id,
  title: string,
  sentences: Sentences,
): { readonly id: Id; readonly title: string; readonly sentences: Sentences } {
  return { id, title, sentences };
}

/** `section.sentence` of every sentence of the sections. */
export type IdsOf<S extends Section> = S extends Section ? `${S["id"]}.${keyof S["sentences"] & string}` : never;

export function notServed(text: string, reason: string): NotServed {
  return { text, reason };
}

export function textOf(sentence: Sentence): string {
  return typeof sentence === "string" ? sentence : sentence.text;
}
