import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import type { InterlockKey } from "#core/link/linked-key.ts";
import type { LinkedInterlock, LinkedItem } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import { instant } from "#core/time/instant.ts";
import { makeExecution } from "../../../test/support/executions.ts";
import { NO_RULES } from "../../../test/support/no-rules.ts";
import { type ApplyNeeds, applyItem, forgetOthers } from "./apply-linked.ts";

/** A gateway with the device `own` on the site `here`. `done` lists what was stored, deleted or applied. */
function prepare(stored: { readonly kind: string } = { kind: "applied" }, known: readonly object[] = []) {
  const done: string[] = [];
  const note =
    (what: string) =>
    async (...args: readonly unknown[]) => {
      done.push(`${what} ${args.filter((one) => typeof one === "string").join(" ")}`);
    };
  const needs = {
    now: () => 0,
    copies: {
      properties: note("properties"),
      controls: note("controls"),
      controlRecord: note("control record"),
      interlock: async (gatewayId: string, { siteId, name }: InterlockKey, copy: LinkedInterlock | null) => {
        const limits = copy?.report?.limits.map(({ deviceId }) => deviceId) ?? [];
        done.push(`interlock ${gatewayId} ${siteId} ${name} ${copy === null ? "gone" : limits.join(" ")}`);
      },
      prices: async (gatewayId: string, { siteId, kind }: { siteId: string; kind: string }) =>
        await note("prices")(gatewayId, siteId, kind),
      deleteSite: note("delete site"),
      deleteDevice: async (gatewayId: string, id: string) => {
        if (id === "foreign") throw refuse("conflict", "it does not belong to this gateway");
        await note("delete device")(gatewayId, id);
      },
    },
    controls: { load: async () => ({ claims: [], states: [] }) },
    interlocks: { ofSite: async () => known },
    rules: NO_RULES,
    reportedRules: { changed: () => {} },
    reportedControls: {
      changed: async (id: string, names: ReadonlySet<string>) => void done.push(`heard ${id} ${[...names].join(" ")}`),
    },
    telemetry: { deleteDevice: note("delete telemetry") },
    alerts: { active: async () => [] },
    tariffs: {
      priceDays: async () => [
        { kind: "import", day: 1 },
        { kind: "co2", day: 1 },
      ],
    },
    connectivity: { connected: () => {}, forget: () => {} },
    gateways: {
      devices: async () => ["own", "gone"].map((id) => ({ id, siteId: "here", type: "STANDALONE" })),
      sites: async () => ["here", "there"],
    },
    dispatcher: {
      applyRemote: async ({ execution }: { execution: { id: string } }) => {
        done.push(`execution ${execution.id}`);
        return stored;
      },
    },
  } as unknown as ApplyNeeds;
  const source = {
    gatewayId: "g",
    devices: new Map([["own", "here"]]),
    own: new Set<string>(),
    refusedSites: new Set<string>(),
    onTakeover: () => {},
  };
  return { done, needs, source, apply: (item: LinkedItem) => applyItem(needs, source, item) };
}

function execution(deviceId: string, siteId: string): LinkedItem {
  const one = makeExecution({ deviceId, siteId }, { id: "e" });
  return { kind: "execution", key: "e", value: { execution: one, revision: 1, responses: [] } as never };
}

test("an execution of the gateway's own device is applied, and a gap in it is reported", async () => {
  const { apply, done } = prepare();
  expect(await apply(execution("own", "here"))).toBe("applied");
  expect(done).toEqual(["execution e"]);
  expect(await prepare({ kind: "gap" }).apply(execution("own", "here"))).toBe("gap");
});

const CONTROL = { control: "power", claims: [], isHeld: true, sent: 5, follow: "followed" } as const;
const RECORD = {
  control: "power",
  value: 5,
  follow: "followed",
  measured: undefined,
  class: undefined,
  source: undefined,
  reason: undefined,
  cause: undefined,
} as const;

