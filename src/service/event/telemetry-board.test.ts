import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { selectsPlace } from "#core/event/event-filter.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import { parseChoice } from "#service/event/event-choice-wire.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";
import { createTelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { callBy } from "../../../test/support/calls.ts";
import { createTelemetryBoard, type TelemetryReader } from "./telemetry-board.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Listener {
  readonly level?: AccessLevel;
  readonly sites?: SiteScope;
  readonly chosen?: { readonly "site_id.in"?: readonly string[]; readonly "device_id.in"?: readonly string[] };
}

function openBoard(bytes = 1_000_000) {
  const [feed, budget] = [createTelemetryFeed(), createByteBudget("live_telemetry", bytes)];
  const board = createTelemetryBoard(feed, budget);
  return {
    feed,
    budget,
    open({ level = "readonly", sites = "all", chosen = {} }: Listener = {}) {
      const { caller } = callBy(level, sites);
      const all = { "kind.in": undefined, "site_id.in": undefined, "device_id.in": undefined };
      const filter = parseChoice(caller, { ...all, ...chosen });
      const wants = (siteId: string, deviceId: string) => selectsPlace(filter, siteId, deviceId);
      return board.open({ levelAt: () => level, wants, onNews: () => {} });
    },
    /** `s1/d1@5 power=1 key:vendor=2` is news of device d1 on site s1 at 5. All of it comes in one round. */
    round(news: string) {
      for (const text of news.split(";")) {
        const [, siteId = "", deviceId = "", at, values = ""] = /^ *(\w+)\/(\w+)@(\d+) (.*)$/.exec(text) ?? [];
        const parsed = values.split(" ").map((one): [Attribute, string] => {
          const [, id = "", accessLevel = "readonly", value = ""] = /^(\w+)(?::(\w+))?=(\w+)$/.exec(one) ?? [];
          return [{ id, accessLevel: accessLevel as AccessLevel, type: "string", enum: undefined }, value];
        });
        feed.publish({ siteId, deviceId, at: instant(Number(at) * 1_000), values: new Map(parsed) });
      }
      vi.advanceTimersByTime(250);
    },
  };
}

/** All there is to read, in the notation of the news, at most so many events. */
function read(reader: TelemetryReader, most = Number.POSITIVE_INFINITY): string {
  const taken: string[] = [];
  while (taken.length < most) {
    const text = reader.take()?.toString();
    if (text === undefined) break;
    const { site_id, device_id, telemetry } = JSON.parse(/^event: telemetry\ndata: (.*)\n\n$/.exec(text)?.[1] ?? "");
    const values = Object.entries<{ value: string; timestamp: number }>(telemetry);
    taken.push(`${site_id}/${device_id} ${values.map(([id, one]) => `${id}=${one.value}@${one.timestamp}`).join(" ")}`);
  }
  return taken.join("; ");
}

test.each<[string, string, Listener, string]>([
  ["all values of a device are one event", "s/d@1 a=1 b=2", {}, "s/d a=1@1 b=2@1"],
  ["the newest value replaces the one before", "s/d@1 a=1; s/d@2 a=2", {}, "s/d a=2@2"],
  ["an attribute that is not in it stays", "s/d@1 a=1; s/d@2 b=2", {}, "s/d a=1@1 b=2@2"],
  ["an older value replaces nothing", "s/d@2 a=2; s/d@1 a=1", {}, "s/d a=2@2"],
  ["of the same time the later one counts", "s/d@2 a=2; s/d@2 a=3", {}, "s/d a=3@2"],
  ["devices in the order of their first news", "s/d@1 a=1; s/e@1 a=1; s/d@2 a=2", {}, "s/d a=2@2; s/e a=1@1"],
  ["attributes above the level are left out", "s/d@1 a=1 b:owner=2", { level: "user" }, "s/d a=1@1"],
  ["and sent from the level on", "s/d@1 a=1 b:owner=2", { level: "owner" }, "s/d a=1@1 b=2@1"],
  ["nothing to send is no event", "s/d@1 b:owner=2", { level: "user" }, ""],
  ["other sites are left out", "s/d@1 a=1; t/e@1 a=1", { sites: new Set(["t"]) }, "t/e a=1@1"],
  ["sites can be chosen", "s/d@1 a=1; t/e@1 a=1", { chosen: { "site_id.in": ["s"] } }, "s/d a=1@1"],
  ["devices can be chosen", "s/d@1 a=1; s/e@1 a=1", { chosen: { "device_id.in": ["e"] } }, "s/e a=1@1"],
])("%s", (_title, news, listener, expected) => {
  const { open, round } = openBoard();
  const reader = open(listener);
  round(news);
  expect(read(reader)).toBe(expected);
  expect(read(reader)).toBe("");
});

