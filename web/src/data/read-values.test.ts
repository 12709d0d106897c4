import { expect, test } from "vitest";
import { readValues, splitQuestions } from "./read-values.ts";

const devices = (count: number, names: readonly string[]) =>
  Array.from({ length: count }, (_, index) => ({ id: `00000000-0000-7000-8000-00000000${index}`, names }));

test("few devices are one question", () => {
  expect(splitQuestions(devices(3, ["power", "status"]))).toHaveLength(1);
});

test("many devices are several questions, none of them long, and none is left out", () => {
  const questions = splitQuestions(devices(200, ["power", "status", "energy_total"]));
  expect(questions.length).toBeGreaterThan(1);
  for (const question of questions) {
    const text = Object.entries(question).map(([id, names]) =>
      encodeURIComponent(`devices[${id}]=${names.join(",")}&`),
    );
    expect(text.join("").length).toBeLessThanOrEqual(6_000);
  }
  expect(questions.flatMap((question) => Object.keys(question))).toHaveLength(200);
});

test("a device without attributes is not asked for", () => {
  expect(splitQuestions([{ id: "a", names: [] }])).toEqual([]);
});

test("the answers of all questions are put together", async () => {
  const values = await readValues(
    async (question) => ({
      devices: Object.fromEntries(Object.keys(question).map((id) => [id, { power: { value: 1, timestamp: 2 } }])),
      errors: [],
    }),
    devices(100, ["power"]),
  );
  expect(Object.keys(values)).toHaveLength(100);
});
