import { expect, test } from "vitest";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import { MAX_REFUSALS, REFUSAL_WINDOW_MS } from "#core/access/refusal-limits.ts";
import { instant } from "#core/time/instant.ts";
import { createRefusalLog, type RefusedCall } from "./refusal-log.ts";

function openLog() {
  const stored = new Map<string, AuditEntry>();
  const clock = { now: 1_000, elapsed: 0, isFull: false, puts: 0 };
  let ids = 0;
  const log = createRefusalLog({
    now: () => instant(clock.now),
    elapsed: () => clock.elapsed,
    newId: () => `entry ${++ids}`,
    audit: {
      async put(entries) {
        clock.puts++;
        if (clock.isFull) throw new Error("full");
        for (const entry of entries) stored.set(entry.id, entry);
      },
    },
  });
  const rows = () => [...stored.values()].map(({ action, count }) => `${action} ${count}`);
  return { log, clock, stored, rows };
}

const caller = (tokenId: string): Caller => ({ tokenId, tokenName: tokenId, level: "readonly", sites: new Set() });
const call = (fields: Partial<RefusedCall> = {}): RefusedCall => ({
  caller: undefined,
  action: "getSite",
  target: {},
  code: "unauthorized",
  message: "no token",
  requestId: "r",
  remoteAddress: "10.0.0.5",
  ...fields,
});

test("a hundred thousand equal refusals are one entry, with the first and the last time", async () => {
  const { log, clock, stored } = openLog();
  for (let n = 0; n < 100_000; n++) {
    clock.now = 1_000 + n;
    log.note(call());
  }
  await log.flush();
  expect([...stored.values()]).toMatchObject([{ at: 1_000, lastAt: 100_999, count: 100_000, actor: undefined }]);
});

test("what differs in caller, address block, action, code or target is counted apart", async () => {
  const { log, rows } = openLog();
  const calls = [
    call(),
    call({ action: "a" }),
    call({ code: "forbidden" }),
    call({ remoteAddress: "10.0.0.6" }),
    call({ remoteAddress: "2001:db8::1" }),
    call({ remoteAddress: "2001:db8::2" }),
    call({ caller: caller("a") }),
    call({ caller: caller("b") }),
    call({ caller: caller("b"), target: { siteId: "s" } }),
    call({ caller: caller("b"), target: { deviceId: "s" } }),
  ];
  for (const one of [...calls, ...calls]) log.note(one);
  await log.flush();
  expect(rows()).toHaveLength(calls.length - 1);
  expect(rows().filter((row) => row === "getSite 4")).toHaveLength(1);
});

test("any number of addresses, actions and targets makes a bounded number of entries, and every call is counted", async () => {
  const { log, stored } = openLog();
  for (let n = 0; n < 20_000; n++) {
    log.note(call({ remoteAddress: `10.0.${n >> 8}.${n & 255}` }));
    log.note(call({ action: `action ${n}` }));
    log.note(call({ caller: caller("greedy"), target: { deviceId: `${n}` } }));
    log.note(call({ caller: caller(`token ${n}`) }));
  }
  await log.flush();
  const entries = [...stored.values()];
  expect(entries.length).toBeLessThanOrEqual(MAX_REFUSALS.all + 2);
  expect(entries.filter((entry) => entry.actor === undefined).length).toBeLessThanOrEqual(MAX_REFUSALS.anonymous + 2);
  expect(entries.filter((entry) => entry.actor?.tokenId === "greedy")).toHaveLength(MAX_REFUSALS.token + 1);
  expect(entries.reduce((sum, entry) => sum + entry.count, 0)).toBe(80_000);
});

test("one address that tries everything leaves room for another", async () => {
  const { log, stored } = openLog();
  for (let n = 0; n < 1_000; n++) log.note(call({ action: `action ${n}` }));
  log.note(call({ remoteAddress: "10.0.0.6" }));
  await log.flush();
  expect([...stored.values()].at(-1)).toMatchObject({ remoteAddress: "10.0.0.6", action: "getSite", count: 1 });
});

test("only what changed is stored again, and a new window begins new entries", async () => {
  const { log, clock, rows } = openLog();
  log.note(call());
  log.note(call({ action: "other" }));
  await log.flush();
  log.note(call());
  await log.flush();
  await log.flush();
  expect([rows(), clock.puts]).toEqual([["getSite 2", "other 1"], 2]);
  clock.elapsed = REFUSAL_WINDOW_MS;
  log.note(call());
  await log.flush();
  log.note(call());
  await log.flush();
  expect(rows()).toEqual(["getSite 3", "other 1", "getSite 1"]);
});

test("a count that could not be stored is stored later", async () => {
  const { log, clock, rows } = openLog();
  clock.isFull = true;
  log.note(call());
  await expect(log.flush()).rejects.toThrow("full");
  log.note(call());
  clock.isFull = false;
  await log.flush();
  expect(rows()).toEqual(["getSite 2"]);
});
