// What a gateway keeps about its cloud, what a cloud keeps about its gateways, and the copies.
import { describe, expect, test } from "vitest";
import type { RaisedAlert } from "#core/alert/alert-state.ts";
import type { Micros } from "#core/command/execution.ts";
import { changeOf } from "#core/energy/price-days.ts";
import type { JoinCode } from "#core/link/gateway.ts";
import { parseAlertKey, parseLogKey } from "#core/link/linked-key.ts";
import { MOST_NOTIFICATIONS_PER_MINUTE, type Notification } from "#core/notification/notification.ts";
import type { Site } from "#core/site/site.ts";
import { instant } from "#core/time/instant.ts";
import { asNew, makeExecution } from "../support/executions.ts";
import { makeGateway, makeJoinCode } from "../support/gateways.ts";
import { makeDevice, makeEntry, makeSite, makeToken, NOON, newId } from "../support/records.ts";
import { everyEvent } from "./event-outbox-contract.ts";
import { makePriceSource } from "./price-source-contract.ts";
import { ALL, expectRefusal, type OpenStores } from "./stores.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const COPIED_RULE = {
  disabled: false,
  script: { code: "cmV0dXJu", runtimeVersion: "V3", execInterval: undefined },
  revision: 1,
  createdAt: NOON,
  updatedAt: NOON,
} as const;

const makeNotification = (siteId: string, fields: Partial<Notification> = {}): Notification => ({
  ...{ id: newId(), siteId, at: NOON, severity: "warning", title: "Roof", text: "There is a surplus." },
  ...{ source: { kind: "rule", id: newId(), slug: "surplus" }, ...fields },
});

const makeAlert = (): RaisedAlert => ({
  source: "alerts",
  alertId: "hot",
  readLevel: "readonly",
  blueprintId: undefined,
  severity: "error",
  raisedAt: NOON,
  hardensAt: NOON,
  isHard: false,
  notConfirmedSince: undefined,
  details: undefined,
});

const makeLogEntry = () => ({
  receivedAt: (NOON * 1_000) as Micros,
  takenAt: NOON,
  severity: "info" as const,
  message: "hello",
  persist: true,
});

