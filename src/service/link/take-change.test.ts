import { expect, test } from "vitest";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import type { AskedChange } from "#core/link/asked-change.ts";
import { instant } from "#core/time/instant.ts";
import type { Call } from "#service/ports.ts";
import { NO_RULES } from "../../../test/support/no-rules.ts";
import { LineLost, type TakeChangeNeeds, takeChange } from "./take-change.ts";

const CHANGE: AskedChange = {
  id: "c",
  operation: "updateDevice",
  siteId: "s",
  deviceId: "d",
  params: { device_id: "d" },
  body: { name: "new" },
  blueprintDigest: undefined,
  base: { name: "old" },
  asker: { tokenId: "t", tokenName: "Ada", level: "owner", sites: ["s"] },
  requestId: "r",
};

const CARRIED: Readonly<Record<string, object>> = {
  updateDevice: { waits: true, compares: "device" },
  assignBlueprint: { waits: true, compares: "blueprint" },
  claimControl: { waits: true, compares: "controls", lease: async () => 60_000 },
  deleteDevice: { waits: false, compares: "nothing" },
  provisionStandalone: { waits: false, compares: "nothing" },
};

/** A gateway with the device `d`. Its operations are noted, and store their audit entry like real ones. */
function gateway(run: () => object = () => ({ device: {} }), cloudNow: () => number | undefined = () => 0) {
  const calls: Call[] = [];
  const entries = new Map<string, AuditEntry>();
  const needs = {
    now: () => instant(0),
    newId: () => "new",
    log: { warn: () => {} },
    audit: {
      find: async (id: string) => entries.get(id),
      append: async ([entry]: AuditEntry[]) => void (entry && entries.set(entry.id, entry)),
    },
    devices: { find: async () => ({ id: "d", siteId: "s", name: "old" }) },
    corrections: { ofDevices: async () => new Map() },
    tariffs: { find: async () => undefined, priceDays: async () => [] },
    priceSources: { ofSite: async () => [] },
    controls: { load: async () => ({ claims: [], states: [] }) },
    interlocks: { ofSite: async () => [] },
    rules: NO_RULES,
    blueprints: { findByDigest: async () => undefined, find: async () => undefined },
    operations: {
      carried: async (name: string) => CARRIED[name],
      perform: async (call: Call) => {
        calls.push(call);
        const answer = run();
        entries.set("c", {
          id: "c",
          outcome: "OK",
          target: { deviceId: "made" },
          details: {},
        } as unknown as AuditEntry);
        return answer;
      },
    },
  } as unknown as TakeChangeNeeds;
  const take = (change: AskedChange = CHANGE, isLate = false) =>
    takeChange(needs, { change, isLate, fetchPackage: () => Promise.reject(new LineLost("cut")), cloudNow });
  return { take, calls, entries };
}

test("a change is made as the one who asked for it, and its outcome is sent again when it comes again", async () => {
  const { take, calls } = gateway();
  const { outcome, items } = await take();
  expect(outcome).toEqual({ state: "DONE", answer: { device: {} } });
  expect(items).toMatchObject([{ kind: "device", key: "d", value: { name: "old" } }]);
  expect(calls).toMatchObject([{ auditId: "c", caller: { tokenName: "Ada", level: "owner", sites: new Set(["s"]) } }]);
  expect((await take()).outcome).toEqual({ state: "DONE", answer: undefined });
  expect(calls).toHaveLength(1);
});

const CLAIM = { ...CHANGE, operation: "claimControl", base: {}, leaseUntil: instant(1_000_000) } as const;

test.each([
  ["what is left of it", 940_000, 60_000],
  ["a moment", 999_999, 1],
])("the lease of a claim that waited is %s, by the clock of the cloud", async (_, cloudNow, left) => {
  const { take, calls } = gateway(undefined, () => cloudNow);
  const { outcome, items } = await take(CLAIM, true);
  expect(outcome.state).toBe("DONE");
  expect(calls).toMatchObject([{ leaseUntil: left }]);
  expect(items.map(({ kind }) => kind)).toEqual(["device", "controls"]);
});

test.each([
  ["whose lease is over", CLAIM, 1_000_000, "the lease was over"],
  ["without an end", { ...CLAIM, leaseUntil: undefined }, 0, "when its lease ends"],
  ["of a cloud that does not say what time it is", CLAIM, undefined, "when its lease ends"],
])("a claim %s is dropped, and says so each time", async (_, change, cloudNow, message) => {
  const { take, calls } = gateway(undefined, () => cloudNow);
  for (const isLate of [false, true]) {
    const { outcome } = await take(change, isLate);
    expect(outcome).toMatchObject({ state: "REFUSED", errors: [{ message: expect.stringContaining(message) }] });
  }
  expect(calls).toEqual([]);
});

test("an addition that comes again names the device that was made", async () => {
  const { take, calls } = gateway(() => ({ device_id: "made" }));
  const add = { ...CHANGE, operation: "provisionStandalone", deviceId: undefined, base: {} } as const;
  const [first, again] = [await take(add), await take(add)];
  expect([first.outcome, calls.length]).toEqual([again.outcome, 1]);
  expect(again.items).toMatchObject([{ kind: "device", key: "made" }]);
});

test("a refusal is noted, and is the same when the change comes again", async () => {
  const { take, calls, entries } = gateway(() => {
    throw refuse("slug_taken", "taken", { slug: "x" });
  });
  const refused = { state: "REFUSED", errors: [{ code: "slug_taken", message: "taken", details: { slug: "x" } }] };
  for (const _ of [1, 2]) expect((await take()).outcome).toEqual(refused);
  expect(calls).toHaveLength(1);
  expect(entries.get("c")).toMatchObject({ outcome: "REFUSED", code: "slug_taken", action: "updateDevice" });
});

test("a full disk is reported and not noted: the change can be asked for again", async () => {
  const { take, entries } = gateway(() => {
    throw refuse("storage_full", "full");
  });
  expect((await take()).outcome).toMatchObject({ state: "REFUSED" });
  expect(entries.size).toBe(0);
});

test.each([
  ["while somebody waits, the later one wins", { base: { name: "other" } }, false, "DONE"],
  ["late, and nothing changed here", {}, true, "DONE"],
  ["late, and changed here", { base: { name: "other" } }, true, "OVERRULED"],
  ["late, and of a kind that does not wait", { operation: "deleteDevice" } as const, true, "REFUSED"],
])("%s", async (_, fields, isLate, state) => {
  const { take, calls } = gateway();
  expect((await take({ ...CHANGE, ...fields }, isLate)).outcome.state).toBe(state);
  expect(calls).toHaveLength(state === "DONE" ? 1 : 0);
});

test("a change whose package does not come is not settled", async () => {
  const { take, entries } = gateway();
  await expect(take({ ...CHANGE, operation: "assignBlueprint", blueprintDigest: "abc" })).rejects.toThrow(LineLost);
  expect(entries.size).toBe(0);
});

test("an operation that is not declared to be carried to gateways is refused, whatever the cloud says", async () => {
  const { take, calls } = gateway();
  const { outcome } = await take({ ...CHANGE, operation: "createToken" });
  expect(outcome).toMatchObject({ state: "REFUSED", errors: [{ code: "not_available" }] });
  expect(calls).toEqual([]);
});
