import { expect, test } from "vitest";
import { ACCESS_LEVELS, allows } from "#core/access/level.ts";
import { MAX_PAST_ALERTS } from "#core/alert/alert-limits.ts";
import type { AlertChange, AlertChangeKind, RaisedAlert } from "#core/alert/alert-state.ts";
import { instant } from "#core/time/instant.ts";
import type { AlertFilter, AlertStore } from "#service/ports/alert-store.ts";
import type { Place } from "../support/executions.ts";
import { makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { ALL } from "./stores.ts";

/** An empty store, and a way to make devices of a site. */
export interface AlertWorld {
  readonly alerts: AlertStore;
  readonly device: (siteId?: string) => Promise<Place>;
}

const EVERYTHING: AlertFilter = { scope: "all", level: "system", active: true, newestFirst: false };

/** Raised so many milliseconds after noon; soft for a minute. */
export function raised(alertId: string, after: number, fields: Partial<RaisedAlert> = {}): RaisedAlert {
  const raisedAt = instant(NOON + after);
  return {
    alertId,
    source: "alerts",
    readLevel: "readonly",
    blueprintId: undefined,
    severity: "warning",
    raisedAt,
    hardensAt: instant(raisedAt + 60_000),
    isHard: false,
    notConfirmedSince: undefined,
    details: undefined,
    ...fields,
  };
}

const change = (kind: AlertChangeKind, alert: RaisedAlert, after: number): AlertChange => ({
  kind,
  at: instant(NOON + after),
  alert,
});
const raising = (...alerts: readonly RaisedAlert[]) => alerts.map((one) => change("raised", one, one.raisedAt - NOON));

export function alertStoreContract(open: () => Promise<AlertWorld>): void {
  const setUp = async () => {
    const world = await open();
    const place = await world.device();
    const record = (deviceId: string, changes: readonly AlertChange[]) =>
      world.alerts.record(deviceId, changes, { events: [], notices: [] });
    const ids = async (filter: Partial<AlertFilter> = {}, page = ALL) =>
      (await world.alerts.list({ ...EVERYTHING, ...filter }, page)).items.map(({ alertId }) => alertId);
    return { ...world, place, ids, record };
  };

  test("an alert is read as it was raised", async () => {
    const { alerts, place, record } = await setUp();
    const given = [
      raised("a", 1, { severity: "info", readLevel: "vendor", source: "bms", blueprintId: newId() }),
      raised("b", 2, { severity: "error", isHard: true, hardensAt: instant(NOON + 2) }),
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((name, index) => raised(name, 10 + index, { source: name })),
    ];
    expect(await record(place.deviceId, raising(...given))).toBe(true);
    const stored = given.map((one) => ({ ...one, ...place, clearedAt: undefined }));
    expect(await alerts.active()).toEqual(stored);
    expect(await alerts.list(EVERYTHING, ALL)).toEqual({ items: stored, total: stored.length });
  });

  test("a device that is gone has no alerts", async () => {
    const { alerts, record } = await setUp();
    expect(await record(newId(), raising(raised("a", 0)))).toBe(false);
    expect(await alerts.active()).toEqual([]);
  });

  test("an alert hardens, is cleared, and is history from then on", async () => {
    const { alerts, place, ids, record } = await setUp();
    const soft = raised("a", 0);
    const hard = { ...soft, isHard: true };
    await record(place.deviceId, raising(soft));
    await record(place.deviceId, [change("hardened", hard, 60_000)]);
    expect(await alerts.active()).toEqual([{ ...hard, ...place, clearedAt: undefined }]);
    await record(place.deviceId, [change("cleared", hard, 90_000)]);
    expect(await ids({ active: true })).toEqual([]);
    expect((await alerts.list({ ...EVERYTHING, active: false }, ALL)).items).toEqual([
      { ...hard, ...place, clearedAt: NOON + 90_000 },
    ]);
  });

  test("an alert that turns out to have ended softly is soft history", async () => {
    const { alerts, place, record } = await setUp();
    const soft = raised("a", 0);
    await record(place.deviceId, raising(soft));
    await record(place.deviceId, [change("hardened", { ...soft, isHard: true }, 60_000)]);
    await record(place.deviceId, [change("cleared", soft, 30_000)]);
    expect((await alerts.list({ ...EVERYTHING, active: false }, ALL)).items).toEqual([
      { ...soft, ...place, clearedAt: NOON + 30_000 },
    ]);
  });

  test("the same alert of two sources, and at two times, is stored apart", async () => {
    const { alerts, place, ids, record } = await setUp();
    const [first, other, again] = [raised("a", 0), raised("a", 1, { source: "bms" }), raised("a", 9)];
    await record(place.deviceId, raising(first, other));
    await record(place.deviceId, [change("cleared", first, 5), ...raising(again)]);
    expect(await alerts.active(place.deviceId)).toEqual(
      [other, again].map((one) => ({ ...one, ...place, clearedAt: undefined })),
    );
    expect(await ids({ active: false })).toEqual(["a"]);
  });

  test("raised, cleared and raised in one moment is one active alert", async () => {
    const { place, ids, record } = await setUp();
    const one = raised("a", 0);
    await record(place.deviceId, [...raising(one), change("cleared", one, 0), ...raising(one)]);
    expect(await ids()).toEqual(["a"]);
    expect(await ids({ active: false })).toEqual([]);
  });

  test("filters: device, site, scope, severity, state and time of raising", async () => {
    const { alerts, place, device, ids, record } = await setUp();
    const [neighbour, elsewhere] = [await device(place.siteId), await device()];
    await record(place.deviceId, raising(raised("a", 0, { severity: "info" }), raised("b", 10, { isHard: true })));
    await record(neighbour.deviceId, raising(raised("c", 20)));
    await record(elsewhere.deviceId, raising(raised("d", 30, { severity: "error", isHard: true })));
    const at = (after: number) => instant(NOON + after);
    const cases: readonly (readonly [Partial<AlertFilter>, string])[] = [
      [{}, "abcd"],
      [{ newestFirst: true }, "dcba"],
      [{ deviceIds: [place.deviceId] }, "ab"],
      [{ deviceIds: [] }, ""],
      [{ siteId: place.siteId }, "abc"],
      [{ siteId: newId() }, ""],
      [{ scope: new Set([elsewhere.siteId]) }, "d"],
      [{ scope: new Set() }, ""],
      [{ severities: ["info", "error"] }, "ad"],
      [{ states: ["HARD"] }, "bd"],
      [{ states: ["SOFT"] }, "ac"],
      [{ states: ["SOFT", "HARD"] }, "abcd"],
      [{ states: ["UNCONFIRMED"] }, ""],
      [{ states: [] }, ""],
      [{ since: at(10), before: at(30) }, "bc"],
      [{ active: false }, ""],
      [{ siteId: place.siteId, states: ["HARD"], severities: ["warning"] }, "b"],
    ];
    for (const [filter, expected] of cases) expect([filter, (await ids(filter)).join("")]).toEqual([filter, expected]);
    expect(await alerts.list({ ...EVERYTHING }, { limit: 2, offset: 1 })).toMatchObject({
      items: [{ alertId: "b" }, { alertId: "c" }],
      total: 4,
    });
    expect(await alerts.list({ ...EVERYTHING }, { limit: 0, offset: 0 })).toEqual({ items: [], total: 4 });
  });

  test("an alert is seen by its read level and those above", async () => {
    const { alerts, place, ids, record } = await setUp();
    await record(place.deviceId, raising(...ACCESS_LEVELS.map((level, i) => raised(level, i, { readLevel: level }))));
    for (const level of ACCESS_LEVELS) {
      const visible = ACCESS_LEVELS.filter((needed) => allows(level, needed));
      expect(await ids({ level })).toEqual(visible);
      expect(await alerts.raisedNames([place.deviceId], level)).toEqual(new Map([[place.deviceId, visible]]));
    }
  });

  test("names of raised alerts come once each, for every device that was asked for", async () => {
    const { alerts, place, device, record } = await setUp();
    const [quiet, unasked] = [await device(), await device()];
    const gone = raised("gone", 0);
    const given = [gone, raised("b", 2), raised("a", 3), raised("b", 4, { source: "bms" })];
    await record(place.deviceId, [...raising(...given), change("cleared", gone, 9)]);
    await record(unasked.deviceId, raising(raised("x", 0)));
    expect(await alerts.raisedNames([place.deviceId, quiet.deviceId], "readonly")).toEqual(
      new Map([
        [place.deviceId, ["b", "a"]],
        [quiet.deviceId, []],
      ]),
    );
  });

  test("an unconfirmed alert is active, is not a raised name, and is confirmed or cleared later", async () => {
    const { alerts, place, ids, record } = await setUp();
    const [doubted, other] = [raised("a", 0, { isHard: true }), raised("b", 1)];
    await record(place.deviceId, raising(doubted, other));
    const unconfirmed = { ...doubted, notConfirmedSince: instant(NOON + 5) };
    await record(place.deviceId, [change("unconfirmed", unconfirmed, 60_005)]);
    expect(await alerts.active()).toEqual(
      [unconfirmed, other].map((one) => ({ ...one, ...place, clearedAt: undefined })),
    );
    expect(await alerts.raisedNames([place.deviceId], "readonly")).toEqual(new Map([[place.deviceId, ["b"]]]));
    expect([await ids({ states: ["UNCONFIRMED"] }), await ids({ states: ["HARD"] }), await ids()]).toEqual([
      ["a"],
      [],
      ["a", "b"],
    ]);
    await record(place.deviceId, [change("confirmed", doubted, 70_000)]);
    expect(await ids({ states: ["HARD"] })).toEqual(["a"]);
    await record(place.deviceId, [change("unconfirmed", unconfirmed, 80_000), change("cleared", unconfirmed, 90_000)]);
    expect((await alerts.list({ ...EVERYTHING, active: false }, ALL)).items).toEqual([
      { ...unconfirmed, ...place, clearedAt: NOON + 90_000 },
    ]);
  });

  test("details are kept with the alert, also when they change", async () => {
    const { alerts, place, record } = await setUp();
    const one = raised("a", 0, { details: '"first"' });
    await record(place.deviceId, raising(one));
    const next = { ...one, details: '{"cell":7}' };
    await record(place.deviceId, [change("updated", next, 5)]);
    expect(await alerts.active()).toEqual([{ ...next, ...place, clearedAt: undefined }]);
  });

  test("an alert is acknowledged until it is taken back, keeps that in the history, and not when it is raised again", async () => {
    const { alerts, place, record } = await setUp();
    const [one, gone] = [raised("a", 0, { isHard: true }), raised("b", 1)];
    await record(place.deviceId, raising(one, gone));
    await record(place.deviceId, [change("cleared", gone, 5)]);
    const by = { tokenId: "t1", name: "Änne 汉" };
    const first = { at: instant(NOON + 10), by, comment: "on my way", door: "page" } as const;
    const second = { ...first, comment: undefined, door: undefined };
    const [named, other] = [one, gone].map((alert) => ({ ...alert, ...place }));
    const done = () => ({ announced: { events: [], notices: [] }, trail: makeEntry() });
    if (named === undefined || other === undefined) throw new Error("two alerts");
    const acknowledge = (given: typeof second | typeof first | undefined) =>
      alerts.acknowledge([named, other], given, done());
    for (const given of [first, second, undefined, first]) {
      expect(await acknowledge(given)).toBe(true);
      expect((await alerts.active())[0]?.acknowledgement).toEqual(given);
    }
    expect((await alerts.find(other))?.acknowledgement).toBeUndefined();
    expect(await alerts.acknowledge([other], first, done())).toBe(false);
    await record(place.deviceId, [change("cleared", one, 20), ...raising(raised("a", 30))]);
    expect((await alerts.find(named))?.acknowledgement).toEqual(first);
    expect((await alerts.active())[0]?.acknowledgement).toBeUndefined();
    await alerts.copyAcknowledgement(other, second);
    expect((await alerts.find(other))?.acknowledgement).toEqual(second);
  });

  test("pruning deletes what was cleared before, and nothing that is active", async () => {
    const { alerts, place, ids, record } = await setUp();
    const [old, recent] = [raised("old", 0), raised("recent", 1)];
    await record(place.deviceId, raising(old, recent, raised("active", 2)));
    await record(place.deviceId, [change("cleared", old, 10), change("cleared", recent, 20)]);
    let pruned = 0;
    for (let step = 1; step > 0; pruned += step) step = await alerts.prune(instant(NOON + 20));
    expect([pruned, await ids({ active: false }), await ids()]).toEqual([1, ["recent"], ["active"]]);
  });

  test(`only the newest ${MAX_PAST_ALERTS} past alerts of a device are kept`, async () => {
    const { alerts, place, device, record } = await setUp();
    const other = await device();
    const flapping = Array.from({ length: MAX_PAST_ALERTS }, (_, i) => raised("a", i));
    await record(other.deviceId, raising(raised("a", 0)));
    await record(
      place.deviceId,
      flapping.flatMap((one) => [...raising(one), change("cleared", one, one.raisedAt - NOON + 1)]),
    );
    const last = raised("b", MAX_PAST_ALERTS);
    await record(place.deviceId, [...raising(last), change("cleared", last, MAX_PAST_ALERTS + 1)]);
    const kept = await alerts.list({ ...EVERYTHING, active: false }, { limit: 1, offset: 0 });
    expect([kept.total, kept.items[0]?.raisedAt]).toEqual([MAX_PAST_ALERTS, NOON + 1]);
    expect(await alerts.active()).toHaveLength(1);
  });
}
