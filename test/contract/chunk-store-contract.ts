// What every chunk store promises, whatever database it is: journal, segments, and planned reads of queries.
import { expect, test } from "vitest";
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import type { SeriesDefinition } from "#store/series/batch.ts";
import type { ChunkHead, Latest, StoredSegment } from "#store/series/chunk.ts";
import type { ChunkReader, ChunkView, SeriesReads } from "#store/series/chunk-reader.ts";
import type { ChunkStore } from "#store/series/chunk-store.ts";
import type { Column } from "#store/series/column.ts";
import { encodeSegment } from "#store/series/segment-codec.ts";

/** What stores of one process and of several have in common. */
export type CommonStore = Omit<ChunkStore, "journal">;

export interface OpenedChunks<Store = CommonStore> {
  readonly store: Store;
  readonly reader: ChunkReader;
}

/** Opens an empty store. `reopen` closes it and opens what it left. Whoever gives it to the suite closes the last one. */
export type OpenChunks<Store = CommonStore> = () => Promise<
  OpenedChunks<Store> & { reopen(): Promise<OpenedChunks<Store>> }
>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIB = 1024 * 1024;

/** Series 1 and 2 are numbers of device 1, series 3 is its text, series 4 is a number of device 2. */
const SERIES: readonly SeriesDefinition[] = [
  { series: 1, device: 1, deviceId: "a", attribute: "power", kind: "number" },
  { series: 2, device: 1, deviceId: "a", attribute: "energy", kind: "number" },
  { series: 3, device: 1, deviceId: "a", attribute: "status", kind: "text" },
  { series: 4, device: 2, deviceId: "b", attribute: "power", kind: "number" },
];

function column(kind: ColumnKind, times: readonly number[], text = ""): Column {
  const count = times.length;
  const values = kind === "text" ? times.map((at) => text || `at ${at}`) : Float64Array.from(times, (at) => at / 8);
  return { kind, count, times: Float64Array.from(times), values };
}

/** Some points of a device in a stretch. */
function segment(device: number, start: number, { span = HOUR, points = 90, series = [1, 2] } = {}): StoredSegment {
  const times = Array.from({ length: points }, (_, i) => start + i * 1_000);
  return encodeSegment({ device, start, span }, new Map(series.map((one) => [one, column("number", times)])));
}

const placesOf = (segments: readonly StoredSegment[]) =>
  segments.map(({ segment: { device, start, span }, chunks }) => [
    device,
    start,
    span,
    chunks.map((one) => one.series),
  ]);

const rowsOf = async (store: ChunkStore) => {
  const rows = await Array.fromAsync(store.journal((place) => expect.fail(JSON.stringify(place))));
  return rows.map(({ sequence, batch }) => `${sequence} ${new TextDecoder().decode(batch)}`);
};
const batch = (text: string) => new TextEncoder().encode(text);
const noDamage = () => expect.fail("nothing is damaged");

interface Reads extends SeriesReads {
  at: number;
}

function reading(series: number, from: number, to: number, more: Partial<Reads> = {}): Reads {
  const device = SERIES.find((one) => one.series === series)?.device ?? 0;
  const wanted = () => ({ parts: false, content: false });
  return { series, device, from, to, lookBack: undefined, at: from, wanted, ...more };
}

/** Walks through all that was planned, in as many views as it takes. `use` sees each chunk of the series once. */
async function walk(
  reader: ChunkReader,
  plan: readonly Reads[],
  use: (view: ChunkView, head: ChunkHead, reads: Reads) => void = () => {},
): Promise<readonly (readonly ChunkHead[])[]> {
  const heads = plan.map((): ChunkHead[] => []);
  const opened = reader.open(plan);
  const step = (view: ChunkView): boolean => {
    let isDone = true;
    for (const [i, reads] of plan.entries()) {
      for (;;) {
        const found = view.nextChunks(reads, reads.at);
        if (found === undefined) isDone = false;
        if (found === undefined || found.length === 0) break;
        for (const head of found) use(view, head, reads);
        heads[i]?.push(...found);
        reads.at = Math.max(...found.map(({ start, span }) => start + span));
      }
    }
    return isDone;
  };
  while (!(await opened.view(step)));
  return heads;
}

