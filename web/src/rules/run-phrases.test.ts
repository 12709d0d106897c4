import { expect, test } from "vitest";
import { RUN_PHRASES, type RunPhrase, say } from "#core/rule/run-phrases.ts";
import { logPhrase, runPhrase } from "./run-phrases.ts";

const DE = { locale: "de", zone: "Europe/Berlin", hours: "24h" } as const;
const EN = { locale: "en", zone: "Europe/Berlin", hours: "24h" } as const;

test.each([
  ["the calendar holidays is on", "der Kalender holidays ist ein"],
  ["not repeated: execute stop of pump", "nicht wiederholt: stop an pump ausführen"],
  ["wait until 2026-11-19T06:00:00.000Z", "warten bis 19. Nov., 07:00:00"],
  ["release all controls of pump", "alle Ansprüche an pump beenden"],
  ["notify: it became true", "melden: it became true"],
  ["nothing is done: the time was missed", "nichts wird getan: die Zeit wurde verpasst"],
  ["The sun is up.", "The sun is up."],
])("%s is %s", (given, expected) => {
  expect(runPhrase(given, DE)).toBe(expected);
});

test("a line that a script writes into its log stays as it is", () => {
  expect(["done", "then: it became true", "then: I go"].map((line) => logPhrase(line, DE))).toEqual([
    "done",
    "dann: es wurde wahr",
    "dann: I go",
  ]);
});

test("English stays as the service says it, but for times", () => {
  expect(runPhrase("the rule turned on or off", EN)).toBe("the rule turned on or off");
  expect(runPhrase("wait until 2026-11-19T06:00:00.000Z", EN)).toBe("wait until 19 Nov, 07:00:00");
  expect(runPhrase("wait until 2026-11-19T16:00:00.000Z", { ...EN, hours: "12h" })).toBe(
    "wait until 19 Nov, 05:00:00 pm",
  );
});

test.each(Object.keys(RUN_PHRASES) as readonly RunPhrase[])(
  "the German %s has every value of the English",
  (phrase) => {
    const names = [...RUN_PHRASES[phrase].matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const said = runPhrase(say(phrase, Object.fromEntries(names.map((name, n) => [name, `value${n}`]))), DE);
    for (const [n] of names.entries()) expect(said).toContain(`value${n}`);
  },
);
