// One sentence of the contract, in our own words, and the section that it belongs to.

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly sentences: Readonly<Record<string, string>>;
}

/** Keeps the literal names, so that a misspelt id in a check is a type error. */
export function section<const Id extends string, const Sentences extends Readonly<Record<string, string>>>(
  id: Id,
  title: string,
  sentences: Sentences,
): { readonly id: Id; readonly title: string; readonly sentences: Sentences } {
  return { id, title, sentences };
}

/** `section.sentence` of every sentence of the sections. */
export type IdsOf<S extends Section> = S extends Section ? `${S["id"]}.${keyof S["sentences"] & string}` : never;