/** What the journal of a store promises that only one process writes to. */
export function journalContract(open: OpenChunks<ChunkStore>): void {
  test("the journal is read oldest first, from where it was trimmed and without what was set aside", async () => {
    const { store, reopen } = await open();
    const first = await store.commit({ journal: [batch("a"), batch("b")] });
    const second = await store.commit({ journal: [batch("c"), batch("d")] });
    const numbers = [...first, ...second];
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(4);
    const [a, b, c, d] = numbers;
    expect(await rowsOf(store)).toEqual([`${a} a`, `${b} b`, `${c} c`, `${d} d`]);
    await store.commit({ trimBefore: b ?? 0 });
    const next = await reopen();
    expect(await rowsOf(next.store)).toEqual([`${b} b`, `${c} c`, `${d} d`]);
    await next.store.commit({ setAside: [d ?? 0] });
    expect(await rowsOf(next.store)).toEqual([`${b} b`, `${c} c`]);
    const [e = 0] = await next.store.commit({ journal: [batch("e")], trimBefore: (d ?? 0) + 1 });
    expect(e).toBeGreaterThan(d ?? 0);
    expect(await rowsOf(next.store)).toEqual([`${e} e`]);
  });

  test("numbers of the journal rise after it was emptied", async () => {
    const { store } = await open();
    const [first = 0] = await store.commit({ journal: [batch("a")] });
    await store.commit({ trimBefore: first + 1 });
    expect(await rowsOf(store)).toEqual([]);
    expect((await store.commit({ journal: [batch("b")] }))[0]).toBeGreaterThan(first);
  });

  test("a commit that fails leaves nothing behind, not even a gap in the journal", async () => {
    const { store, reopen } = await open();
    const [before = 0] = await store.commit({ definitions: SERIES, journal: [batch("a")] });
    const broken: Latest = {
      series: 1,
      at: 0,
      get value(): number {
        throw new Error("broken");
      },
    };
    const changes = { segments: [segment(1, 0)], latest: [broken], journal: [batch("b")], trimBefore: before + 1 };
    await expect((async () => await store.commit(changes))()).rejects.toThrow("broken");
    const [after] = await store.commit({ journal: [batch("c")] });
    const { store: next } = await reopen();
    expect(await rowsOf(next)).toEqual([`${before} a`, `${after} c`]);
    expect(await next.findSegments(1, 0, DAY)).toEqual([]);
  });
}

