import { expect, test } from "vitest";
import type { AccessLevel } from "#core/access/level.ts";
import { NO_DETAILS } from "#core/alert/alert-details.ts";
import type { Alert, Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { NO_TIME, parseDuration } from "#core/time/duration.ts";
import { instant } from "#core/time/instant.ts";
import { createBackground } from "#service/background.ts";
import { createPrepareEvent } from "#service/event/happening.ts";
import type { AlertStore } from "#service/ports/alert-store.ts";
import { oneNode } from "#service/ports/nodes.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { createMemoryAlerts } from "../../../test/support/memory-alerts.ts";
import { NOON } from "../../../test/support/records.ts";
import { type AlertTrackerNeeds, createAlertTracker } from "./alert-tracker.ts";

/** `hot 1m` declares an alert with a grace period; sources are attributes of type alerts, `bms owner` with a level. */
function blueprint(alerts: readonly string[], sources: readonly string[] = []): Blueprint {
  const telemetry = sources.map((text) => {
    const [id = "", accessLevel = "readonly"] = text.split(" ");
    return [id, { id, type: "alerts", enum: undefined, aliases: [], accessLevel: accessLevel as AccessLevel }] as const;
  });
  const declared = alerts.map((text): readonly [string, Partial<Alert>] => {
    const [id = "", grace = ""] = text.split(" ");
    return [id, { id, severity: "warning", displayName: id, gracePeriod: parseDuration(grace) ?? NO_TIME }];
  });
  return { alerts: new Map(declared), telemetry: new Map(telemetry) } as unknown as Blueprint;
}

const BLUEPRINTS: Readonly<Record<string, Blueprint>> = {
  plain: blueprint(["hot 1m", "slow 40d", "note"]),
  battery: blueprint(["hot 1m"], ["bms owner"]),
  changes: { ...blueprint(["note"]), alertLists: "on_change" },
};

/** `none` is a device without a blueprint. */
function makeWorld(given = "plain") {
  const blueprintId = given === "none" ? undefined : given;
  const clock = createFakeClock(NOON);
  const alerts = createMemoryAlerts((id) => (id === "d1" && !world.isGone ? "s1" : undefined));
  const latest = new Map<string, Snapshot>();
  const faults: string[] = [];
  /** Of each stored event: its second, and what happened to which alert. */
  const heard: string[] = [];
  const prepareEvent = createPrepareEvent((event) => {
    if (event.kind !== "alert") throw new Error(`an event of kind ${event.kind}`);
    const { alertId, isHard, notConfirmedSince } = event.alert.record;
    const doubt = notConfirmedSince === undefined ? "" : `?${(notConfirmedSince - NOON) / 1000}`;
    return { text: `${event.change} ${alertId}${isHard ? "!" : ""}${doubt}` };
  });
  const world = {
    isGone: false,
    owner: undefined as string | undefined,
    device: { id: "d1", siteId: "s1", blueprintId } as unknown as Device,
  };
  const needs = {
    ...{ now: clock.now, after: clock.after, prepareEvent },
    alerts: {
      ...alerts,
      async record(...[deviceId, changes, news]: Parameters<AlertStore["record"]>) {
        const isStored = await alerts.record(deviceId, changes, news);
        if (isStored)
          heard.push(...news.events.map(({ at, data }) => `${(at - NOON) / 1000} ${JSON.parse(data).text}`));
        return isStored;
      },
    },
    telemetry: { latest: () => latest, current: async () => latest },
    devices: { find: async () => (world.isGone ? undefined : world.device) },
    gateways: { ownerOf: async () => world.owner },
    webhookDispatcher: { noticesOf: (news: readonly unknown[]) => news, wake: () => {} },
    nodes: oneNode(),
    background: createBackground((_name, error) => faults.push(String(error))),
    unconfirmedAfterMs: 60_000,
    catalog: { get: async (id: string) => ({ blueprint: BLUEPRINTS[id] }) },
  } as unknown as AlertTrackerNeeds;
  const open = () => createAlertTracker(needs);
  let tracker = open();
  /** `alerts=hot,note` so many seconds after noon, by the device's clock; first into the telemetry, as the inbox does. */
  const report = async (text: string, second: number) => {
    const [source = "", ids = ""] = text.split("=");
    const found = world.device.blueprintId === undefined ? undefined : BLUEPRINTS[world.device.blueprintId];
    const attribute = attributesOf(found).get(source);
    if (attribute === undefined) throw new Error(`no source ${source}`);
    const at = instant(NOON + second * 1000);
    const list = ids.split(",").filter(Boolean);
    await tracker.prepare(world.device);
    const before = latest.get(source);
    if (before === undefined || at >= before.at) latest.set(source, { at, value: JSON.stringify(list) });
    const lists = new Map([[attribute, list]]);
    await tracker.report(world.device, { at, lists, details: NO_DETAILS, blueprint: found });
  };
  /** Telemetry without lists, as the inbox hands it on. */
  const more = async (second: number) => {
    await tracker.prepare(world.device);
    const found = world.device.blueprintId === undefined ? undefined : BLUEPRINTS[world.device.blueprintId];
    const at = instant(NOON + second * 1000);
    if (!tracker.isDoubtedBy(world.device, { at, blueprint: found })) return;
    await tracker.report(world.device, { at, lists: new Map(), details: NO_DETAILS, blueprint: found });
  };
  return {
    ...{ clock, alerts, latest, faults, heard, world, report, more },
    tracker: () => tracker,
    active: () =>
      alerts.rows.filter((row) => row.clearedAt === undefined).map((row) => `${row.alertId}${row.isHard ? "!" : ""}`),
    async restart() {
      tracker.stop();
      tracker = open();
      await tracker.recover();
    },
  };
}

test("an alert hardens at the very millisecond at which its grace period ends", async () => {
  const { clock, report, active, heard } = makeWorld();
  await report("alerts=hot", 0);
  await clock.advance(59_999);
  expect(active()).toEqual(["hot"]);
  await clock.advance(1);
  expect(active()).toEqual(["hot!"]);
  expect(heard).toEqual(["0 raised hot", "60 hardened hot!"]);
});

test("an alert that ends within its grace period never hardens, and its timer is gone", async () => {
  const { clock, report, heard } = makeWorld();
  await report("alerts=hot", 0);
  await clock.advance(30_000);
  await report("alerts=", 30);
  expect(clock.waiting).toBe(0);
  await clock.advance(100_000);
  expect(heard).toEqual(["0 raised hot", "30 cleared hot"]);
});

test("a grace period longer than any timer is waited out", async () => {
  const { clock, report, active } = makeWorld();
  await report("alerts=slow", 0);
  await clock.advance(40 * 86_400_000 - 1);
  expect(active()).toEqual(["slow"]);
  await clock.advance(1);
  expect(active()).toEqual(["slow!"]);
});

test("the time counts from the device's clock, so that what comes late hardens at once", async () => {
  const { clock, report, heard } = makeWorld();
  await report("alerts=hot", -90);
  await clock.advance(0);
  expect(heard).toEqual(["-90 raised hot", "-30 hardened hot!"]);
});

test("a device clock that runs ahead counts as now, and shadows nothing that comes after", async () => {
  const { clock, report, heard } = makeWorld();
  await report("alerts=note", 3_600);
  await clock.advance(1_000);
  await report("alerts=", 1);
  expect(heard).toEqual(["0 raised note!", "1 cleared note!"]);
});

test("an older message changes nothing", async () => {
  const { clock, report, active } = makeWorld();
  await clock.advance(10_000);
  await report("alerts=note", 10);
  await report("alerts=", 5);
  expect(active()).toEqual(["note!"]);
});

test("a report without a change stores nothing", async () => {
  const { alerts, report, active } = makeWorld();
  await report("alerts=note", 0);
  alerts.refuse = true;
  await report("alerts=note", 1);
  expect(active()).toEqual(["note!"]);
});

test("many reports at once are taken in the order of their coming", async () => {
  const { report, heard, clock } = makeWorld();
  await clock.advance(10_000);
  await Promise.all([
    report("alerts=note", 1),
    report("alerts=", 2),
    report("alerts=x", 3),
    report("alerts=x,note", 4),
  ]);
  expect(heard).toEqual(["1 raised note!", "2 cleared note!", "3 raised x!", "4 raised note!"]);
});

test("what could not be stored is refused, sent to nobody, and taken when it comes again", async () => {
  const { alerts, report, heard, active } = makeWorld();
  await report("alerts=", 0);
  alerts.refuse = true;
  await expect(report("alerts=note", 1)).rejects.toThrow("disk");
  expect([heard, active()]).toEqual([[], []]);
  alerts.refuse = false;
  await report("alerts=note", 1);
  expect(active()).toEqual(["note!"]);
});

test("a hardening that could not be stored is tried again", async () => {
  const { alerts, clock, report, active, faults, heard } = makeWorld();
  await report("alerts=hot", 0);
  alerts.refuse = true;
  await clock.advance(60_500);
  expect([active(), faults.length]).toEqual([["hot"], 1]);
  alerts.refuse = false;
  await clock.advance(1_000);
  expect(active()).toEqual(["hot!"]);
  expect(heard.at(-1)).toBe("60 hardened hot!");
});

test("after a restart active alerts go on, and harden when they would have", async () => {
  const { clock, report, restart, active, heard } = makeWorld();
  await report("alerts=hot,note", 0);
  await clock.advance(30_000);
  await restart();
  expect(active()).toEqual(["hot", "note!"]);
  await clock.advance(30_000);
  await report("alerts=hot", 60);
  expect(heard).toEqual(["0 raised hot", "0 raised note!", "60 hardened hot!", "60 cleared note!"]);
});

test("after a restart the alerts of a gateway's device are left to the gateway", async () => {
  const { clock, report, restart, world, heard } = makeWorld();
  await report("alerts=hot", 0);
  world.owner = "gateway";
  await restart();
  expect(clock.waiting).toBe(0);
  await clock.advance(600_000);
  expect(heard).toEqual(["0 raised hot"]);
});

test("what should have hardened during the standstill hardens at the start", async () => {
  const { clock, report, restart, tracker, heard } = makeWorld();
  await report("alerts=hot", 0);
  tracker().stop();
  await clock.advance(600_000);
  await restart();
  await clock.advance(0);
  expect(heard).toEqual(["0 raised hot", "60 hardened hot!"]);
});

test("after a restart a message older than the newest telemetry still changes nothing", async () => {
  const { clock, report, restart, active } = makeWorld();
  await clock.advance(10_000);
  await report("alerts=note", 1);
  await report("alerts=", 2);
  await report("alerts=", 9);
  await restart();
  await report("alerts=note", 5);
  expect(active()).toEqual([]);
});

test("an end that was stored as telemetry but not as an alert is caught up with at the start", async () => {
  const { latest, report, restart, heard } = makeWorld();
  await report("alerts=note", -9);
  latest.set("alerts", { at: instant(NOON - 1_000), value: "[]" });
  await restart();
  expect(heard).toEqual(["-9 raised note!", "-1 cleared note!"]);
});

test("lists that were imported count from then on, after what was under way, and what waits to harden goes on", async () => {
  const { clock, latest, report, tracker, world, heard, active } = makeWorld();
  await report("alerts=hot", 0);
  const reports = [report("alerts=hot,note", 1), report("alerts=hot,note", 2)];
  latest.set("alerts", { at: instant(NOON + 3_000), value: '["hot","other"]' });
  await clock.advance(5_000);
  await Promise.all([...reports, tracker().reread(world.device)]);
  expect(active()).toEqual(["hot", "other!"]);
  await clock.advance(60_000);
  expect(heard.at(-1)).toBe("60 hardened hot!");
});

test.each(["no list", "{}", "[1]", '[""]'])("imported telemetry that reads %s is no list of alerts", async (value) => {
  const { latest, report, restart, active } = makeWorld();
  await report("alerts=note", 0);
  latest.set("alerts", { at: NOON, value });
  await restart();
  expect(active()).toEqual(["note!"]);
});

test("alerts carry the level of their source, and a device without a blueprint has alerts too", async () => {
  const battery = makeWorld("battery");
  await battery.report("bms=hot", 0);
  expect(battery.alerts.rows[0]).toMatchObject({ source: "bms", readLevel: "owner", blueprintId: "battery" });
  const bare = makeWorld("none");
  await bare.report("alerts=hot", 0);
  expect(bare.alerts.rows[0]).toMatchObject({
    source: "alerts",
    severity: "error",
    isHard: true,
    blueprintId: undefined,
  });
});

test("with another blueprint the alerts of sources that it lacks end, and the others go on", async () => {
  const { world, report, tracker, active, heard } = makeWorld("battery");
  await report("bms=hot", 0);
  await report("alerts=x", 0);
  world.device = { ...world.device, blueprintId: "plain" };
  await tracker().blueprintChanged(world.device);
  expect(active()).toEqual(["x!"]);
  expect(heard.at(-1)).toBe("0 cleared hot");
});

test("a device that is deleted leaves no timer and no event behind", async () => {
  const { world, clock, report, tracker, heard, faults } = makeWorld();
  await report("alerts=hot", 0);
  world.isGone = true;
  await report("alerts=hot,note", 1);
  tracker().forget("d1");
  await clock.advance(100_000);
  expect([heard, clock.waiting, faults]).toEqual([["0 raised hot"], 0, []]);
});

test("an alert that the device stops repeating is unconfirmed after a minute of other telemetry", async () => {
  const { clock, report, more, heard, alerts } = makeWorld();
  await report("alerts=note", 0);
  for (let second = 10; second <= 120; second += 10) {
    await clock.advance(10_000);
    await more(second);
  }
  expect(heard).toEqual(["0 raised note!", "60 unconfirmed note!?0"]);
  expect(await alerts.raisedNames(["d1"], "readonly")).toEqual(new Map([["d1", []]]));
  await report("alerts=note", 120);
  expect(heard.at(-1)).toBe("120 confirmed note!");
  expect(await alerts.raisedNames(["d1"], "readonly")).toEqual(new Map([["d1", ["note"]]]));
});

test("while a device is silent its alerts stand, and end when a list comes without them", async () => {
  const { clock, report, more, heard } = makeWorld();
  await report("alerts=note", 0);
  await clock.advance(3_600_000);
  expect(heard).toEqual(["0 raised note!"]);
  await more(3_600);
  await report("alerts=", 3_601);
  expect(heard.slice(1)).toEqual(["3600 unconfirmed note!?0", "3600 cleared note!?0"]);
});

test("the alerts of a device that lists them on change stand", async () => {
  const { clock, report, more, heard } = makeWorld("changes");
  await report("alerts=note", 0);
  await clock.advance(600_000);
  await more(600);
  expect(heard).toEqual(["0 raised note!"]);
});

test("an unconfirmed alert stays so over a restart", async () => {
  const { clock, report, more, heard, restart, alerts } = makeWorld();
  await report("alerts=note", 0);
  await clock.advance(70_000);
  await more(70);
  await restart();
  await more(71);
  expect(heard).toEqual(["0 raised note!", "70 unconfirmed note!?0"]);
  expect(alerts.rows).toMatchObject([{ alertId: "note", notConfirmedSince: NOON, clearedAt: undefined }]);
});

test("new details are stored without an event", async () => {
  const { report, heard, alerts, tracker, world } = makeWorld();
  await report("alerts=note", 0);
  const details = new Map([["note", '"door 3"']]);
  await tracker().report(world.device, { at: instant(NOON), lists: new Map(), details, blueprint: undefined });
  expect(alerts.rows).toMatchObject([{ alertId: "note", details: '"door 3"' }]);
  expect(heard).toEqual(["0 raised note!"]);
});