test("controls of the gateway's own device are stored and heard of, and an entry of the future is refused alone", async () => {
  const { apply, done } = prepare();
  await apply({ kind: "controls", key: "own", value: [CONTROL] });
  await apply({ kind: "control_record", key: "own 5", value: RECORD });
  await apply({ kind: "control_record", key: "own 6", value: null });
  expect(done).toEqual(["controls g own", "heard own power", "control record g own"]);
  const future = { kind: "control_record", key: `own ${2 * 86_400_000_000}`, value: RECORD } as const;
  await expect(apply(future)).rejects.toBeInstanceOf(RecordRefused);
});

const LIMIT = { deviceId: "own", control: "power", unit: "W", kind: "max", value: 1, isHolding: true } as const;
const interlock = (fields: object = {}) =>
  ({
    kind: "interlock",
    key: "here hot",
    value: {
      revision: 1,
      updatedAt: instant(0),
      document: {},
      report: { state: "holding", since: 0, why: "", limits: [LIMIT], measured: [], problems: [], ...fields },
    },
  }) as const;

test("of an interlock only what is about devices of its site is kept, and listeners of their controls hear of it", async () => {
  const { apply, done } = prepare();
  const limits = [LIMIT, { ...LIMIT, deviceId: "foreign" }];
  await apply(interlock({ limits }));
  expect(done).toEqual(["interlock g here hot own", "heard own power"]);
  await expect(apply(interlock({ since: 2 * 86_400_000 }))).rejects.toBeInstanceOf(RecordRefused);
  const gone = prepare(undefined, [{ name: "hot", report: { limits: [LIMIT] } }]);
  await gone.apply({ kind: "interlock", key: "here hot", value: null });
  expect(gone.done).toEqual(["interlock g here hot gone", "heard own power"]);
});

test("what is about another gateway's device is not believed", async () => {
  const { apply, done } = prepare();
  expect(await apply(execution("foreign", "here"))).toBe("applied");
  await apply({ kind: "properties", key: "foreign", value: [] });
  await apply({ kind: "controls", key: "foreign", value: [CONTROL] });
  await apply({ kind: "control_record", key: "foreign 1", value: RECORD });
  await expect(apply({ kind: "device", key: "foreign", value: null })).rejects.toThrow("does not belong");
  await expect(apply(execution("own", "elsewhere"))).rejects.toBeInstanceOf(RecordRefused);
  expect(done).toEqual([]);
});

test("a blueprint that is not valid here costs only itself, and other trouble ends the connection", async () => {
  const { needs, source } = prepare();
  const item: LinkedItem = { kind: "blueprint", key: "b", value: { digest: "d", content: "AAAA" } };
  const warned: string[] = [];
  const refusing = (reason: Error) => ({
    ...needs,
    log: { warn: (_: object, text: string) => void warned.push(text) },
    blueprints: { ...needs.blueprints, findByDigest: async () => undefined },
    inspectPackage: () => Promise.reject(reason),
  });
  const invalid = refuse("invalid_blueprint", "it has no display_name");
  expect(await applyItem(refusing(invalid), source, item)).toBe("applied");
  expect(warned).toEqual(["a blueprint of a gateway is not valid here"]);
  const trouble = refuse("overloaded", "too many packages wait");
  await expect(applyItem(refusing(trouble), source, item)).rejects.toBe(trouble);
});

test("after a full upload, devices and sites that were not named are deleted, with their telemetry", async () => {
  const { needs, source, done } = prepare(undefined, [{ name: "hot" }, { name: "old" }]);
  await forgetOthers(needs, source, new Set(["device own", "site here", "prices here import 1", "interlock here hot"]));
  expect(done).toEqual([
    "delete device g gone",
    "delete telemetry gone",
    "prices g here co2",
    "interlock g here old gone",
    "delete site g there",
  ]);
});
