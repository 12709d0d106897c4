// What the service says of tests, in the language of the page. Pure.
import type { Locale } from "#web/data/preferences.svelte.ts";
import { serverTexts } from "#web/i18n/server-texts.ts";

/** By the form of the English. */
export const TEST_GERMAN: Readonly<Record<string, string>> = {
  "run by {trigger}: {outcome} ({why})": "Lauf durch {trigger}: {outcome} ({why})",
  "claims {what} no longer": "beansprucht {what} nicht mehr",
  "claims {what}": "beansprucht {what}",
  "executes {command} of {device}": "führt {command} von {device} aus",
  "sends {severity}: {text}": "sendet {severity}: {text}",
  "sets {variable} = {value}": "setzt {variable} = {value}",
  "error: {message}": "Fehler: {message}",
  "the gateway is started again": "das Gateway startet neu",
  "{command} of {device} ends with {end}": "{command} von {device} endet mit {end}",
  "claim of {control}": "Anspruch auf {control}",
  "min claimed of {control}": "kleinster Wert für {control}",
  "max claimed of {control}": "größter Wert für {control}",
  claims: "Ansprüche",
  commands: "Befehle",
  "commands of {device}": "Befehle von {device}",
  messages: "Nachrichten",
  runs: "Läufe",
  "the rule": "die Regel",
  "what it explains": "was sie erklärt",
  "variable {name}": "Variable {name}",
  "storage {key}": "Speicher {key}",
  log: "Protokoll",
  error: "Fehler",
  none: "nichts",
  nothing: "nichts",
  "no claim": "kein Anspruch",
  "no error": "kein Fehler",
  "any value": "irgendein Wert",
  "nothing was logged": "nichts wurde protokolliert",
  "it has no conditions": "sie hat keine Bedingungen",
  on: "an",
  off: "aus",
  "at least {least}": "mindestens {least}",
  "at most {most}": "höchstens {most}",
  "about {value} (±{tolerance})": "etwa {value} (±{tolerance})",
  "one of {values}": "eines von {values}",
  "a text with {text}": "ein Text mit {text}",
  "a text that matches {pattern}": "ein Text nach dem Muster {pattern}",
};

const german = serverTexts(TEST_GERMAN);

export const testText = (text: string, locale: Locale): string => (locale === "en" ? text : german(text));

const RUN = /^(run by .+?: .+? \()(.+)(\))$/s;

/** A run says why in a sentence of its own. */
export function testEntry(text: string, locale: Locale, phrase: (text: string) => string): string {
  const [, head, why, end] = RUN.exec(text) ?? [];
  return why === undefined ? testText(text, locale) : testText(`${head}${phrase(why)}${end}`, locale);
}
