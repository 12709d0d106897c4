import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createRenderer } from "#core/telemetry/render/renderers.ts";
import { instant } from "#core/time/instant.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";
import { openSeries } from "./open-series.ts";
import type { SeriesItem } from "./query.ts";
import { createQuickReader } from "./quick-reader.ts";
import { chunkModule, sqliteChunks } from "./sqlite/open-sqlite-chunks.ts";

const HOUR = 3_600_000;
const SECOND = 1_000;

const numbers = (attribute: string, count: number): LoadedColumn => ({
  attribute,
  kind: "number",
  count,
  times: Float64Array.from({ length: count }, (_, i) => i * SECOND),
  values: Float64Array.from({ length: count }, (_, i) => i),
});

const texts = (attribute: string, values: readonly string[]): LoadedColumn => ({
  attribute,
  kind: "text",
  count: values.length,
  times: Float64Array.from(values, (_, i) => i * 60 * SECOND),
  values,
});

/** Sealed hours of one device, read by the quick reader. Series have numbers in the order of loading. */
async function createBench(columns: readonly LoadedColumn[]) {
  const folder = mkdtempSync(join(tmpdir(), "busbar-quick-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "telemetry.db");
  const settings = { graceMs: 0, maxHotPoints: 1e6, readers: 1 };
  const store = await openSeries(sqliteChunks(file), settings, (error) => expect.fail(error.message));
  await store.load("a", columns);
  await store.settle(instant(48 * HOUR));
  await store.close();
  const quick = createQuickReader(await chunkModule.openReader(file, "small queries"));
  onTestFinished(() => quick.close());
  const item = (series: number, more: Partial<SeriesItem> = {}): SeriesItem => {
    const kind = columns[series - 1]?.kind ?? "number";
    const own = { series, device: 1, kind, aggregation: "last", granularityMs: 60 * SECOND, lookAroundMs: undefined };
    return { ...own, ...more } as SeriesItem;
  };
  const ask = async (to: number, items: readonly SeriesItem[], from = 0) => {
    const block = await quick.answer({ from, to, items });
    const { render } = createRenderer({ renderer: "csv", settings: { header: "head\n" } });
    return block && new TextDecoder().decode(render(block, true));
  };
  return { item, ask };
}

test("a small question about sealed hours is answered at once, gaps filled", async () => {
  const { item, ask } = await createBench([texts("note", ["off", "on"]), numbers("power", 61)]);
  expect(await ask(3 * 60 * SECOND, [item(1, { lookAroundMs: 0 }), item(2)])).toBe(
    "head\n0,off,59\n60,on,60\n120,on,\n",
  );
  expect(await ask(HOUR, [item(9)])).toBe("head\n");
});

test("a series that is asked for twice is read as far back as its longest look_around", async () => {
  const { item, ask } = await createBench([numbers("power", 61)]);
  const [near, far] = [item(1, { lookAroundMs: 60 * SECOND }), item(1, { lookAroundMs: 30 * 60 * SECOND })];
  const [from, to] = [600 * SECOND, 660 * SECOND];
  expect(await ask(to, [near, far], from)).toBe("head\n600,,60\n");
  expect(await ask(to, [far, near], from)).toBe("head\n600,60,\n");
});

test.each([
  ["too many points", numbers("power", 2_001), HOUR, {}],
  ["too many bytes", texts("note", ["x".repeat(40_000)]), HOUR, {}],
  ["too many rows", numbers("power", 10), HOUR, { granularityMs: SECOND }],
  ["too long a range", numbers("power", 10), 49 * HOUR, { granularityMs: HOUR }],
  ["too far a look back", numbers("power", 10), HOUR, { lookAroundMs: 48 * HOUR }],
  ["a short text carried into too long an answer", texts("note", ["x".repeat(8_000)]), HOUR, { lookAroundMs: 0 }],
])("left to a reading thread: %s", async (_, column, to, more) => {
  const { item, ask } = await createBench([column]);
  expect(await ask(to, [item(1, more)])).toBeUndefined();
});

test("left to a reading thread: too many series", async () => {
  const { item, ask } = await createBench([numbers("power", 10)]);
  expect(await ask(HOUR, Array(4).fill(item(1)))).toContain("head\n0,");
  expect(await ask(HOUR, Array(5).fill(item(1)))).toBeUndefined();
});
