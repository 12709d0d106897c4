import { expect, test } from "vitest";
import { type Instant, instant } from "#core/time/instant.ts";
import { createOfflineAccess, type OfflineAccessNeeds } from "./offline-access.ts";

const HOUR = 3_600_000;

test("a clock that is set back does not lengthen the time, and one that is set right does not shorten it", async () => {
  let [now, elapsed] = [instant(100 * HOUR), 0];
  const contactAt = now;
  const needs = {
    now: () => now,
    elapsed: () => elapsed,
    uplinks: { get: async () => ({ contactAt }) },
  } as unknown as OfflineAccessNeeds;
  // A gateway without a battery for its clock starts in 1970.
  now = instant(0);
  const access = createOfflineAccess(needs, HOUR);
  await access.load();
  expect(access.isOpen()).toBe(true);
  now = instant(100.5 * HOUR);
  expect(access.isOpen()).toBe(true);
  now = instant(101 * HOUR);
  expect(access.isOpen()).toBe(false);
  now = instant(0);
  elapsed = HOUR - 1;
  expect(access.isOpen()).toBe(true);
  elapsed = HOUR;
  expect(access.isOpen()).toBe(false);
});

test("tokens of the cloud are accepted while it is connected, and for the set time afterwards", async () => {
  let now = instant(0);
  let contactAt: Instant | undefined;
  const noteContact = async (at: Instant) => {
    contactAt = at;
  };
  const needs = {
    now: () => now,
    elapsed: () => now,
    uplinks: { get: async () => ({ contactAt }), noteContact },
    pause: async (_: number, signal: AbortSignal) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as OfflineAccessNeeds;
  const access = createOfflineAccess(needs, HOUR);
  await access.load();
  expect(access.isOpen()).toBe(false);
  const end = new AbortController();
  const connected = access.follow(end.signal);
  now = instant(5 * HOUR);
  expect(access.isOpen()).toBe(true);
  end.abort();
  await connected;
  now = instant(6 * HOUR - 1);
  expect(access.isOpen()).toBe(true);
  // After a restart, too.
  const again = createOfflineAccess(needs, HOUR);
  await again.load();
  expect(again.isOpen()).toBe(true);
  now = instant(6 * HOUR);
  expect([access.isOpen(), again.isOpen()]).toEqual([false, false]);
});
