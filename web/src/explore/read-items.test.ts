import { expect, test } from "vitest";
import { ApiError } from "#client/errors.ts";
import type { TimeseriesQuestion } from "#client/resources.ts";
import type { TimeseriesRows } from "#client/telemetry.ts";
import { type Ask, type Item, readItems } from "./read-items.ts";

const SETTINGS = { from: 0, to: 60, granularity: "1s" };
const item = (attribute: string, aggregation = "auto"): Item => ({ device: "d", attribute, aggregation });
const refusal = (attribute: string, index: number, code = "attribute_not_found") => ({
  code,
  message: `no ${attribute}`,
  details: { pointer: `/telemetry/${index}/attribute` },
});

/** Refuses attributes that begin with x, and has 1 at the first second for all others, 2 for the greatest. */
function service() {
  const asked: string[] = [];
  const ask = async ({ telemetry }: TimeseriesQuestion): Promise<TimeseriesRows> => {
    asked.push(telemetry.map(({ attribute }) => attribute).join("+"));
    const [first, ...others] = telemetry.flatMap(({ attribute }, index) =>
      String(attribute).startsWith("x") ? [refusal(String(attribute), index)] : [],
    );
    if (first !== undefined) throw new ApiError(404, [first, ...others]);
    const columns = telemetry.flatMap(({ aggregation }) => (aggregation === "min_max" ? [1, 2] : [1]));
    return {
      columns: [],
      rows: [
        [1, ...columns],
        [2.5, ...columns.map(() => null)],
      ],
    };
  };
  return { ask, asked };
}

test("columns belong to the items in their order; a row without a value is none", async () => {
  const answers = await readItems(service().ask, SETTINGS, [item("a"), item("b", "min_max"), item("c")]);
  expect(answers).toEqual([
    { points: [{ times: [1000], values: [1] }] },
    {
      points: [
        { times: [1000], values: [1] },
        { times: [1000], values: [2] },
      ],
    },
    { points: [{ times: [1000], values: [1] }] },
  ]);
});

test("what is refused is reported for each, and the others are read by one more request", async () => {
  const { ask, asked } = service();
  const answers = await readItems(ask, SETTINGS, [item("x1"), item("a"), item("x2")]);
  expect(answers).toEqual([
    { refusal: { code: "attribute_not_found", message: "no x1" } },
    { points: [{ times: [1000], values: [1] }] },
    { refusal: { code: "attribute_not_found", message: "no x2" } },
  ]);
  expect(asked).toEqual(["x1+a+x2", "a"]);
});

test("when everything is refused nothing more is asked", async () => {
  const { ask, asked } = service();
  expect(await readItems(ask, SETTINGS, [item("x")])).toEqual([
    { refusal: { code: "attribute_not_found", message: "no x" } },
  ]);
  expect(await readItems(ask, SETTINGS, [])).toEqual([]);
  expect(asked).toEqual(["x"]);
});

test("damage at one series does not hide the others", async () => {
  const { ask } = service();
  const damaged = async (question: TimeseriesQuestion) => {
    if (question.telemetry.some(({ attribute }) => attribute === "b"))
      throw new ApiError(500, [{ code: "storage_damaged", message: "b is damaged" }]);
    return await ask(question);
  };
  expect(await readItems(damaged, SETTINGS, [item("a"), item("b")])).toEqual([
    { points: [{ times: [1000], values: [1] }] },
    { refusal: { code: "storage_damaged", message: "b is damaged" } },
  ]);
});

test("a failure that names no item is one of the whole request", async () => {
  const busy = async () => {
    throw new ApiError(503, [{ code: "busy", message: "too many queries" }]);
  };
  await expect(readItems(busy, SETTINGS, [item("a"), item("b")])).rejects.toThrow("too many queries");
});

test("more series than one request takes are read by several, and keep their order", async () => {
  const sizes: number[] = [];
  const ask: Ask = async ({ telemetry }) => {
    sizes.push(telemetry.length);
    const row = [1, ...telemetry.map(({ attribute }) => Number(String(attribute).slice(1)))];
    return { columns: [], rows: [row] } as unknown as Awaited<ReturnType<Ask>>;
  };
  const items = Array.from({ length: 23 }, (_, index) => ({ device: "d", attribute: `a${index}` }));
  const answers = await readItems(ask, { from: 0, to: 1, granularity: "1m" }, items);
  expect(sizes).toEqual([10, 10, 3]);
  expect(answers.map((answer) => ("points" in answer ? answer.points[0]?.values[0] : undefined))).toEqual(
    items.map((_, index) => index),
  );
});