export function chunkStoreContract(open: OpenChunks): void {
  test("definitions are there after a reopen, and the first one of a number stays", async () => {
    const { store, reopen } = await open();
    expect(await store.definitions(noDamage)).toEqual([]);
    await store.commit({ definitions: SERIES.slice(0, 3) });
    await store.commit({ definitions: SERIES });
    const found = await (await reopen()).store.definitions(noDamage);
    expect(found.toSorted((a, b) => a.series - b.series)).toEqual(SERIES);
  });

  test("latest values replace each other", async () => {
    const { store, reopen } = await open();
    const text = { series: 3, at: 5.5, value: "x" };
    await store.commit({ definitions: SERIES, latest: [{ series: 1, at: 1, value: 1 }, text] });
    await store.commit({ latest: [{ series: 1, at: 2, value: -1.5 }] });
    const { store: next } = await reopen();
    const found = await next.latest(noDamage);
    expect(found.toSorted((a, b) => a.series - b.series)).toEqual([{ series: 1, at: 2, value: -1.5 }, text]);
  });

  test("segments that touch a range are found and read in order, hours and days, with their chunks", async () => {
    const { store, reopen } = await open();
    const day = segment(1, -DAY, { span: DAY, series: [1] });
    const hours = [segment(1, HOUR), segment(1, 0), segment(2, 0, { series: [4] })];
    await store.commit({ definitions: SERIES, segments: [...hours, day] });
    const { store: next } = await reopen();
    const find = async (from: number, to: number) => (await next.findSegments(1, from, to)).map(({ start }) => start);
    for (const before of [0, 1, HOUR, HOUR + 1, DAY, 9 * DAY]) {
      const starts = await find(-9 * DAY, 9 * DAY);
      expect((await next.newestSegment(1, before))?.start).toBe(starts.filter((start) => start < before).at(-1));
    }
    expect(await find(-DAY, DAY)).toEqual([-DAY, 0, HOUR]);
    expect(await find(0, HOUR)).toEqual([0]);
    expect(await find(-1, 1)).toEqual([-DAY, 0]);
    expect(await find(HOUR - 1, HOUR + 1)).toEqual([0, HOUR]);
    expect(await find(2 * HOUR, DAY)).toEqual([]);
    expect(await next.readSegments(1, -DAY, DAY)).toEqual([day, hours[1], hours[0]]);
    expect(await next.readSegments(3, -DAY, DAY)).toEqual([]);
  });

  test("a segment replaces the one at its place, and a day its hours with their chunks, but no other device's", async () => {
    const { store } = await open();
    await store.commit({ definitions: SERIES, segments: [segment(1, 0), segment(2, 0, { series: [4] })] });
    const again = segment(1, 0, { points: 7 });
    await store.commit({ segments: [again] });
    expect(await store.readSegments(1, 0, HOUR)).toEqual([again]);
    const later = segment(1, HOUR);
    await store.commit({ segments: [later] });
    const day = segment(1, 0, { span: DAY, series: [2] });
    await store.commit({ segments: [day], deletedSegments: [again.segment, later.segment] });
    expect(placesOf(await store.readSegments(1, 0, DAY))).toEqual([[1, 0, DAY, [2]]]);
    expect(placesOf(await store.readSegments(2, 0, HOUR))).toEqual([[2, 0, HOUR, [4]]]);
  });

  test("a deleted device has no segments, chunks and latest values, and keeps its definitions", async () => {
    const { store, reader } = await open();
    const latest = [
      { series: 1, at: 1, value: 1 },
      { series: 4, at: 1, value: 4 },
    ];
    await store.commit({ definitions: SERIES, segments: [segment(1, 0), segment(2, 0, { series: [4] })], latest });
    await store.commit({ deletedDevice: 1 });
    expect(await store.findSegments(1, 0, DAY)).toEqual([]);
    expect(await walk(reader, [reading(1, 0, DAY), reading(4, 0, DAY)])).toMatchObject([[], [{ series: 4 }]]);
    expect(await store.latest(noDamage)).toEqual(latest.slice(1));
    expect(await store.definitions(noDamage)).toHaveLength(SERIES.length);
  });

  test("days with hours are to be joined in order of day and device, but not skipped ones and days", async () => {
    const { store } = await open();
    const whole = segment(1, -DAY, { span: DAY });
    const hours = [segment(2, 0, { series: [4] }), segment(1, 5 * HOUR), segment(1, DAY), segment(1, -2 * DAY)];
    await store.commit({ definitions: SERIES, segments: [whole, ...hours] });
    const days: unknown[] = [];
    for (let day = await store.dayToCompact(2 * DAY); day !== undefined; day = await store.dayToCompact(2 * DAY)) {
      days.push([day.device, day.day]);
      store.skipDay(day);
    }
    expect(days).toEqual([
      [1, -2],
      [1, 0],
      [2, 0],
      [1, 1],
    ]);
  });

  test("hours from a time on are not to be joined yet, and a day with very much text never", async () => {
    const { store } = await open();
    await store.commit({ definitions: SERIES, segments: [segment(2, 5 * HOUR, { series: [4] })] });
    expect(await store.dayToCompact(5 * HOUR)).toBeUndefined();
    expect(await store.dayToCompact(5 * HOUR + 1)).toEqual({ device: 2, day: 0 });
    const text = column("text", [0], "x".repeat(33 * MIB));
    await store.commit({ segments: [encodeSegment({ device: 1, start: 0, span: HOUR }, new Map([[3, text]]))] });
    expect(await store.dayToCompact(DAY)).toEqual({ device: 2, day: 0 });
  });

  test("dropping takes the oldest chunks that ended before, up to a limit, and segments without a chunk", async () => {
    const { store } = await open();
    const hours = Array.from({ length: 4 }, (_, i) => segment(1, i * HOUR));
    await store.commit({ definitions: SERIES, segments: [...hours, segment(2, 0, { series: [4] })] });
    const drop = (series: readonly number[], before: number, limit = 100) =>
      store.drop({ series, devices: [1] }, before, limit);
    const left = async () =>
      placesOf(await store.readSegments(1, 0, DAY)).map(([, start, , series]) => [start, series]);
    expect(await drop([1, 2], HOUR - 1)).toBe(0);
    expect(await drop([1], 3 * HOUR, 2)).toBe(2);
    const both = [1, 2];
    expect(await left()).toEqual([
      [0, [2]],
      [HOUR, [2]],
      [2 * HOUR, both],
      [3 * HOUR, both],
    ]);
    expect(await drop([1, 2], 2 * HOUR)).toBe(2);
    expect(await left()).toEqual([
      [2 * HOUR, both],
      [3 * HOUR, both],
    ]);
    expect(await store.findSegments(2, 0, HOUR)).toHaveLength(1);
  });

  test("held points are released when the clock was set so that their time is right", async () => {
    const { store, reopen } = await open();
    const points = (deviceId: string, at: number) => ({ deviceId, at, arrivedAt: 0, values: `[["n",${at}]]` });
    await store.held.put([points("a", 2 * DAY), points("b", 3 * DAY), points("a", DAY)]);
    const times = async (from: CommonStore) => (await from.held.releasable()).map(({ at }) => at);
    expect(await times(store)).toEqual([DAY]);
    await store.held.remove(await store.held.releasable());
    await store.held.shift(DAY);
    expect(await store.held.releasable()).toMatchObject([{ ...points("a", 2 * DAY), arrivedAt: DAY }]);
    const { store: next } = await reopen();
    expect(await times(next)).toEqual([2 * DAY]);
    // The clock by which the others arrived belongs to an earlier run.
    await next.held.shift(5 * DAY);
    expect(await times(next)).toEqual([2 * DAY]);
    await next.held.deleteDevice("a");
    expect(await times(next)).toEqual([]);
  });

  test("a device that holds too many bytes loses the rest, and others have room", async () => {
    const { store } = await open();
    const points = (deviceId: string, bytes: number) => ({ deviceId, at: 0, arrivedAt: 0, values: "x".repeat(bytes) });
    await store.held.put([points("a", MIB), points("a", 1), points("b", 5)]);
    const held = await store.held.releasable();
    expect(held.map(({ deviceId, values }) => [deviceId, values.length])).toEqual([
      ["a", MIB],
      ["b", 5],
    ]);
  });

  test("a query reads all chunks that touch its range in order, each once, of each of its series", async () => {
    const { store, reader } = await open();
    const day = segment(1, 0, { span: DAY });
    const hours = Array.from({ length: 70 }, (_, i) => segment(1, DAY + i * HOUR, { points: 5 }));
    await store.commit({ definitions: SERIES, segments: [day, ...hours, segment(2, 0, { series: [4] })] });
    const plan = [
      reading(1, HOUR, 10 * DAY),
      reading(1, DAY + HOUR - 1, DAY + 2 * HOUR + 1),
      reading(2, 2 * DAY, 2 * DAY + HOUR),
      reading(4, 0, HOUR),
      reading(3, 0, DAY),
    ];
    const heads = await walk(reader, plan);
    const starts = heads.map((some) => some.map(({ start }) => start));
    const hour = (i: number) => DAY + i * HOUR;
    expect(starts).toEqual([[0, ...hours.map((_, i) => hour(i))], [hour(0), hour(1), hour(2)], [2 * DAY], [0], []]);
    const { series, start, span, summary, grain, held } = day.chunks[0] as ChunkHead;
    expect(heads[0]?.[0]).toEqual({ series, start, span, summary, grain, held });
  });

  test("a query is given the parts, content and times that it wants of a chunk", async () => {
    const { store, reader } = await open();
    const hours = [segment(1, 0), segment(1, HOUR, { points: 200 }), segment(1, 2 * HOUR)];
    await store.commit({ definitions: SERIES, segments: hours });
    const wanted = ({ start }: ChunkHead) => ({ parts: start !== HOUR, content: start !== 0 });
    const read: unknown[] = [];
    await walk(reader, [reading(2, 0, DAY, { wanted })], (view, head, { device }) => {
      const { parts, content } = wanted(head);
      read.push({
        start: head.start,
        ...(parts && { parts: view.parts(head) }),
        ...(content && view.content(head)),
        ...(content && { times: view.segment(device, head.start)?.times }),
      });
    });
    const [first, second, third] = hours.map(({ segment: { times }, chunks: [, chunk] }) => {
      const { start, parts, presence, values } = chunk ?? expect.fail("there are two");
      return { start, parts, presence, values, times };
    });
    expect(read).toEqual([
      { start: 0, parts: first?.parts },
      { start: HOUR, presence: second?.presence, values: second?.values, times: second?.times },
      third,
    ]);
  });

  test("a query that looks back is given the last two chunks that start before its range", async () => {
    const { store, reader } = await open();
    const hours = Array.from({ length: 4 }, (_, i) => segment(1, i * HOUR));
    await store.commit({ definitions: SERIES, segments: hours });
    const wanted = ({ start }: ChunkHead) => ({ parts: false, content: start === 2 * HOUR });
    const look = async (from: number) => {
      const reads = reading(1, from, DAY, { lookBack: 0, wanted });
      return await reader.open([reads]).view((view) =>
        view.lastChunks(reads).map((head) => {
          if (wanted(head).content) expect(view.content(head).values).toEqual(hours[2]?.chunks[0]?.values);
          return head.start;
        }),
      );
    };
    expect(await look(2 * HOUR + 5)).toEqual([2 * HOUR, HOUR]);
    expect(await look(2 * HOUR)).toEqual([HOUR, 0]);
    expect(await look(HOUR)).toEqual([0]);
    expect(await look(0)).toEqual([]);
  });

  test("a later view sees what was stored after the one before", async () => {
    const { store, reader } = await open();
    await store.commit({ definitions: SERIES, segments: [segment(1, 0)] });
    const reads = reading(1, 0, DAY, { wanted: () => ({ parts: false, content: true }) });
    const opened = reader.open([reads]);
    const read = (view: ChunkView) => {
      const [head] = view.nextChunks(reads, 0) ?? [];
      return head && [head.summary.count, view.content(head).values];
    };
    const one = segment(1, 0, { points: 5 });
    expect((await opened.view(read))?.[0]).toBe(90);
    await store.commit({ segments: [one] });
    expect(await opened.view(read)).toEqual([5, one.chunks[0]?.values]);
  });

  test("chunks of ranges are counted, with the rows that the series of their device share", async () => {
    const { store, reader } = await open();
    const times = [0, 1_000, 2_000];
    const columns = new Map([
      [1, column("number", times)],
      [2, column("number", times.slice(1))],
    ]);
    const shared = encodeSegment({ device: 1, start: 0, span: HOUR }, columns);
    await store.commit({ definitions: SERIES, segments: [shared, segment(1, HOUR)] });
    const counts = await reader.counts([
      { device: 1, series: 2, from: HOUR - 1, to: HOUR + 1 },
      { device: 1, series: 1, from: HOUR, to: DAY },
      { device: 2, series: 4, from: 0, to: DAY },
    ]);
    const next = { start: HOUR, span: HOUR, count: 90, rows: 90 };
    expect(counts).toEqual([[{ start: 0, span: HOUR, count: 2, rows: 3 }, next], [next], []]);
    expect(await reader.counts([])).toEqual([]);
  });

  test("small chunks come whole, with the times that they need, and not beyond the limits", async () => {
    const { store, reader } = await open();
    const dense = Array.from({ length: 90 }, (_, i) => HOUR + i * 1_000);
    const columns = new Map([
      [1, column("number", dense)],
      [3, column("text", [HOUR])],
    ]);
    const mixed = encodeSegment({ device: 1, start: HOUR, span: HOUR }, columns);
    await store.commit({ definitions: SERIES, segments: [segment(1, 0), mixed] });
    const ask = (series: number, limits: Partial<Parameters<ChunkReader["smallChunks"]>[1]> = {}) =>
      reader.smallChunks(
        { device: 1, series, from: HOUR - 1, to: DAY },
        { chunks: 8, points: 2_000, bytes: 32_768, ...limits },
      );
    const numbers = await ask(1);
    expect(numbers?.map(({ count, segment: place }) => [count, place?.rows])).toEqual([
      [90, 90],
      [90, 90],
    ]);
    const [, second] = numbers ?? [];
    const { presence, values } = mixed.chunks[0] ?? {};
    expect([second?.presence, second?.values, second?.segment?.times]).toEqual([presence, values, mixed.segment.times]);
    expect((await ask(3))?.map(({ count, segment: place }) => [count, place])).toEqual([[1, undefined]]);
    expect(await ask(4)).toEqual([]);
    expect(await ask(1, { chunks: 1 })).toBeUndefined();
    expect(await ask(1, { points: 179 })).toBeUndefined();
    expect(await ask(1, { bytes: 10 })).toBeUndefined();
    expect(await ask(1, { chunks: 2, points: 180 })).toHaveLength(2);
  });

  test("a scrub of a healthy store finds nothing", async () => {
    const { store } = await open();
    await store.commit({ definitions: SERIES, segments: [segment(1, 0), segment(1, HOUR)] });
    for (let i = 0; i < 5; i++) await store.scrub();
    expect(await store.findSegments(1, 0, DAY)).toHaveLength(2);
  });

  test("what is closed refuses", async () => {
    const { store, reader, reopen } = await open();
    await store.commit({ definitions: SERIES });
    const next = await reopen();
    const late = [
      async () => await store.commit({ segments: [segment(1, 0)] }),
      async () => await reader.counts([{ device: 1, series: 1, from: 0, to: 1 }]),
      async () => await reader.open([reading(1, 0, 1)]).view(() => 0),
    ];
    for (const call of late) await expect(call()).rejects.toThrow();
    expect(await next.store.findSegments(1, 0, DAY)).toEqual([]);
    expect(await next.store.definitions(noDamage)).toHaveLength(SERIES.length);
  });
}