export function linkStoreContract(open: OpenStores): void {
  describe("uplinks", () => {
    const uplink = {
      url: "https://cloud.example",
      gatewayId: newId(),
      credential: bytes("sealed"),
      joinedAt: NOON,
      historyBefore: NOON,
      confirmed: 0,
      cloudEpoch: undefined,
    };

    test("the records keep their epoch", async () => {
      const { uplinks } = await open();
      const epoch = await uplinks.epoch();
      expect(await uplinks.epoch()).toBe(epoch);
    });

    test("an uplink is found as it was stored, replaced and deleted", async () => {
      const { uplinks } = await open();
      expect(await uplinks.get()).toBeUndefined();
      await uplinks.put(uplink, makeEntry());
      await uplinks.put({ ...uplink, url: "https://other.example" }, makeEntry());
      const dropped = { expired: 0, unreadable: 0 };
      expect(await uplinks.get()).toEqual({ ...uplink, url: "https://other.example", dropped });
      expect([await uplinks.delete(makeEntry()), await uplinks.delete(makeEntry())]).toEqual([true, false]);
      expect(await uplinks.get()).toBeUndefined();
    });

    test("hours of telemetry are marked and unmarked, and forgotten with the uplink", async () => {
      const { uplinks } = await open();
      await uplinks.put(uplink, makeEntry());
      const hours = [
        { deviceId: "a", hour: 1 },
        { deviceId: "a", hour: 2 },
        { deviceId: "b", hour: 2 },
      ];
      await uplinks.markHours(hours.slice(0, 2));
      await uplinks.markHours(hours.slice(1));
      expect(await uplinks.hours()).toEqual(
        expect.arrayContaining(hours.map((one) => ({ ...one, hasExpired: false }))),
      );
      await uplinks.unmarkHours(hours.slice(0, 2));
      await uplinks.noteDropped({ expired: 3, unreadable: 1 }, hours);
      await uplinks.markHours(hours.slice(2));
      expect(await uplinks.hours()).toEqual([{ deviceId: "b", hour: 2, hasExpired: true }]);
      expect((await uplinks.get())?.dropped).toEqual({ expired: 3, unreadable: 1 });
      await uplinks.noteHistory(undefined);
      expect((await uplinks.get())?.historyBefore).toBeUndefined();
      await uplinks.delete(makeEntry());
      expect(await uplinks.hours()).toEqual([]);
    });

    test("changes are noted while there is an uplink: each record once, in the order of the latest changes", async () => {
      const { uplinks, sites, devices } = await open();
      const site = makeSite();
      await sites.insert(site, makeEntry());
      expect(await uplinks.changesAfter(0, 10)).toMatchObject({ keys: [] });
      await uplinks.put(uplink, makeEntry());
      const start = await uplinks.latest();
      const device = await devices.insert(makeDevice(site.id), makeEntry());
      await sites.update(site.id, { name: "New", updatedAt: NOON }, makeEntry());
      await devices.putProperties(device.id, [{ name: "fw", value: 1, receivedAt: NOON }]);
      await devices.update(device.id, { name: "Newer", updatedAt: NOON }, makeEntry());
      const { keys, upTo } = await uplinks.changesAfter(start, 10);
      const entries = keys.filter(({ kind }) => kind === "audit");
      expect(entries).toHaveLength(3);
      expect(keys.filter(({ kind }) => kind !== "audit").map(({ kind, key }) => [kind, key])).toEqual([
        ["site", site.id],
        ["properties", device.id],
        ["device", device.id],
      ]);
      expect(upTo).toBe(await uplinks.latest());
      expect(await uplinks.changesAfter(upTo, 10)).toEqual({ keys: [], upTo });
      const first = await uplinks.changesAfter(start, 3);
      expect(first.keys.map(({ kind }) => kind)).toEqual(["audit", "audit", "site"]);
      const rest = await uplinks.changesAfter(first.upTo, 10);
      expect(rest.keys.map(({ kind }) => kind)).toEqual(["properties", "audit", "device"]);
      await devices.delete(device.id, makeEntry());
      const gone = await uplinks.changesAfter(upTo, 10);
      expect(gone.keys.map(({ kind }) => kind)).toEqual(["audit", "device"]);
      const asked = [
        { kind: "site", key: site.id },
        { kind: "device", key: device.id },
      ] as const;
      expect(await uplinks.amongChanged(asked, upTo)).toEqual([asked[1]]);
    });
  });

  test("alerts, log entries and configuration are noted; what is sent once is forgotten when it is confirmed", async () => {
    const { uplinks, sites, devices, alerts, deviceLogs, configurations } = await open();
    const site = makeSite();
    await sites.insert(site, makeEntry());
    const device = await devices.insert(makeDevice(site.id), makeEntry());
    const joined = { url: "https://cloud.example", gatewayId: newId(), credential: bytes("x"), joinedAt: NOON };
    await uplinks.put({ ...joined, historyBefore: undefined, confirmed: 0, cloudEpoch: undefined }, makeEntry());
    const start = await uplinks.latest();
    const alert = makeAlert();
    const nobody = { events: [], notices: [] };
    await alerts.record(device.id, [{ kind: "raised", at: NOON, alert }], nobody);
    const [entry] = await deviceLogs.append(device.id, [makeLogEntry()], 1_000);
    const bucket = { bucket: "network", shown: { host: "a" }, sealed: bytes("s"), updatedAt: NOON };
    await configurations.put({ deviceId: device.id, buckets: [bucket], events: [] }, makeEntry());
    const { keys, upTo } = await uplinks.changesAfter(start, 10);
    expect(keys.map(({ kind }) => kind)).toEqual(["alert", "log", "audit", "configuration"]);
    const name = parseAlertKey(keys[0]?.key ?? "");
    expect(name && (await alerts.find(name))).toMatchObject({ ...alert, deviceId: device.id });
    const log = parseLogKey(keys[1]?.key ?? "");
    expect(log && (await deviceLogs.find(log.deviceId, log.receivedAt))).toEqual(entry);
    await uplinks.confirm(upTo);
    expect((await uplinks.get())?.confirmed).toBe(upTo);
    expect((await uplinks.changesAfter(start, 10)).keys.map(({ kind }) => kind)).toEqual(["configuration"]);
  });

  test("the number of the latest change does not go back when its note is forgotten", async () => {
    const { uplinks, sites, devices, deviceLogs } = await open();
    const site = makeSite();
    await sites.insert(site, makeEntry());
    const device = await devices.insert(makeDevice(site.id), makeEntry());
    const joined = { url: "https://cloud.example", gatewayId: newId(), credential: bytes("x"), joinedAt: NOON };
    await uplinks.put({ ...joined, historyBefore: undefined, confirmed: 0, cloudEpoch: undefined }, makeEntry());
    await deviceLogs.append(device.id, [makeLogEntry()], 1_000);
    const latest = await uplinks.latest();
    await uplinks.confirm(latest);
    expect(await uplinks.latest()).toBe(latest);
    await uplinks.noteCloud("c");
    expect((await uplinks.get())?.cloudEpoch).toBe("c");
  });

  test("tariffs and prices are noted with every change, and all of them once for each cloud", async () => {
    const { uplinks, sites, tariffs, priceSources } = await open();
    const site = makeSite();
    await sites.insert(site, makeEntry());
    const document = { currency: "EUR", versions: [{ import: { type: "prices" } }] };
    const change = changeOf([{ from: 20_000 * 86_400_000, to: 20_001 * 86_400_000, price: 7 }]);
    await tariffs.changePrices(site.id, "co2", change, makeEntry());
    await priceSources.put(makePriceSource(site.id), makeEntry());
    const joined = { url: "https://cloud.example", gatewayId: newId(), credential: bytes("x"), joinedAt: NOON };
    await uplinks.put({ ...joined, historyBefore: undefined, confirmed: 0, cloudEpoch: undefined }, makeEntry());
    let at = await uplinks.latest();
    const noted = async () => {
      const { keys, upTo } = await uplinks.changesAfter(at, 100);
      at = upTo;
      return keys.filter(({ kind }) => kind !== "audit").map(({ kind, key }) => `${kind} ${key}`);
    };
    const all = [`tariff ${site.id}`, `prices ${site.id} co2 20000`];
    await uplinks.noteTariffs("c");
    expect(await noted()).toEqual(all);
    await uplinks.noteTariffs("c");
    expect(await noted()).toEqual([]);
    await tariffs.put(site.id, { document, updatedAt: NOON }, makeEntry());
    expect(await noted()).toEqual([`tariff ${site.id}`]);
    await tariffs.changePrices(site.id, "co2", change, makeEntry());
    expect(await noted()).toEqual([`prices ${site.id} co2 20000`]);
    const { updatedAt, state } = makePriceSource(site.id);
    const fetched = { siteId: site.id, kind: "import", updatedAt, state } as const;
    await priceSources.settle({ ...fetched, prices: { change, trail: makeEntry() } });
    expect(await noted()).toEqual([`tariff ${site.id}`, `prices ${site.id} import 20000`]);
    await uplinks.noteTariffs("another");
    expect(await noted()).toEqual([...all, `prices ${site.id} import 20000`]);
  });

  describe("executions of a gateway's devices", () => {
    async function ordered(fields: { readonly attempted: boolean }, gateway = makeGateway()) {
      const stores = await open();
      const site = makeSite();
      await stores.copies.site(gateway.id, site, NOON);
      const device = { ...makeDevice(site.id), slug: "a" };
      await stores.copies.device(gateway.id, device);
      const execution = makeExecution({ siteId: site.id, deviceId: device.id });
      await stores.executions.insert(asNew(execution, fields), makeEntry());
      return { ...stores, execution, siteId: site.id };
    }

    test("one that was sent is not timed out here: its gateway may have accepted it", async () => {
      const { executions, execution, siteId } = await ordered({ attempted: true });
      expect(await executions.ownedElsewhere(siteId, "", 10)).toMatchObject([{ id: execution.id, isRemote: false }]);
      const expired = await executions.expire(execution.id, execution.deadline);
      expect(expired).toMatchObject({ state: "UNSYNC", isRemote: true, revision: 0 });
      expect(await executions.takeFromOwner(execution.id)).toMatchObject({ state: "NEW", isRemote: false });
      expect(await executions.expire(execution.id, execution.deadline)).toMatchObject({ state: "TIMEOUT" });
    });

    test("one that was never sent is", async () => {
      const { executions, execution, siteId } = await ordered({ attempted: false });
      expect(await executions.ownedElsewhere(siteId, "", 10)).toEqual([]);
      expect(await executions.loseSight(execution.id)).toBeUndefined();
      expect(await executions.expire(execution.id, execution.deadline)).toMatchObject({ state: "TIMEOUT" });
    });

    test("one that its gateway has accepted is UNSYNC from the start when the gateway is gone by then", async () => {
      const gateway = makeGateway();
      const { gateways, executions, execution, outbox } = await ordered({ attempted: true }, gateway);
      const code = makeJoinCode();
      await gateways.insertCode(code, makeEntry());
      await gateways.join(code.hash, gateway, makeEntry());
      await gateways.noteTaken(gateway.id, { version: "1", epoch: "e", taken: 1, at: NOON, isCaughtUp: true });
      const other = { ...execution, id: newId() };
      await executions.insert(asNew(other, { attempted: true }), makeEntry());
      const [start, cursor] = [await outbox.latest(), (await executions.changesAfter(0, 10)).next];
      expect(await executions.giveToOwner(execution.id, true)).toMatchObject({ state: "NEW", isRemote: true });
      await gateways.noteGone(gateway.id);
      expect(await executions.giveToOwner(other.id, true)).toMatchObject({ state: "UNSYNC", isRemote: true });
      const published = (await everyEvent(outbox, start)).map((event) => "execution" in event && event.execution);
      expect(published).toMatchObject([
        { id: execution.id, state: "NEW" },
        { id: other.id, state: "UNSYNC" },
      ]);
      const { changes } = await executions.changesAfter(cursor, 10);
      expect(changes.map((change) => change.execution)).toEqual(published);
    });

    test("one that its gateway has lost ends as an error, once, and says so in its log", async () => {
      const { executions, execution } = await ordered({ attempted: true });
      const loss = { at: (NOON * 1_000) as Micros, isReplaced: true };
      expect(await executions.endLost(execution.id, loss)).toBeUndefined();
      expect(await executions.loseSight(execution.id)).toMatchObject({ state: "UNSYNC", isRemote: true });
      // A gateway whose records are the same never accepted it.
      expect(await executions.endLost(execution.id, { ...loss, isReplaced: false })).toBeUndefined();
      const ended = await executions.endLost(execution.id, loss);
      expect(ended).toMatchObject({
        state: "ERROR",
        response: { payload: { message: expect.stringContaining("lost") } },
      });
      expect(await executions.responses(execution.id)).toEqual([ended?.response]);
      expect(await executions.endLost(execution.id, loss)).toBeUndefined();
    });

    test("after a gateway has replaced its records, lower revisions count, except for what is final", async () => {
      const { executions, execution, siteId } = await ordered({ attempted: true });
      const change = { responses: [], since: 0, leftOut: undefined };
      const reported = { ...execution, state: "IN_PROGRESS" as const, revision: 7 };
      await executions.applyRemote({ ...change, execution: reported });
      const older = { ...execution, state: "TIMEOUT" as const, revision: 2 };
      expect((await executions.applyRemote({ ...change, execution: older })).kind).toBe("known");
      await executions.forgetRevisions(siteId);
      expect((await executions.applyRemote({ ...change, execution: older })).kind).toBe("applied");
      await executions.applyRemote({ ...change, execution: { ...older, state: "SUCCESS", revision: 3 } });
      await executions.forgetRevisions(siteId);
      expect((await executions.applyRemote({ ...change, execution: { ...older, revision: 4 } })).kind).toBe("known");
    });
  });

  describe("gateways", () => {
    test("gateways are listed by connection and version, counted by version, and found with their sites", async () => {
      const { gateways, copies } = await open();
      const made = [];
      for (const version of ["1", "2", "2"]) {
        const given = makeJoinCode();
        await gateways.insertCode(given, makeEntry());
        const gateway = makeGateway({ version });
        await gateways.join(given.hash, gateway, makeEntry());
        made.push(gateway.id);
      }
      const [a = "", b = "", c = ""] = made;
      await gateways.noteTaken(b, { version: "2", epoch: "e", taken: 1, at: NOON, isCaughtUp: true });
      const ids = async (filter: Parameters<typeof gateways.list>[0]) =>
        (await gateways.list(filter, ALL)).items.map(({ id }) => id);
      expect(await ids({ isConnected: true })).toEqual([b]);
      expect(await ids({ isConnected: false })).toEqual([a, c]);
      expect(await ids({ versions: ["2", "3"] })).toEqual([b, c]);
      await gateways.revoke(c, NOON, makeEntry());
      expect(await ids({ isConnected: false })).toEqual([a]);
      expect(await gateways.versions()).toEqual([
        { version: "1", gateways: 1, connected: 0 },
        { version: "2", gateways: 1, connected: 1 },
      ]);
      const [site, plain] = [makeSite(), makeSite()];
      await copies.site(a, site, NOON);
      await copies.site(a, plain, NOON);
      const own = { ...makeDevice(site.id), slug: "own", type: "GATEWAY" as const };
      await copies.device(a, { ...makeDevice(site.id), slug: "other" });
      await copies.device(a, own);
      const places = await gateways.places([a, b]);
      expect(places.get(a)).toEqual({ siteIds: [site.id, plain.id].sort(), deviceId: own.id, refusals: 0 });
      expect(places.get(b)).toEqual({ siteIds: [], deviceId: undefined, refusals: 0 });
    });

    test("how far a gateway's changes are stored is kept, and a gateway is revoked once", async () => {
      const { gateways } = await open();
      const given = makeJoinCode();
      await gateways.insertCode(given, makeEntry());
      const gateway = makeGateway();
      await gateways.join(given.hash, gateway, makeEntry());
      await gateways.noteTaken(gateway.id, {
        version: "2",
        epoch: "e",
        taken: 7,
        at: instant(NOON + 5),
        isCaughtUp: true,
      });
      const seen = {
        ...gateway,
        version: "2",
        epoch: "e",
        taken: 7,
        lastSeenAt: instant(NOON + 5),
        isConnected: true,
        isCaughtUp: true,
      };
      expect(await gateways.find(gateway.id)).toEqual(seen);
      expect([await gateways.connected(), await gateways.revokedConnected()]).toEqual([[gateway.id], []]);
      const at = instant(NOON + 9);
      expect(await gateways.revoke(gateway.id, at, makeEntry())).toBe(true);
      expect(await gateways.revoke(gateway.id, at, makeEntry())).toBe(false);
      expect([await gateways.connected(), await gateways.revokedConnected()]).toEqual([[gateway.id], [gateway.id]]);
      await gateways.noteGone(gateway.id);
      expect([await gateways.connected(), await gateways.revokedConnected()]).toEqual([[], []]);
      expect(await gateways.find(gateway.id)).toEqual({
        ...seen,
        isConnected: false,
        isCaughtUp: false,
        revokedAt: at,
      });
    });
  });

  test("a gateway's credential is replaced: both are valid until the new one is used", async () => {
    const { gateways } = await open();
    const code = makeJoinCode();
    await gateways.insertCode(code, makeEntry());
    const gateway = makeGateway();
    await gateways.join(code.hash, gateway, makeEntry());
    expect(await gateways.askRotation(newId(), makeEntry())).toBe(false);
    expect(await gateways.askRotation(gateway.id, makeEntry())).toBe(true);
    await gateways.acceptCredential(gateway.id, bytes("next"));
    const both = { ...gateway, nextCredentialHash: bytes("next"), mustRotate: true };
    expect(await gateways.find(gateway.id)).toEqual(both);
    await gateways.settleCredential(gateway.id, bytes("another"));
    expect(await gateways.find(gateway.id)).toEqual(both);
    await gateways.settleCredential(gateway.id, bytes("next"));
    expect(await gateways.find(gateway.id)).toEqual({ ...gateway, credentialHash: bytes("next") });
  });

  test("a gateway keeps the credential that is to be next, until it uses it", async () => {
    const { uplinks } = await open();
    const uplink = {
      url: "https://cloud.example",
      gatewayId: newId(),
      credential: bytes("old"),
      joinedAt: NOON,
      historyBefore: undefined,
      confirmed: 0,
    };
    await uplinks.put(uplink, makeEntry());
    await uplinks.noteContact(NOON);
    await uplinks.putNextCredential(bytes("next"));
    const dropped = { expired: 0, unreadable: 0 };
    const before = { ...uplink, dropped, contactAt: NOON, nextCredential: bytes("next") };
    expect(await uplinks.get()).toEqual(before);
    const at = instant(NOON + 1);
    await uplinks.useNextCredential({ next: bytes("another"), credential: bytes("x"), at });
    expect(await uplinks.get()).toEqual(before);
    await uplinks.useNextCredential({ next: bytes("next"), credential: bytes("new"), at });
    const after = {
      ...before,
      nextCredential: undefined,
      credential: bytes("new"),
      formerCredential: bytes("old"),
      credentialAt: at,
    };
    expect(await uplinks.get()).toEqual(after);
  });

  test("tokens of the cloud are replaced as a whole, and never those of the gateway", async () => {
    const { tokens, uplinks } = await open();
    const own = makeToken({ name: "own" });
    await tokens.insert(own, makeEntry());
    // Nothing is taken from a cloud that the gateway has not joined, or has left.
    expect(await tokens.putOfCloud([makeToken({ fromCloud: true })])).toEqual([]);
    const joined = { url: "u", gatewayId: "g", credential: bytes(""), joinedAt: NOON, historyBefore: undefined };
    await uplinks.put({ ...joined, confirmed: 0 }, makeEntry());
    const [a, b] = [makeToken({ fromCloud: true }), makeToken({ fromCloud: true, sites: new Set(["s"]) })];
    expect(await tokens.putOfCloud([a, b])).toEqual([a.id, b.id]);
    expect(await tokens.all()).toEqual([own, a, b]);
    const hostile = { ...own, level: "vendor", fromCloud: true } as const;
    expect(await tokens.putOfCloud([a, b])).toEqual([]);
    expect(await tokens.putOfCloud([{ ...b, name: "renamed" }, hostile])).toEqual([a.id, b.id, own.id]);
    expect(await tokens.all()).toEqual([own, { ...b, name: "renamed" }]);
    // A person of the cloud, with another level at a site, who then has less.
    const person = { ...b, accountId: b.id, siteLevels: new Map([["s", "owner" as const]]) };
    expect(await tokens.putOfCloud([person])).toEqual([b.id]);
    expect(await tokens.find(b.id)).toEqual(person);
    const less = { ...person, siteLevels: new Map([["s", "installer" as const]]) };
    expect(await tokens.putOfCloud([less])).toEqual([b.id]);
    expect(await tokens.find(b.id)).toEqual(less);
    expect(await tokens.putOfCloud([less])).toEqual([]);
    // Revoked here, it stays so.
    await tokens.revoke(b.id, NOON, makeEntry());
    await tokens.putOfCloud([b]);
    expect((await tokens.find(b.id))?.revokedAt).toBe(NOON);
    await uplinks.put({ ...joined, confirmed: 0 }, makeEntry());
    expect(await tokens.all()).toEqual([own]);
  });

  describe("copies", () => {
    test("the sites of a revoked gateway go to the one that reports them", async () => {
      const { copies, gateways } = await open();
      const code = makeJoinCode();
      await gateways.insertCode(code, makeEntry());
      const former = makeGateway();
      await gateways.join(code.hash, former, makeEntry());
      const site = makeSite();
      await copies.site(former.id, site, NOON);
      const isRefused = async (id: string) => (await copies.site(id, site, NOON)).isRefused;
      expect(await isRefused("g2")).toBe(true);
      await gateways.revoke(former.id, NOON, makeEntry());
      expect(await isRefused("g2")).toBe(true);
      expect(await gateways.ownerOf(site.id)).toBe(former.id);
    });

    test("a copy is stored as it was sent, again and again, and is found by its owner", async () => {
      const { copies, sites, devices, gateways } = await open();
      const site = makeSite();
      await copies.site("g1", site, NOON);
      await copies.site("g1", { ...site, name: "New" }, NOON);
      expect(await sites.find(site.id)).toEqual({ ...site, name: "New" });
      const device = { ...makeDevice(site.id), slug: "a" };
      await copies.device("g1", device);
      expect(await devices.find(device.id)).toEqual(device);
      await copies.device("g1", { ...device, name: "New" });
      expect(await devices.find(device.id)).toEqual({ ...device, name: "New" });
      await copies.properties("g1", device.id, [{ name: "x", value: 1, receivedAt: NOON }]);
      await copies.properties("g1", device.id, [{ name: "y", value: 2, receivedAt: NOON }]);
      expect((await devices.properties([device.id])).get(device.id)).toEqual([
        { name: "y", value: 2, receivedAt: NOON },
      ]);
      expect([await gateways.sites("g1"), await gateways.devices("g1"), await gateways.ownerOf(site.id)]).toEqual([
        [site.id],
        [{ id: device.id, siteId: site.id, type: device.type }],
        "g1",
      ]);
      const ownSite = makeSite();
      await sites.insert(ownSite, makeEntry());
      const own = makeDevice(ownSite.id);
      await devices.insert(own, makeEntry());
      expect((await gateways.ownedAmong([device.id, own.id, "nobody"])).map(({ id }) => id)).toEqual([device.id]);
      await copies.deleteDevice("g1", device.id, NOON);
      await copies.deleteSite("g1", site.id);
      expect([await devices.find(device.id), await sites.find(site.id)]).toEqual([undefined, undefined]);
    });

    test("a device hangs on devices of its own gateway only", async () => {
      const { copies } = await open();
      const [site, other] = [makeSite(), makeSite()];
      const parent = { ...makeDevice(other.id), slug: "parent" };
      await copies.site("g1", site, NOON);
      await copies.site("g2", other, NOON);
      await copies.device("g2", parent);
      const child = { ...makeDevice(site.id), slug: "child", type: "CHILD" as const, parentId: parent.id };
      await expectRefusal(copies.device("g1", child), "conflict");
      await copies.device("g2", { ...child, siteId: other.id });
    });

    test("alerts, log entries, configuration and audit entries are stored as they are sent, however often", async () => {
      const { copies, alerts, deviceLogs, configurations, audit } = await open();
      const site = makeSite();
      await copies.site("g1", site, NOON);
      const device = { ...makeDevice(site.id), slug: "a" };
      await copies.device("g1", device);
      const nobody = { events: [], notices: [] };
      const raised = {
        ...makeAlert(),
        deviceId: device.id,
        siteId: site.id,
        clearedAt: undefined,
        acknowledgement: undefined,
      };
      for (const alert of [raised, raised]) await copies.alert("g1", alert, nobody);
      expect(await alerts.active(device.id)).toEqual([raised]);
      await copies.alert("g1", { ...raised, isHard: true, clearedAt: NOON }, nobody);
      expect([await alerts.active(device.id), (await alerts.find(raised))?.clearedAt]).toEqual([[], NOON]);
      const log = { deviceId: device.id, entry: makeLogEntry(), maxBytes: 10_000 };
      expect([await copies.logEntry("g1", log), await copies.logEntry("g1", log)]).toEqual([true, false]);
      expect((await deviceLogs.list(device.id, { newestFirst: true }, ALL)).items).toEqual([log.entry]);
      const bucket = { bucket: "network", shown: { host: "a" }, sealed: bytes(""), updatedAt: NOON };
      await copies.configuration("g1", { deviceId: device.id, buckets: [bucket], events: [] });
      await copies.configuration("g1", { deviceId: device.id, buckets: [bucket], events: [] });
      expect((await configurations.get(device.id)).map(({ shown }) => shown)).toEqual([{ host: "a" }]);
      const entry = makeEntry({ target: { siteId: site.id } });
      for (const count of [1, 3]) await copies.auditEntry("g1", { ...entry, count });
      expect(await audit.find(entry.id)).toEqual({ ...entry, count: 3, reportedBy: "g1" });
      await expectRefusal(copies.auditEntry("g2", entry), "conflict");
      await expectRefusal(copies.auditEntry("g2", makeEntry({ target: { siteId: site.id } })), "conflict");
      await expectRefusal(copies.alert("g2", raised, nobody), "conflict");
      await expectRefusal(copies.logEntry("g2", log), "conflict");
      await expectRefusal(copies.configuration("g2", { deviceId: device.id, buckets: [], events: [] }), "conflict");
    });

    test("rules, reports, variables and notifications count only for a site of the gateway that sends them", async () => {
      const { copies, rules, notifications } = await open();
      const [site, foreign] = [makeSite(), makeSite()];
      await copies.site("g1", site, NOON);
      await copies.site("g2", foreign, NOON);
      const [siteId, id] = [site.id, newId()];
      const rule = { ...COPIED_RULE, slug: "surplus" };
      const report = { revision: 1, isRunning: true };
      const nobody = { events: [], notices: [] };
      const message = makeNotification(siteId);
      for (const gateway of ["g1", "g2"]) {
        const writes = [
          () => copies.ruleEngine(gateway, siteId, { state: "SUSPENDED" }),
          () => copies.rule(gateway, { siteId, id }, rule),
          () => copies.ruleReport(gateway, { siteId, id }, report),
          () => copies.variable(gateway, { siteId, name: "away" }, { value: true, updatedAt: NOON }),
          () => copies.notification(gateway, message, nobody),
        ];
        for (const write of writes) {
          if (gateway === "g1") await write();
          else await expectRefusal(write(), "conflict");
        }
      }
      // A rule, and a notification, of one site cannot be moved to another one by its id.
      await expectRefusal(copies.rule("g2", { siteId: foreign.id, id }, rule), "conflict");
      await expectRefusal(copies.notification("g2", { ...message, siteId: foreign.id }, nobody), "conflict");
      expect(await rules.engineState(siteId)).toBe("SUSPENDED");
      expect(await rules.find(siteId, "surplus")).toEqual({ ...rule, id, siteId });
      expect([...(await rules.reports(siteId))]).toEqual([[id, report]]);
      expect(await rules.variables(siteId)).toEqual([{ name: "away", value: true, updatedAt: NOON }]);
      expect(await notifications.find(siteId, message.id)).toEqual(message);
      expect((await notifications.list(foreign.id, ALL)).items).toEqual([]);
    });

    test("a notification is announced once, however often it comes, and a flood of them is refused", async () => {
      const { copies, notifications, outbox } = await open();
      const site = makeSite();
      await copies.site("g1", site, NOON);
      const announced = (notification: Notification) => {
        const facts = { kind: "notification", siteId: site.id, deviceId: "", readLevel: "readonly", at: NOON } as const;
        return { events: [{ ...facts, data: JSON.stringify({ id: notification.id }) }], notices: [] };
      };
      const first = makeNotification(site.id);
      expect(await copies.notification("g1", first, announced(first))).toBe(true);
      const position = await outbox.latest();
      expect(await copies.notification("g1", first, announced(first))).toBe(false);
      expect(await outbox.latest()).toBe(position);
      for (let n = 1; n < 2 * MOST_NOTIFICATIONS_PER_MINUTE.site; n++) {
        await copies.notification("g1", makeNotification(site.id), { events: [], notices: [] });
      }
      const late = makeNotification(site.id, { at: instant(NOON + 59_999) });
      await expectRefusal(copies.notification("g1", late, announced(late)), "conflict");
      expect(await outbox.latest()).toBe(position);
      const next = makeNotification(site.id, { at: instant(NOON + 60_000) });
      expect(await copies.notification("g1", next, announced(next))).toBe(true);
      expect((await notifications.list(site.id, ALL)).items[0]).toEqual(next);
    });

    test("what rules tell people is noted for the cloud, once", async () => {
      const { uplinks, notifications, sites } = await open();
      const site = makeSite();
      await sites.insert(site, makeEntry());
      await uplinks.put(
        {
          ...{ url: "https://cloud.example", gatewayId: newId(), credential: bytes("sealed"), joinedAt: NOON },
          ...{ historyBefore: NOON, confirmed: 0, cloudEpoch: undefined },
        },
        makeEntry(),
      );
      const notification = makeNotification(site.id);
      const facts = { kind: "notification", siteId: site.id, deviceId: "", readLevel: "readonly", at: NOON } as const;
      const given = { notification, key: "a", event: { ...facts, data: "{}" }, notices: [] };
      const from = await uplinks.latest();
      for (let n = 0; n < 2; n++)
        await notifications.insert({
          ...given,
          notification: { ...notification, id: n === 0 ? notification.id : newId() },
        });
      const { keys } = await uplinks.changesAfter(from, 10);
      expect(keys.map(({ kind, key }) => [kind, key])).toEqual([["notification", `${site.id} ${notification.id}`]]);
    });

    test("an audit entry of a gateway is marked, is about its own, and never changes one of others", async () => {
      const { copies, audit, gateways } = await open();
      const [mine, foreign] = [makeSite(), makeSite()];
      await copies.site("g1", foreign, NOON);
      const device = { ...makeDevice(foreign.id), slug: "a" };
      await copies.device("g1", device);
      await copies.site("g2", mine, NOON);
      const about = (target: object) => makeEntry({ target: { siteId: mine.id, ...target } });
      await expectRefusal(copies.auditEntry("g2", about({ deviceId: device.id })), "conflict");
      // The cloud's own entry about the gateway, such as that it joined.
      const ours = makeEntry({ details: { gateway_id: "g2" } });
      const code = makeJoinCode();
      await gateways.insertCode(code, ours);
      await expectRefusal(copies.auditEntry("g2", { ...ours, count: 99 }), "conflict");
      expect(await audit.find(ours.id)).toEqual({ ...ours, reportedBy: undefined });
      const theirs = makeEntry();
      await copies.auditEntry("g1", theirs);
      await copies.auditEntry("g2", { ...theirs, count: 99 });
      expect(await audit.find(theirs.id)).toEqual({ ...theirs, reportedBy: "g1" });
      // Nor does the cloud change what a gateway reported.
      await audit.put([{ ...theirs, count: 98 }]);
      expect(await audit.find(theirs.id)).toEqual({ ...theirs, reportedBy: "g1" });
      // A gateway cannot put words into the mouth of a token: its own entries are those that were written here.
      const actor = { tokenId: "t", name: "somebody" };
      await copies.auditEntry("g1", makeEntry({ actor }));
      const read = await audit.list({ reader: { sites: new Set(), tokenId: "t" }, newestFirst: true }, ALL);
      expect(read.items).toEqual([]);
    });

    test("a site changes its gateway when a person has said so, and only then", async () => {
      const { copies, gateways, sites } = await open();
      const join = async (fields: Partial<JoinCode> = {}) => {
        const [code, gateway] = [makeJoinCode(fields), makeGateway()];
        await gateways.insertCode(code, makeEntry());
        await gateways.join(code.hash, gateway, makeEntry());
        return gateway.id;
      };
      const [first, second] = [await join(), await join()];
      const [a, b, c, own] = [makeSite(), makeSite(), makeSite(), makeSite()];
      for (const site of [a, b, c]) await copies.site(first, site, NOON);
      await sites.insert(own, makeEntry());
      const replacing = await join({ replaces: first });
      const forOne = await join({ siteIds: [b.id, own.id] });
      expect(await gateways.grantedSites(replacing)).toEqual([a.id, c.id].sort());
      // The latest word counts.
      expect(await gateways.grantedSites(forOne)).toEqual([b.id]);
      const copy = async (id: string, site: Site) => (await copies.site(id, site, NOON)).formerOwner ?? "refused";
      expect([await copy(replacing, a), await copy(replacing, b), await copy(second, c)]).toEqual([
        first,
        "refused",
        "refused",
      ]);
      expect([await copy(forOne, b), await copy(forOne, own)]).toEqual([first, "refused"]);
      // A word is good for one change of owner.
      expect([await copy(first, a), await gateways.ownerOf(a.id)]).toEqual(["refused", replacing]);
      const grant = (gatewayId: string, siteId: string) =>
        gateways.grantSite({ gatewayId, siteId, at: NOON, trail: makeEntry() });
      expect([await grant(second, own.id), await grant("nobody", a.id), await grant(first, a.id)]).toEqual([
        false,
        false,
        true,
      ]);
      await gateways.revoke(first, NOON, makeEntry());
      expect([await gateways.grantedSites(first), await grant(first, a.id)]).toEqual([[], false]);
    });

    test("refused records are kept with their reasons, up to a number, until they are taken", async () => {
      const { gateways } = await open();
      const [code, { id, ...rest }] = [makeJoinCode(), makeGateway()];
      await gateways.insertCode(code, makeEntry());
      await gateways.join(code.hash, { id, ...rest }, makeEntry());
      const records = Array.from({ length: 120 }, (_, n) => ({ kind: "site", key: `${n + 100}`, reason: "foreign" }));
      await gateways.noteRefusals(id, { refused: records, taken: [], at: NOON });
      const kept = await gateways.refusals(id);
      expect([kept.length, kept[0]]).toEqual([100, { kind: "site", key: "100", reason: "foreign", at: NOON }]);
      expect((await gateways.places([id])).get(id)?.refusals).toBe(100);
      await gateways.noteRefusals(id, { refused: [], taken: records, at: NOON });
      expect(await gateways.refusals(id)).toEqual([]);
    });

    test("devices that exchange their slugs are sent one after the other", async () => {
      const { copies, devices } = await open();
      const site = makeSite();
      await copies.site("g1", site, NOON);
      const [a, b] = [
        { ...makeDevice(site.id), slug: "a" },
        { ...makeDevice(site.id), slug: "b" },
      ];
      for (const device of [a, b, { ...a, slug: "b" }, { ...b, slug: "a" }]) await copies.device("g1", device);
      expect([(await devices.find(a.id))?.slug, (await devices.find(b.id))?.slug]).toEqual(["b", "a"]);
    });

    test("a gateway changes nothing of another one, nor of the cloud itself", async () => {
      const { copies, sites, devices } = await open();
      const [own, foreign] = [makeSite(), makeSite()];
      await sites.insert(own, makeEntry());
      await copies.site("g1", foreign, NOON);
      const device = { ...makeDevice(foreign.id), slug: "a" };
      await copies.device("g1", device);
      const mine = makeSite();
      await copies.site("g2", mine, NOON);
      for (const site of [own, foreign]) {
        expect(await copies.site("g2", site, NOON)).toEqual({ isRefused: true, formerOwner: undefined });
      }
      await expectRefusal(copies.device("g2", device), "conflict");
      await expectRefusal(copies.device("g2", { ...device, siteId: mine.id }), "conflict");
      await expectRefusal(copies.properties("g2", device.id, []), "conflict");
      await expectRefusal(copies.deleteDevice("g2", device.id, NOON), "conflict");
      await expectRefusal(copies.deleteSite("g2", foreign.id), "conflict");
      expect(await devices.find(device.id)).toEqual(device);
    });

    test("what a gateway owns is changed by nobody else", async () => {
      const { copies, sites, devices, configurations } = await open();
      const site = makeSite();
      await copies.site("g1", site, NOON);
      const device = { ...makeDevice(site.id), slug: "a" };
      await copies.device("g1", device);
      const entry = makeEntry();
      const owned = "owned_by_gateway";
      await expectRefusal(sites.update(site.id, { name: "x", updatedAt: NOON }, entry), owned);
      await expectRefusal(devices.insert(makeDevice(site.id), entry), owned);
      await expectRefusal(devices.update(device.id, { name: "x", updatedAt: NOON }, entry), owned);
      await expectRefusal(devices.delete(device.id, entry), owned);
      await expectRefusal(configurations.put({ deviceId: device.id, buckets: [], events: [] }, entry), owned);
      await copies.deleteDevice("g1", device.id, NOON);
      await expectRefusal(sites.delete(site.id, entry), owned);
    });

    test("tariff and prices of a gateway's site are copied by its gateway alone, and replaced as a whole", async () => {
      const { copies, sites, tariffs, priceSources } = await open();
      const [site, own] = [makeSite(), makeSite()];
      await copies.site("g1", site, NOON);
      await sites.insert(own, makeEntry());
      const document = { currency: "EUR", versions: [{ import: { type: "prices" } }] };
      const { siteId: _, sealedHeader: __, ...source } = makePriceSource(site.id);
      const day = Array.from({ length: 96 }, (_, n) => (n === 5 ? 7 : null));
      const name = { siteId: site.id, kind: "import", day: 20_000 } as const;
      await copies.tariff("g1", site.id, { document, updatedAt: NOON, sources: [source] });
      await copies.prices("g1", name, day);
      expect(await tariffs.find(site.id)).toMatchObject({ document, updatedAt: NOON });
      expect(await priceSources.ofSite(site.id)).toEqual([{ ...source, siteId: site.id, sealedHeader: undefined }]);
      // The gateway fetches them.
      expect((await priceSources.due(NOON, 100)).filter(({ siteId }) => siteId === site.id)).toEqual([]);
      expect(await tariffs.priceDays(site.id)).toEqual([{ kind: "import", day: 20_000 }]);
      for (const [gatewayId, siteId] of [
        ["g2", site.id],
        ["g1", own.id],
        ["g1", newId()],
      ] as const) {
        await expectRefusal(copies.tariff(gatewayId, siteId, null), "conflict");
        await expectRefusal(copies.prices(gatewayId, { ...name, siteId }, null), "conflict");
      }
      await expectRefusal(tariffs.delete(site.id, makeEntry()), "owned_by_gateway");
      await expectRefusal(priceSources.delete(site.id, "import", makeEntry()), "owned_by_gateway");
      await copies.tariff("g1", site.id, null);
      await copies.prices("g1", name, null);
      expect(await tariffs.find(site.id)).toBeUndefined();
      expect([await priceSources.ofSite(site.id), await tariffs.priceDays(site.id)]).toEqual([[], []]);
    });

    test("what a revoked gateway has left behind can be deleted", async () => {
      const { copies, gateways, sites, devices } = await open();
      const gateway = makeGateway();
      const code = makeJoinCode();
      await gateways.insertCode(code, makeEntry());
      await gateways.join(code.hash, gateway, makeEntry());
      const site = makeSite();
      await copies.site(gateway.id, site, NOON);
      const device = { ...makeDevice(site.id), slug: "a" };
      await copies.device(gateway.id, device);
      await expectRefusal(devices.delete(device.id, makeEntry()), "owned_by_gateway");
      await gateways.revoke(gateway.id, NOON, makeEntry());
      expect(await devices.delete(device.id, makeEntry())).toBe(true);
      expect(await sites.delete(site.id, makeEntry())).toBe(true);
    });
  });
}
