import { expect, test } from "vitest";
import { NO_RULES } from "../../../test/support/no-rules.ts";
import { type ReadLinkedNeeds, readEverythingLinked, readLinkedChanges } from "./read-linked.ts";

/** Records with these numbers of their latest changes: devices, audit entries, and executions of the first device. */
function records({
  devices,
  audit,
  executions,
}: Readonly<Record<"devices" | "audit" | "executions", readonly number[]>>) {
  const keys = [
    ...devices.map((changed, i) => ({ kind: "device" as const, key: `d${i}`, changed })),
    ...audit.map((changed) => ({ kind: "audit" as const, key: `a${changed}`, changed })),
  ].sort((a, b) => a.changed - b.changed);
  const latest = Math.max(...devices, ...audit, ...executions);
  return {
    uplinks: {
      changesAfter: async (after: number, limit: number) => {
        const page = keys.filter(({ changed }) => changed > after).slice(0, limit);
        return { keys: page, upTo: page.length < limit ? latest : page.at(-1)?.changed };
      },
      amongChanged: async (asked: readonly { kind: string; key: string }[], after: number) =>
        asked.filter(({ kind, key }) =>
          keys.some((one) => one.kind === kind && one.key === key && one.changed > after),
        ),
    },
    executions: {
      changesAfter: async (after: number, limit: number, upTo: number) => {
        const due = executions.filter((changed) => changed > after && changed <= upTo);
        const page = due.slice(0, limit);
        const changes = page.map((changed) => ({ execution: { id: `e${changed}`, deviceId: "d0" } }));
        return { changes, next: page.at(-1) ?? after, latest: due.at(-1) ?? 0 };
      },
    },
    devices: { find: async (id: string) => ({ id, siteId: "s" }) },
    corrections: { ofDevices: async () => new Map() },
    tariffs: { find: async () => undefined, priceDays: async () => [] },
    priceSources: { ofSite: async () => [] },
    controls: { load: async () => ({ claims: [], states: [] }), history: async () => ({ items: [], total: 0 }) },
    interlocks: { ofSite: async () => [] },
    rules: NO_RULES,
    audit: { find: async (id: string) => ({ id }) },
  } as unknown as ReadLinkedNeeds;
}

const upTo = (last: number, step = 1) => Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step);

test.each([
  ["more records than fit into a page", upTo(1_800), upTo(1_800, 3)],
  ["more executions than fit into a page", upTo(1_800, 3), upTo(1_800)],
  ["both", upTo(3_000, 2), upTo(3_000)],
])("with %s every record and every execution is sent, after its device", async (_, audit, executions) => {
  // The device was made first, and changed last.
  const needs = records({ devices: [5_000], audit, executions });
  const sent: string[] = [];
  for (let at = 0, isLast = false; !isLast; ) {
    const page = await readLinkedChanges(needs, at);
    expect(page.to).toBeGreaterThan(at);
    sent.push(...page.items.map(({ key }) => key));
    ({ to: at, isLast } = page);
  }
  expect(sent[0]).toBe("d0");
  const all = [...audit.map((number) => `a${number}`), ...executions.map((number) => `e${number}`)];
  expect(all.filter((key) => !sent.includes(key))).toEqual([]);
});

test("no device is left out of a full upload when another one is deleted meanwhile", async () => {
  const devices = Array.from({ length: 1_500 }, (_, n) => ({ id: `d${n}`, siteId: "s" }));
  const none = async () => ({ items: [], total: 0 });
  const needs = {
    devices: {
      list: async (_: object, { limit, offset }: { limit: number; offset: number }) => {
        const items = devices.slice(offset, offset + limit);
        const total = devices.length;
        // The cloud would delete what is not named.
        if (offset === 0) devices.shift();
        return { items, total };
      },
      find: async (id: string) => devices.find((one) => one.id === id),
      properties: async () => new Map(),
    },
    configurations: { get: async () => [] },
    corrections: { ofDevices: async () => new Map() },
    tariffs: { find: async () => undefined, priceDays: async () => [] },
    priceSources: { ofSite: async () => [] },
    controls: { load: async () => ({ claims: [], states: [] }), history: async () => ({ items: [], total: 0 }) },
    interlocks: { ofSite: async () => [] },
    rules: NO_RULES,
    deviceLogs: { list: none },
    notifications: { list: none },
    sites: { list: none },
    blueprints: { list: none },
    alerts: { list: none },
    audit: { list: none },
  } as unknown as ReadLinkedNeeds;
  const named = new Set<string>();
  for await (const { key } of readEverythingLinked(needs, 0)) named.add(key);
  expect(devices.filter(({ id }) => !named.has(id))).toEqual([]);
});
