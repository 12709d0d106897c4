import { clock } from "#web/data/clock.svelte.ts";
import { preferences } from "#web/data/preferences.svelte.ts";
import { logPhrase, runPhrase } from "./run-phrases.ts";

const reader = () => ({ locale: preferences.locale, hours: preferences.hours, zone: clock.zone });

/** What the service says of a run, in the language, time format and time zone that are chosen now. */
export const showPhrase = (text: string): string => runPhrase(text, reader());

export const showLogLine = (text: string): string => logPhrase(text, reader());
