// What every telemetry store promises, whatever keeps its points. Answers are held against a naive reference.
import { expect, test } from "vitest";
import { AppError } from "#core/app-error.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { CALENDAR_UNITS, SHORTEST_MS } from "#core/time/calendar.ts";
import { instant } from "#core/time/instant.ts";
import type { DropChoice, SeriesRequest, TelemetryPoints, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { answerNaively, type Points } from "../support/naive-answer.ts";
import { randomFrom } from "../support/random.ts";
import { readCsv, readValuesAsCsv } from "../support/read-csv.ts";
import { roundsOf } from "../support/rounds.ts";

export interface OpenedStore {
  readonly store: TelemetryStore;
  /** Closes it and opens what it left. */
  reopen(): Promise<TelemetryStore>;
}

type Value = number | boolean | string;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Attributes and what kind their values are of. */
const KINDS = { power: "number", energy: "number", on: "boolean", status: "text" } as const;
type Attribute = keyof typeof KINDS;
const ATTRIBUTES = Object.keys(KINDS) as readonly Attribute[];
/** Of random writes and queries; some of them settle, and the fifth one opens the store again. */
const ROUNDS = roundsOf("random writes of a telemetry store");

const message = (deviceId: string, at: number, values: Readonly<Record<string, Value>>): TelemetryPoints => ({
  deviceId,
  at: instant(at),
  values: new Map(Object.entries(values)),
});

interface Asked {
  readonly from?: number;
  readonly to?: number;
  readonly device?: string;
  readonly attribute?: Attribute;
  readonly aggregation?: ResolvedAggregation;
  readonly granularityMs?: number;
  readonly lookAroundMs?: number | undefined;
}

function request({ from = 0, to = DAY, device = "a", attribute = "power", ...rest }: Asked = {}): SeriesRequest {
  const settings = { aggregation: "last", granularityMs: 60_000, lookAroundMs: undefined, ...rest } as const;
  return {
    requester: "test",
    from: instant(from),
    to: instant(to),
    items: [{ deviceId: device, attribute, kind: KINDS[attribute], ...settings }],
  };
}

/** Values and bytes are the same answer. */
async function read(store: TelemetryStore, asked: SeriesRequest): Promise<string> {
  const text = await readCsv(store, asked);
  expect(await readValuesAsCsv(store, asked)).toBe(text);
  return text;
}

/** What was written, for the reference: a number for each device and attribute. */
class Written {
  readonly points: Points = new Map();
  readonly #numbers = new Map<string, number>();

  number(deviceId: string, attribute: string): number {
    const key = `${deviceId} ${attribute}`;
    const known = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, known);
    return known;
  }

  add({ deviceId, at, values }: TelemetryPoints): void {
    for (const [attribute, value] of values) {
      const series = this.number(deviceId, attribute);
      this.points.set(series, (this.points.get(series) ?? new Map()).set(at, value));
    }
  }

  answer({ from, to, items }: SeriesRequest): string {
    const numbered = items.map((item) => ({ ...item, device: 0, series: this.number(item.deviceId, item.attribute) }));
    return answerNaively(this.points, { from, to, items: numbered });
  }
}