test("each round sends what is new in it, whoever else has read or not", () => {
  const { open, round } = openBoard();
  const [quick, slow] = [open(), open()];
  round("s/d@1 a=1 b=1; s/e@1 a=1");
  expect(read(quick)).toBe("s/d a=1@1 b=1@1; s/e a=1@1");
  round("s/d@2 a=2");
  expect(read(quick)).toBe("s/d a=2@2");
  round("s/e@3 b=3; s/d@1 a=0");
  expect(read(quick)).toBe("s/e b=3@3");
  expect(read(slow)).toBe("s/e a=1@1 b=3@3; s/d a=2@2 b=1@1");
  round("s/d@4 b=4");
  expect([read(quick), read(slow)]).toEqual(["s/d b=4@4", "s/d b=4@4"]);
});

test("who begins later does not get what was before", () => {
  const { open, round } = openBoard();
  const first = open();
  round("s/d@1 a=1");
  const second = open();
  round("s/d@2 b=2");
  expect([read(first), read(second)]).toEqual(["s/d a=1@1 b=2@2", "s/d b=2@2"]);
});

test("a listener that stops in the middle misses nothing of what changes meanwhile", () => {
  const { open, round } = openBoard();
  const reader = open();
  round("s/d@1 a=1; s/e@1 a=1; s/f@1 a=1");
  expect(read(reader, 1)).toBe("s/d a=1@1");
  round("s/e@2 b=2; s/d@2 b=2");
  expect(read(reader)).toBe("s/f a=1@1; s/e a=1@1 b=2@2; s/d b=2@2");
});

test("one text serves all who have read what came before, of each level one", () => {
  const { open, round } = openBoard();
  const readers = [open(), open({ sites: new Set(["s"]) }), open({ level: "owner" })];
  round("s/d@1 a=1 b:owner=2");
  const [one, other, owner] = readers.map((reader) => reader.take());
  expect(other).toBe(one);
  expect(owner?.toString()).toContain('"b"');
  expect(one?.toString()).not.toContain('"b"');
});

test("what does not fit the budget pushes out the oldest, for a listener that has not read it", () => {
  const { open, round, budget } = openBoard(3_000);
  const [quick, slow] = [open(), open()];
  const seen: string[] = [];
  for (let n = 1; n <= 20; n++) {
    round(`s/d${n}@${n} a=${n}`);
    seen.push(read(quick));
  }
  expect(seen).toHaveLength(20);
  expect(seen[9]).toBe("s/d10 a=10@10");
  expect(budget.used()).toBeLessThanOrEqual(3_000);
  expect(read(slow)).toMatch(/^s\/d17 a=17@17; .*s\/d20 a=20@20$/);
});

test("when nobody listens nothing is watched, kept or counted", () => {
  const { open, round, budget, feed } = openBoard();
  const reader = open();
  round("s/d@1 a=1");
  expect([budget.used() > 0, feed.isWatched]).toEqual([true, true]);
  reader.close();
  expect([budget.used(), feed.isWatched, vi.getTimerCount()]).toEqual([0, false, 0]);
});

test("a round begins early when much has come", () => {
  const { open, budget, feed } = openBoard(10_000);
  const reader = open();
  const attribute = { id: "a", accessLevel: "readonly", type: "string", enum: undefined } as const;
  for (let n = 0; n < 8; n++) {
    const values = new Map([[attribute, "x".repeat(400)]]);
    feed.publish({ siteId: "s", deviceId: `d${n}`, at: instant(0), values });
  }
  expect(budget.used()).toBeGreaterThan(3_000);
  expect(read(reader).split("; ")).toHaveLength(6);
});
