import { preferences } from "#web/data/preferences.svelte.ts";

type Message = string | ((...values: never[]) => string);
type Table = { readonly [key: string]: Message };
/** The same keys, and functions of the same parameters. */
type Like<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] };

/**
 * The texts of one screen in both languages. `t.title` is the text in the language that is chosen now; in a component it
 * changes with the choice. The compiler refuses a German table with other keys.
 */
export function defineMessages<const English extends Table>(tables: {
  readonly en: English;
  readonly de: NoInfer<Like<English>>;
}): Like<English> {
  const messages = {};
  for (const key of Object.keys(tables.en)) {
    Object.defineProperty(messages, key, { enumerable: true, get: () => tables[preferences.locale][key] });
  }
  return messages as Like<English>;
}