export function telemetryStoreContract(open: () => Promise<OpenedStore>): void {
  test("what was appended is read at once, by query and as latest", async () => {
    const { store } = await open();
    await store.append([message("a", 1_000, { power: 1.5, on: true, status: "x" }), message("a", 2_000, { power: 2 })]);
    expect(store.latest("a")).toEqual(await store.current("a"));
    expect(await store.current("a")).toEqual(
      new Map<string, object>([
        ["power", { at: 2_000, value: 2 }],
        ["on", { at: 1_000, value: true }],
        ["status", { at: 1_000, value: "x" }],
      ]),
    );
    expect(await read(store, request({ granularityMs: 1_000 }))).toBe("1,1.5\n2,2\n");
    expect(await read(store, request({ attribute: "on" }))).toBe("0,true\n");
    expect(await read(store, request({ attribute: "status" }))).toBe("0,x\n");
  });

  test("a device or attribute that never sent anything has no rows and no latest", async () => {
    const { store } = await open();
    await store.append([message("a", 1_000, { power: 1 })]);
    expect(await read(store, request({ device: "nobody" }))).toBe("");
    expect(await read(store, request({ attribute: "energy" }))).toBe("");
    expect(await store.current("nobody")).toEqual(new Map());
  });

  test("ids and names of the language's own are ordinary ones", async () => {
    const { store } = await open();
    await store.append([message("__proto__", 1_000, Object.assign(Object.create(null), { constructor: 7 }))]);
    expect((await store.current("__proto__")).get("constructor")).toEqual({ at: 1_000, value: 7 });
    expect(await store.current("constructor")).toEqual(new Map());
  });

  test("the later write of the same time wins; an older time does not become the latest", async () => {
    const { store, reopen } = await open();
    await store.append([message("a", 5_000, { power: 1 }), message("a", 5_000, { power: 2 })]);
    await store.append([message("a", 5_000, { power: 3 })]);
    await store.append([message("a", 4_000, { power: 9 })]);
    for (const open of [async () => store, reopen]) {
      const one = await open();
      expect((await one.current("a")).get("power")).toEqual({ at: 5_000, value: 3 });
      expect(await read(one, request({ granularityMs: 1_000 }))).toBe("4,9\n5,3\n");
    }
  });

  test("what was appended is there after a reopen, sealed or not", async () => {
    const { store, reopen } = await open();
    await store.append([message("a", 1_000, { power: 1 }), message("b", 2 * HOUR, { status: "ä\n" })]);
    await store.settle(instant(HOUR + DAY / 24));
    await store.append([message("a", 5 * HOUR, { power: 2 })]);
    const next = await reopen();
    expect(await read(next, request({ granularityMs: HOUR }))).toBe("0,1\n18000,2\n");
    expect(await read(next, request({ device: "b", attribute: "status" }))).toBe('7200,"ä\n"\n');
    expect((await next.current("a")).get("power")).toEqual({ at: 5 * HOUR, value: 2 });
    expect((await next.current("b")).get("status")).toEqual({ at: 2 * HOUR, value: "ä\n" });
  });

  test("sealing, joining days and late points change no answer", async () => {
    const { store, reopen } = await open();
    const written = new Written();
    let current = store;
    for (let round = 0; round < 4; round++) {
      const messages = Array.from({ length: 300 }, (_, i) =>
        message("a", i * 10 * 60_000 + round, { power: i + round, on: i % 7 === round }),
      );
      for (const one of messages) written.add(one);
      await current.append(messages);
      await current.settle(instant((round + 1) * DAY));
      if (round === 2) current = await reopen();
      for (const granularityMs of [60_000, HOUR, DAY, 7 * DAY]) {
        for (const attribute of ["power", "on"] as const) {
          const asked = request({ attribute, to: 3 * DAY, granularityMs, lookAroundMs: 0 });
          expect(await read(current, asked)).toBe(written.answer(asked));
        }
      }
    }
  });

  test("queries while points are written, sealed and joined see every acknowledged point, once", async () => {
    const { store } = await open();
    let acknowledged = 0;
    const write = async () => {
      for (let i = 0; i < 400; i++) {
        const messages = Array.from({ length: 10 }, (_, k) => message("a", (i * 10 + k) * 30_000, { energy: 1 }));
        await store.append(messages);
        acknowledged = (i + 1) * 10;
        if (i % 50 === 49) void store.settle(instant(i * 300_000));
      }
    };
    const writing = write();
    let isWriting = true;
    void writing.finally(() => {
      isWriting = false;
    });
    const asked = request({ attribute: "energy", to: 10 * DAY, aggregation: "count", granularityMs: 365 * DAY });
    let before = 0;
    for (let rounds = 0; isWriting || rounds === 0; rounds++) {
      before = acknowledged;
      const count = Number((await readCsv(store, asked)).split(",")[1] ?? 0);
      expect(count).toBeGreaterThanOrEqual(before);
      expect(count).toBeLessThanOrEqual(acknowledged + 10);
    }
    await writing;
    expect(await read(store, asked)).toBe("0,4000\n");
  });

  test("what is loaded in one go is read like what was appended, and is the later write", async () => {
    const { store, reopen } = await open();
    const column = (attribute: Attribute, times: readonly number[], values: readonly Value[]) => ({
      attribute,
      kind: KINDS[attribute],
      count: times.length,
      times: Float64Array.from(times),
      values:
        KINDS[attribute] === "text"
          ? values.map(String)
          : KINDS[attribute] === "number"
            ? Float64Array.from(values, Number)
            : Uint8Array.from(values, Number),
    });
    await store.append([message("a", 60_000, { power: 1 }), message("a", 5 * HOUR, { power: 2 })]);
    await store.load("a", [
      column("power", [7 * HOUR, 60_000, 120_000, 60_000], [9, 3, 4, 5]),
      column("on", [60_000], [true]),
      column("status", [0, 60_000], ["x", "y"]),
    ]);
    await store.load("a", []);
    await store.append([message("a", 120_000, { power: 6 })]);
    for (const open of [async () => store, reopen]) {
      const one = await open();
      expect(await read(one, request())).toBe("60,5\n120,6\n18000,2\n25200,9\n");
      expect(await read(one, request({ attribute: "on" }))).toBe("60,true\n");
      expect(await read(one, request({ attribute: "status" }))).toBe("0,x\n60,y\n");
      expect((await one.current("a")).get("power")).toEqual({ at: 7 * HOUR, value: 9 });
      expect((await one.current("a")).get("status")).toEqual({ at: 60_000, value: "y" });
    }
  });

  test("a deleted device is gone, also after a reopen, and may begin anew", async () => {
    const { store, reopen } = await open();
    await store.append([message("a", 1_000, { power: 1 }), message("b", 1_000, { power: 2 })]);
    await store.settle(instant(DAY));
    void store.append([message("a", 2 * HOUR, { power: 3 })]);
    await store.deleteDevice("a");
    await store.deleteDevice("never was");
    for (const open of [async () => store, reopen]) {
      const one = await open();
      expect(await one.current("a")).toEqual(new Map());
      expect(await read(one, request())).toBe("");
      expect(await read(one, request({ device: "b" }))).toBe("0,2\n");
      await one.append([message("a", 3 * HOUR, { power: 4 })]);
      expect(await read(one, request())).toBe("10800,4\n");
      await one.deleteDevice("a");
    }
  });

  test("dropping takes whole pieces that ended before, of the named attributes or of all", async () => {
    const { store, reopen } = await open();
    for (let day = 0; day < 4; day++) {
      await store.append([
        message("a", day * DAY + HOUR, { power: day, energy: day }),
        message("b", day * DAY, { power: 9 }),
      ]);
    }
    await store.settle(instant(10 * DAY));
    const rows = (one: TelemetryStore, attribute: Attribute, device = "a") =>
      read(one, request({ device, attribute, to: 9 * DAY, granularityMs: DAY }));
    expect(await dropAll(store, { only: ["power"] }, 2 * DAY + 1)).toBe(2);
    expect(await rows(store, "power")).toBe("172800,2\n259200,3\n");
    expect(await rows(store, "energy")).toBe("0,0\n86400,1\n172800,2\n259200,3\n");
    expect(await dropAll(store, { except: [] }, 3 * DAY)).toBeGreaterThan(0);
    const next = await reopen();
    expect(await rows(next, "power")).toBe("259200,3\n");
    expect(await rows(next, "energy")).toBe("259200,3\n");
    expect(await rows(next, "power", "b")).toBe("0,9\n86400,9\n172800,9\n259200,9\n");
    expect((await next.current("a")).get("power")).toEqual({ at: 3 * DAY + HOUR, value: 3 });
    expect(await dropAll(next, { except: ["energy"] }, 3 * DAY)).toBe(0);
  });

  test("an answer that nobody reads to its end frees its place", async () => {
    const { store } = await open();
    await store.append([message("a", 0, { power: 1 })]);
    const long = request({ to: 30 * DAY, granularityMs: 1_000, lookAroundMs: 0 });
    for (let i = 0; i < 200; i++) {
      const rows = await store.query(long);
      if (i % 2 === 0) await rows.next();
      await rows.return?.();
    }
    expect(await read(store, request())).toBe("0,1\n");
  });

  test("too many answers at once are refused, not kept waiting", async () => {
    const { store } = await open();
    await store.append([message("a", 0, { power: 1 })]);
    const long = request({ to: 30 * DAY, granularityMs: 1_000, lookAroundMs: 0 });
    const running: Awaited<ReturnType<typeof store.query>>[] = [];
    const fill = async () => {
      for (;;) running.push(await store.query(long));
    };
    await expect(fill()).rejects.toMatchObject({ code: "overloaded" });
    for (const rows of running) await rows.return?.();
    expect(await read(store, request())).toBe("0,1\n");
  });

  test("the bound of rows is never below the rows, and near them where points are few", async () => {
    const { store } = await open();
    const messages = Array.from({ length: 100 }, (_, i) => message("a", i * HOUR, { power: i }));
    await store.append(messages);
    for (const isSealed of [false, true]) {
      if (isSealed) await store.settle(instant(100 * DAY));
      for (const granularityMs of [1, 1_000, HOUR, DAY, 365 * DAY]) {
        const asked = request({ from: -1e12, to: 1e12, granularityMs });
        const rows = (await read(store, asked)).split("\n").length - 1;
        const bound = await store.rowBound(asked);
        // A point that is being sealed while it is counted may count twice.
        expect([granularityMs, bound >= rows, bound <= 200]).toEqual([granularityMs, true, true]);
      }
    }
    expect(await store.rowBound(request({ to: 500_000, granularityMs: 1, lookAroundMs: 0 }))).toBe(500_000);
    expect(await store.rowBound(request({ device: "nobody", granularityMs: 1, lookAroundMs: 0 }))).toBe(0);
    const [seconds] = request({ to: 10_000, granularityMs: 1_000, lookAroundMs: 0 }).items;
    const [minutes] = request({ granularityMs: 5_000, lookAroundMs: 0 }).items;
    if (seconds === undefined || minutes === undefined) throw new Error("no items");
    const both = { requester: "test", from: instant(0), to: instant(10_000), items: [seconds, minutes] };
    expect(await store.rowBound(both), "five seconds add no rows to seconds").toBe(10);
  });

  test("in the bound of rows the columns of a device that were sent together share theirs", async () => {
    const { store } = await open();
    const messages = Array.from({ length: 300 }, (_, i) =>
      message("a", i * 60_000, { power: i, energy: i, status: "x", ...(i < 10 && { on: true }) }),
    );
    await store.append([...messages, message("b", 30_000, { power: 1 })]);
    const asked = {
      ...request({ granularityMs: 1 }),
      items: ATTRIBUTES.flatMap((attribute) => request({ attribute, granularityMs: 1 }).items),
    };
    const other = request({ device: "b", granularityMs: 1 }).items;
    await store.settle(instant(100 * DAY));
    expect(await store.rowBound(asked)).toBe(300);
    expect(await store.rowBound({ ...asked, items: [...asked.items, ...other] })).toBe(301);
  });

  test("random queries on random points give what the reference gives", async () => {
    const { store, reopen } = await open();
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? 7);
    const random = randomFrom(seed);
    const whole = (most: number) => Math.floor(random() * most);
    const pick = <Item>(items: readonly Item[]) => items[whole(items.length)] as Item;
    const value = (attribute: Attribute): Value => {
      if (attribute === "on") return random() < 0.5;
      if (attribute === "status") return pick(["idle", "a,b", ""]);
      return pick([whole(1_000), whole(1_000) / 10, random()]);
    };
    const written = new Written();
    let current = store;
    for (let round = 0; round < ROUNDS; round++) {
      const messages = Array.from({ length: 200 }, () => {
        const chosen = ATTRIBUTES.filter(() => random() < 0.7);
        return message(
          pick(["a", "b"]),
          whole(2_000) * 90_000,
          Object.fromEntries(chosen.map((one) => [one, value(one)])),
        );
      });
      for (const one of messages) written.add(one);
      await Promise.all([0, 50, 100, 150].map((at) => current.append(messages.slice(at, at + 50))));
      if (round % 3 === 1) await current.settle(instant(whole(3 * DAY)));
      if (round % 5 === 4) current = await reopen();
      for (let i = 0; i < 20; i++) {
        const from = whole(2 * DAY) - HOUR;
        const items = Array.from({ length: 1 + whole(4) }, () => {
          const attribute = pick(ATTRIBUTES);
          const kind = KINDS[attribute];
          const allowed =
            kind === "number"
              ? (["avg", "min", "max", "sum", "last", "delta", "integral"] as const)
              : (["last", "first"] as const);
          const timezone = pick(["Europe/Berlin", "Asia/Kolkata", "Pacific/Apia"]);
          const unit = pick(CALENDAR_UNITS);
          return {
            deviceId: pick(["a", "b"]),
            attribute,
            kind,
            aggregation: pick<ResolvedAggregation>([...allowed, "count"]),
            ...pick([
              ...[90_000, HOUR, DAY].map((granularityMs) => ({ granularityMs })),
              { granularityMs: SHORTEST_MS[unit], calendar: { unit, timezone } },
            ]),
            lookAroundMs: pick([undefined, 0, HOUR, DAY]),
          };
        });
        const asked = { requester: "test", from: instant(from), to: instant(from + 1 + whole(DAY)), items };
        expect(await read(current, asked), `seed ${seed}, round ${round}, query ${i}`).toBe(written.answer(asked));
      }
    }
  });

  test("packed points are the same in another place, whether they are sealed or not", async () => {
    const { store, reopen } = await open();
    const random = randomFrom(7);
    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at += 10 * 60_000 + Math.floor(random() * 5_000)) {
        const values: Record<string, Value> = { power: Math.round(random() * 100) / 10, on: random() < 0.5 };
        if (random() < 0.1) values["status"] = random() < 0.5 ? "busy" : "idle";
        await store.append([message("a", at, values)]);
      }
    };
    expect(await store.pack("a", instant(0), instant(DAY))).toEqual([]);
    expect(await store.newestBefore("a", instant(DAY))).toBeUndefined();
    await write(0, DAY);
    await store.settle(instant(3 * DAY));
    // Some of them replace sealed ones.
    await write(20 * HOUR, DAY + 5 * HOUR);
    const newest = async (before: number) => await store.newestBefore("a", instant(before));
    // The first day is joined. Its last hours and those after it are open, unless they were joined meanwhile.
    expect([await newest(1), await newest(0)]).toEqual([0, undefined]);
    expect([DAY + 4 * HOUR, DAY]).toContain(await newest(9 * DAY));
    expect([23 * HOUR, 0]).toContain(await newest(DAY));
    const pieces = await store.pack("a", instant(0), instant(2 * DAY));
    // Twice: whatever comes again changes nothing.
    for (const piece of [...pieces, ...pieces]) expect(await store.loadPacked("copy", piece)).toBeGreaterThan(0);
    const same = async (one: TelemetryStore) => {
      for (const attribute of ["power", "on", "status"] as const) {
        const asked = { attribute, to: 2 * DAY, granularityMs: 1 };
        expect(await read(one, request({ ...asked, device: "copy" }))).toBe(await read(one, request(asked)));
      }
      expect(await one.current("copy")).toEqual(await one.current("a"));
    };
    await same(store);
    await same(await reopen());
  });

  test("attributes that whoever loads packed points refuses are left out, and the others are stored", async () => {
    const { store } = await open();
    await store.append([message("a", 0, { power: 1, on: true, status: "x" })]);
    expect((await store.attributes(["a", "nobody"])).get("a")?.toSorted()).toEqual(["on", "power", "status"]);
    const [piece = new Uint8Array()] = await store.pack("a", instant(0), instant(HOUR));
    const asked: string[] = [];
    const refused = async (names: readonly string[]) => {
      asked.push(...names);
      return new Set(["on"]);
    };
    expect(await store.loadPacked("b", piece, refused)).toBe(2);
    expect(asked.toSorted()).toEqual(["on", "power", "status"]);
    expect([...(await store.current("b")).keys()].toSorted()).toEqual(["power", "status"]);
    expect((await store.attributes(["b"])).get("b")?.toSorted()).toEqual(["power", "status"]);
  });

  test("packed points that cannot be read are refused, and nothing of them is stored", async () => {
    const { store } = await open();
    await store.append(Array.from({ length: 50 }, (_, i) => message("a", i * 1_000, { power: i / 7, on: i % 3 > 0 })));
    const [piece = new Uint8Array()] = await store.pack("a", instant(0), instant(HOUR));
    for (const cut of [0, 1, 5, piece.length - 1]) {
      await expect(store.loadPacked("b", piece.slice(0, cut))).rejects.toMatchObject({ code: "invalid_body" });
    }
    expect(await store.query(request({ device: "b" })).then((rows) => rows.next())).toBeDefined();
    expect(await store.current("b")).toEqual(new Map());
    const random = randomFrom(3);
    for (let round = 0; round < 100; round++) {
      const changed = piece.slice();
      changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
      const outcome = await store.loadPacked("c", changed).catch((error: unknown) => error);
      if (typeof outcome !== "number") expect(outcome).toMatchObject({ code: "invalid_body" });
    }
  });

  test("a closed store refuses, and does not hang", async () => {
    const { store } = await open();
    await store.close();
    await expect(store.append([message("a", 0, { power: 1 })])).rejects.toBeInstanceOf(AppError);
    await expect(store.query(request())).rejects.toBeInstanceOf(AppError);
  });
}

async function dropAll(store: TelemetryStore, attributes: DropChoice, before: number): Promise<number> {
  let all = 0;
  for (;;) {
    const dropped = await store.drop("a", attributes, instant(before));
    if (dropped === 0) return all;
    all += dropped;
  }
}
