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
  // A getter for each text would be made before anything is shown, on a slow phone for some milliseconds.
  return new Proxy(tables.en, {
    get: (_, key) => (typeof key === "string" ? tables[preferences.locale][key] : undefined),
  }) as Like<English>;
}
