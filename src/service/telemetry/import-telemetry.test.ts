import { expect, test } from "vitest";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { createShares } from "#core/share/shares.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";
import { callBy } from "../../../test/support/calls.ts";
import { NOON } from "../../../test/support/records.ts";
import { createImporter, type ImportNeeds } from "./import-telemetry.ts";

const attribute = (id: string, type: string) =>
  [id, { id, type, enum: undefined, aliases: [], accessLevel: "readonly" }] as const;
const BLUEPRINT = {
  telemetry: new Map([attribute("power", "float"), attribute("note", "string")]),
} as unknown as Blueprint;

/** An importer, and what it hands over: the steps as they are stored, and what it wrote to the audit log. */
function makeImporter() {
  const steps: (readonly LoadedColumn[])[] = [];
  const trail: AuditEntry["details"][] = [];
  const device = { id: "d1", siteId: "s1", slug: "meter", blueprintId: "b1" };
  const world = { isDeleted: false };
  const needs = {
    devices: { find: async () => (world.isDeleted ? undefined : device), findBySlug: async () => [device] },
    telemetry: { load: async (_: string, columns: readonly LoadedColumn[]) => void steps.push(columns) },
    audit: { append: async (entries: readonly AuditEntry[]) => void trail.push(...entries.map((one) => one.details)) },
    gateways: { ownerOf: async () => undefined },
    catalog: { get: async () => ({ blueprint: BLUEPRINT }) },
    now: () => NOON,
    newId: () => "id",
    shares: createShares(),
  } as unknown as ImportNeeds;
  const importTelemetry = createImporter(needs);
  const run = (body: AsyncIterable<Uint8Array>, level: AccessLevel = "owner") =>
    importTelemetry(callBy(level), { idOrSlug: "meter", body });
  return { steps, trail, run, world };
}

async function* bytesOf(pieces: Iterable<string>, end?: () => void): AsyncIterable<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
  end?.();
}

function* rows(count: number, row: (i: number) => string): Iterable<string> {
  yield "ts,telemetry=note\n";
  for (let i = 0; i < count; i++) yield row(i);
}

test("however long the texts are, one step holds no more than some of them", async () => {
  const { steps, run } = makeImporter();
  const text = "x".repeat(200_000);
  const { points } = await run(bytesOf(rows(500, (i) => `${i * 100},${i}${text}\n`)));
  expect(points).toBe(500);
  const sizes = steps.map((columns) => columns.reduce((sum, { count }) => sum + count, 0) * text.length);
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThan(40_000_000);
});

test("however many hours there are, one step touches no more than some of them", async () => {
  const { steps, run } = makeImporter();
  await run(bytesOf(rows(5_500, (i) => `${i * 3_600},x\n`)));
  expect(steps.map(([column]) => column?.count)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 500]);
});

test("points of two hours that take turns share a step", async () => {
  const { steps, run } = makeImporter();
  await run(bytesOf(rows(5_500, (i) => `${(i % 2) * 3_600 + i},x\n`)));
  expect(steps.map(([column]) => column?.count)).toEqual([5_500]);
});

test("an hour takes 8 MiB of texts, and as many that repeat as there are", async () => {
  const { run } = makeImporter();
  const text = "x".repeat(200_000);
  const { points, problems } = await run(bytesOf(rows(42, (i) => `${i},${i + 10}${text}\n`)));
  expect(points).toBe(41);
  expect(problems).toEqual([
    { line: 43, attribute: "note", message: "is left out: its hour has 8 MiB of texts already" },
  ]);
  expect((await run(bytesOf(rows(100, (i) => `${i},${text}\n`)))).points).toBe(100);
});

const broken = new Error("the other end has gone");
const breakOff = () => {
  throw broken;
};

test("what an import that breaks off has stored stands in the audit log", async () => {
  const { trail, run } = makeImporter();
  const pieces = rows(1_500, (i) => `${i * 3_600},x\n`);
  await expect(run(bytesOf(pieces, breakOff))).rejects.toBe(broken);
  expect(trail).toEqual([{ rows: 1_500, points: 1_000, problems: 0, broken_off: true }]);
});

test("an import ends when its device is deleted", async () => {
  const { steps, run, world } = makeImporter();
  function* pieces() {
    for (const piece of rows(2_500, (i) => `${i * 3_600},x\n`)) {
      world.isDeleted = steps.length > 0;
      yield piece;
    }
  }
  await expect(run(bytesOf(pieces()))).rejects.toMatchObject({ code: "not_found" });
  expect(steps).toHaveLength(1);
});

test("an import that stored nothing leaves no trace", async () => {
  const { steps, trail, run } = makeImporter();
  await expect(run(bytesOf(["ts,telemetry=note\n1,x\n"], breakOff))).rejects.toBe(broken);
  expect([steps, trail]).toEqual([[], []]);
});

test("four imports run at once and two of a token; one more is refused until one of them has ended", async () => {
  const { run } = makeImporter();
  const go = Promise.withResolvers<void>();
  async function* body(): AsyncIterable<Uint8Array> {
    yield Buffer.from("ts,telemetry=note\n1,x\n");
    await go.promise;
  }
  /** They count from the moment at which they have found their device. */
  const begun = () => new Promise((resolve) => setImmediate(resolve));
  const running = [run(body()), run(body())];
  await begun();
  await expect(run(body())).rejects.toMatchObject({ code: "overloaded" });
  running.push(run(body(), "installer"), run(body(), "installer"));
  await begun();
  await expect(run(body(), "vendor")).rejects.toMatchObject({ code: "overloaded" });
  go.resolve();
  await Promise.all(running);
  expect((await run(body())).points).toBe(1);
});

test("others have their turns while one piece of an import is read", async () => {
  const { run } = makeImporter();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const piece = `ts,telemetry=note\n${"wrong,x\n".repeat(5_000)}${Array.from({ length: 5_000 }, (_, i) => `${i},x\n`).join("")}`;
  const { points, problemCount } = await run(bytesOf([piece]));
  isOver = true;
  expect([points, problemCount]).toEqual([5_000, 5_000]);
  expect(turns).toBeGreaterThanOrEqual(30);
});

test("of a header with very many mistakes the first are reported", async () => {
  const { run } = makeImporter();
  const refused = run(bytesOf([`ts${",telemetry=nite".repeat(1_000)}\n`]));
  await expect(refused).rejects.toMatchObject({ refusals: { length: 20 } });
});
