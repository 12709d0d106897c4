import { expect, test } from "vitest";
import {
  buffersOf,
  formatBacklog,
  formatBytes,
  gatewayState,
  healthOf,
  historyLeft,
  readReadiness,
  sharesOf,
  siteNamesOf,
  spellName,
  summariseGateways,
} from "./system-view.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [1_600_000, "1.5 MiB"],
  [5 * 1024 ** 3, "5 GiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes, "en")).toBe(text);
});

test("what does not work comes from readiness, whatever form it has", () => {
  expect(readReadiness({ status: "ok" })).toEqual({ troubles: [], underWay: [] });
  const read = readReadiness({
    degraded: [{ part: "storage", message: "full" }],
    under_way: [{ name: "demo", percent: 40 }, 5],
  });
  expect(read.troubles).toEqual([{ part: "storage", message: "full" }]);
  expect(read.underWay[0]).toEqual({ name: "demo", percent: 40 });
  expect(healthOf(read, undefined)).toBe("degraded");
  expect(healthOf(readReadiness({}), undefined)).toBe("good");
});

test("the fullest buffer and the share with the longest queue come first", () => {
  const buffer = (name: string, used_bytes: number) => ({ name, used_bytes, limit_bytes: 100 });
  const buffers = buffersOf({ buffers: [buffer("a", 1), buffer("b", 200), buffer("c", 50)] });
  expect(buffers.map(({ name, percent }) => [name, percent])).toEqual([
    ["b", 100],
    ["c", 50],
    ["a", 1],
  ]);
  const share = (name: string, waiting: number, refused: number) => ({ name, inside: 0, waiting, refused });
  expect(sharesOf({ shares: [share("a", 0, 0), share("b", 0, 5), share("c", 1, 0)] }).map(({ name }) => name)).toEqual([
    "c",
    "b",
    "a",
  ]);
  expect(spellName("event_buffer")).toBe("event buffer");
});

test("a gateway is connected, away or revoked, and names its sites", () => {
  expect(gatewayState({ connected: true, revoked_at: null })).toBe("connected");
  expect(gatewayState({ connected: false, revoked_at: null })).toBe("away");
  expect(gatewayState({ connected: false, revoked_at: "2026-01-01T00:00:00Z" })).toBe("revoked");
  expect(siteNamesOf({ site_ids: ["s", "x"] }, [{ id: "s", name: "Yard" }])).toBe("Yard, x");
});

test("gateways are counted by version, and revoked ones are left out", () => {
  const of = (version: string, connected: boolean, revoked = false) => ({
    version,
    connected,
    revoked_at: revoked ? "2026-01-01T00:00:00Z" : null,
  });
  const gateways = [of("1", true), of("2", false), of("2", true), of("3", false, true)];
  expect(summariseGateways(gateways)).toEqual({
    all: 3,
    connected: 2,
    versions: [
      { version: "2", count: 2 },
      { version: "1", count: 1 },
    ],
  });
});

test.each([
  [0, 0, 0, 0, "none"],
  [0, 3, 0, 90, "3 messages, 90 s"],
  [0, 3, 2, 7_200, "2 hours, 7200 s"],
  [4, 0, 0, 0, "4 changes"],
  [4, 3, 0, 90, "4 changes, 3 messages, 90 s"],
])("a backlog of %d changes, %d messages and %d hours, %d s old, is %s", (changes, messages, hours, age, text) => {
  const t = {
    noBacklog: "none",
    storedHistory: "stored history",
    changesCount: (count: string) => `${count} changes`,
    messagesCount: (count: string) => `${count} messages`,
    hoursCount: (count: string) => `${count} hours`,
    backlogText: (size: string, length: string) => `${size}, ${length}`,
  };
  const words = { t, number: String, length: (ms: number) => `${ms / 1_000} s` };
  const backlog = { changes, messages, points: 0, bytes: 0, hours, age_seconds: age };
  const withHistory = { backlog: { ...backlog, history: true } } as Parameters<typeof formatBacklog>[0];
  expect(formatBacklog(withHistory, words)).toBe(text === "none" ? "stored history" : `${text}, stored history`);
  const report = { backlog } as Parameters<typeof formatBacklog>[0];
  expect(formatBacklog(report, words)).toBe(text);
  expect(formatBacklog(null, words)).toBe("");
});

test.each([
  [null, "none"],
  ["2026-01-01T00:00:00Z", { before: "2026-01-01T00:00:00Z" }],
  ["2026-01-03T00:00:00Z", "all"],
])("with history before %s to be uploaded, %j is left", (before, left) => {
  expect(historyLeft({ history_before: before }, Date.parse("2026-01-02T00:00:00Z"))).toEqual(left);
});
