import type { Locale } from "#web/data/preferences.svelte.ts";

type Rule = readonly [pattern: RegExp, german: (...parts: string[]) => string];

const KINDS: Readonly<Record<string, string>> = {
  "true or false": "ja oder nein",
  "a text": "ein Text",
  "a whole number": "eine ganze Zahl",
  "a number": "eine Zahl",
  "a list of texts": "eine Liste von Texten",
  "any JSON value": "ein JSON-Wert",
};

const not = (value: string | undefined) => (value === undefined ? "" : `, nicht ${value}`);
const meant = (word: string | undefined) => (word === undefined ? "" : `. Meinten Sie ${word}?`);

/** The sentences of the service's check. One that is not listed stays English. */
const GERMAN: readonly Rule[] = [
  [/^is required$/, () => "Hier fehlt ein Wert"],
  [/^must be at least ([^,]+)(?:, not (.+))?$/, (min = "", value) => `muss mindestens ${min} sein${not(value)}`],
  [/^must be at most ([^,]+)(?:, not (.+))?$/, (max = "", value) => `darf höchstens ${max} sein${not(value)}`],
  [
    /^must be one of (.+?)(?:, not (.+?))?(?:; did you mean (.+)\?)?$/s,
    (list = "", value, word) => `muss eines von ${list} sein${not(value)}${meant(word)}`,
  ],
  [
    /^must be written as (\S+), for example (.+)$/,
    (format = "", example = "") => `muss als ${format} geschrieben sein, zum Beispiel ${example}`,
  ],
  [/^must be JSON; a text needs quotes$/, () => "muss JSON sein; ein Text braucht Anführungszeichen"],
  [
    /^there is no (".*?"); (?:did you mean (.+)\?|declared: (.+)|none is declared)$/s,
    (name = "", word, known) => `${name} gibt es nicht${known === undefined ? meant(word) : `; es gibt ${known}`}`,
  ],
  [
    /^must be (true or false|a text|a whole number|a number|a list of texts|any JSON value)(?:, not (.+))?$/s,
    (kind = "", value) => `muss ${KINDS[kind] ?? kind} sein${not(value)}`,
  ],
];

/** What is wrong with one value, as a sentence in the language of the page. */
export function describeProblem(problem: string, locale: Locale): string {
  return upperFirst(locale === "de" ? inGerman(problem) : problem);
}

function inGerman(problem: string): string {
  for (const [pattern, german] of GERMAN) {
    const match = pattern.exec(problem);
    if (match !== null) return german(...match.slice(1));
  }
  return problem;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
