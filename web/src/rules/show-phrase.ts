import { clock } from "#web/data/clock.svelte.ts";
import { preferences } from "#web/data/preferences.svelte.ts";
import { logPhrase, runPhrase } from "./run-phrases.ts";

/** What the service says of a run, in the language and time zone that are chosen now. */
export const showPhrase = (text: string): string => runPhrase(text, { locale: preferences.locale, zone: clock.zone });

export const showLogLine = (text: string): string => logPhrase(text, { locale: preferences.locale, zone: clock.zone });
