import { expect, test } from "vitest";
import { judgeDue } from "#core/schedule/schedule.ts";
import { phraseOf, RUN_PHRASES, type RunPhrase, say } from "./run-phrases.ts";

const ALL = Object.keys(RUN_PHRASES) as readonly RunPhrase[];

test.each(ALL)("the sentence %s is found again with its values", (phrase) => {
  const names = [...RUN_PHRASES[phrase].matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const values = Object.fromEntries(names.map((name, n) => [name, `value${n}`]));
  expect(phraseOf(say(phrase, values))).toEqual({ phrase, values });
});

test.each([
  ["not repeated: execute stop of pump", { phrase: "not_repeated", values: { step: "execute stop of pump" } }],
  ["notify: the script was run\nand more", { phrase: "notify", values: { message: "the script was run\nand more" } }],
  ["The sun is up.", undefined],
  ["", undefined],
  ["x".repeat(5_000), undefined],
])("%s", (text, expected) => {
  expect(phraseOf(text)).toEqual(expected);
});

test("what a schedule says of missed times are such sentences, too", () => {
  const [minute, hour] = [60_000, 3_600_000];
  const reasonOf = (count: number) => {
    const now = (count - 1) * hour + 2 * minute;
    const due = judgeDue({ nextAt: 0, missed: "skip", lateMs: 0 }, (after) => after + hour, now);
    return phraseOf(due.skipped?.reason ?? "")?.phrase;
  };
  expect([reasonOf(1), reasonOf(5), reasonOf(5_000)]).toEqual(["time_missed", "times_missed", "many_times_missed"]);
});

test("values are put in as they are, also if they look like places", () => {
  expect(say("notify", { message: "{name} $& {step}" })).toBe("notify: {name} $& {step}");
});
