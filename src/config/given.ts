import type { Setting } from "./settings.ts";

/** A setting's text as one source gave it. */
export type Given = {
  readonly setting: Setting;
  readonly text: string;
  /** Its source, for people: `flag --port`, `environment BUSBAR_PORT`, `busbar.yaml line 3`. */
  readonly origin: string;
};

/** What one source gave, and everything that is wrong with it. */
export type Source = { readonly given: readonly Given[]; readonly problems: readonly string[] };

/** `, did you mean X?` when something known is near. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? "" : `, did you mean ${word}?`;
}
