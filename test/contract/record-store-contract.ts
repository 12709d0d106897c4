// Everything that a store of records must do, whoever implements it. `open` gives empty stores; whoever passes it closes them.
import { describe, expect, test } from "vitest";
import type { AlertChange } from "#core/alert/alert-state.ts";
import { parseRetention, UNLIMITED } from "#core/telemetry/retention.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { arrival, asNew, makeExecution, type Place } from "../support/executions.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { accountStoreContract } from "./account-store-contract.ts";
import { alertStoreContract, raised } from "./alert-store-contract.ts";
import { attemptStoreContract } from "./attempt-store-contract.ts";
import { auditStoreContract } from "./audit-store-contract.ts";
import { blueprintStoreContract } from "./blueprint-store-contract.ts";
import { bulkStoreContract } from "./bulk-store-contract.ts";
import { calendarStoreContract } from "./calendar-store-contract.ts";
import { changeEventsContract } from "./change-events-contract.ts";
import { changeStoreContract } from "./change-store-contract.ts";
import { channelStoreContract } from "./channel-store-contract.ts";
import { configurationStoreContract } from "./configuration-store-contract.ts";
import { controlStoreContract } from "./control-store-contract.ts";
import { correctionStoreContract } from "./correction-store-contract.ts";
import { deviceLogStoreContract } from "./device-log-store-contract.ts";
import { deviceStoreContract } from "./device-store-contract.ts";
import { eventOutboxContract } from "./event-outbox-contract.ts";
import { eventRoomContract } from "./event-room-contract.ts";
import { interlockStoreContract } from "./interlock-store-contract.ts";
import { joinCodeContract } from "./join-code-contract.ts";
import { linkStoreContract } from "./link-store-contract.ts";
import { maintenanceStoreContract } from "./maintenance-store-contract.ts";
import { messageStoreContract } from "./message-store-contract.ts";
import { notificationStoreContract } from "./notification-store-contract.ts";
import { passkeyStoreContract } from "./passkey-store-contract.ts";
import { priceSourceContract } from "./price-source-contract.ts";
import { profileStoreContract } from "./profile-store-contract.ts";
import { providerSignInStoreContract } from "./provider-sign-in-store-contract.ts";
import { rolloutStoreContract } from "./rollout-store-contract.ts";
import { ruleStoreContract } from "./rule-store-contract.ts";
import { scheduleStoreContract } from "./schedule-store-contract.ts";
import { scriptStoreContract } from "./script-store-contract.ts";
import { secondFactorStoreContract } from "./second-factor-store-contract.ts";
import { sessionStoreContract } from "./session-store-contract.ts";
import { settingStoreContract } from "./setting-store-contract.ts";
import { simulationStoreContract } from "./simulation-store-contract.ts";
import { siteStoreContract } from "./site-store-contract.ts";
import { ALL, auditIds, type OpenStores } from "./stores.ts";
import { tariffStoreContract } from "./tariff-store-contract.ts";
import { terminalSignInStoreContract } from "./terminal-sign-in-store-contract.ts";
import { tokenStoreContract } from "./token-store-contract.ts";
import { viewStoreContract } from "./view-store-contract.ts";
import { makeNotice, makeWebhook, webhookStoreContract } from "./webhook-store-contract.ts";

/** A device, on a site of its own unless one is named. */
export async function newDevice({ sites, devices }: SubjectStores, siteId?: string): Promise<Place> {
  const site = makeSite();
  if (siteId === undefined) await sites.insert(site, makeEntry());
  const device = await devices.insert(makeDevice(siteId ?? site.id), makeEntry());
  return { siteId: device.siteId, deviceId: device.id };
}

/** All but executions, which have a suite of their own: execution-store-contract.ts. */
export function recordStoreContract(open: OpenStores): void {
  describe("sites", () => siteStoreContract(open));
  describe("devices", () => deviceStoreContract(open));
  describe("blueprints", () => blueprintStoreContract(open));
  describe("profiles", () => profileStoreContract(open));
  describe("settings", () => settingStoreContract(open));
  describe("tokens", () => tokenStoreContract(open));
  describe("accounts", () => accountStoreContract(open));
  describe("sign-ins by a provider", () => providerSignInStoreContract(open));
  describe("sign-ins of terminals", () => terminalSignInStoreContract(open));
  describe("sessions", () => sessionStoreContract(open));
  describe("second factors", () => secondFactorStoreContract(open));
  describe("passkeys", () => passkeyStoreContract(open));
  describe("attempts to sign in", () => attemptStoreContract(open));
  describe("the audit log", () => auditStoreContract(open));
  describe("webhooks", () => webhookStoreContract(open));
  describe("saved views", () => viewStoreContract(open));
  describe("controls", () => controlStoreContract(open));
  describe("interlocks", () => interlockStoreContract(open));
  describe("rules", () => ruleStoreContract(open));
  describe("notification channels", () => channelStoreContract(open));
  describe("messages to people", () => messageStoreContract(open));
  describe("maintenance windows", () => maintenanceStoreContract(open));
  describe("notifications", () => notificationStoreContract(open));
  describe("calendars", () => calendarStoreContract(open));
  describe("the link", () => linkStoreContract(open));
  describe("join codes", () => joinCodeContract(open));
  describe("scheduled commands", () => scheduleStoreContract(open));
  describe("bulk commands", () => bulkStoreContract(open));
  describe("roll-outs", () => rolloutStoreContract(open));
  describe("changes for gateways", () => changeStoreContract(open));
  describe("the outbox", () => eventOutboxContract(async () => (await open()).outbox));
  describe("room in the outbox", () => eventRoomContract(async () => (await open()).outbox));
  describe("events of changes", () => changeEventsContract(open));

  describe("alerts", () =>
    alertStoreContract(async () => {
      const stores = await open();
      return { alerts: stores.alerts, device: (siteId) => newDevice(stores, siteId) };
    }));

  describe("device logs", () =>
    deviceLogStoreContract(async () => {
      const { stores, deviceId, otherId } = await withTwoDevices(open);
      return { logs: stores.deviceLogs, deviceId, otherId };
    }));

  describe("configurations", () =>
    configurationStoreContract(async () => {
      const { stores, deviceId, otherId } = await withTwoDevices(open);
      return { configurations: stores.configurations, deviceId, otherId, audited: await auditedFromNow(stores) };
    }));

  describe("tariffs and prices", () => tariffStoreContract(open));
  describe("sources of prices", () => priceSourceContract(open));
  describe("corrections of counters", () =>
    correctionStoreContract(async () => {
      const { stores, deviceId, otherId } = await withTwoDevices(open);
      const forget = () => stores.devices.delete(deviceId, makeEntry());
      return { corrections: stores.corrections, deviceId, otherId, audited: await auditedFromNow(stores), forget };
    }));

  describe("simulations", () =>
    simulationStoreContract(async () => {
      const { stores, deviceId } = await withTwoDevices(open);
      const forget = () => stores.devices.delete(deviceId, makeEntry());
      return { simulations: stores.simulations, deviceId, audited: await auditedFromNow(stores), forget };
    }));

  describe("storage of scripts", () =>
    scriptStoreContract(async () => {
      const { stores, deviceId, otherId } = await withTwoDevices(open);
      const forget = async (id: string) => void (await stores.devices.delete(id, makeEntry()));
      return { scripts: stores.scripts, deviceId, otherId, delete: forget };
    }));

  describe("several subjects together", () => togetherContract(open));
}

/** What holds across subjects: all of it is stored or nothing, and what belongs to a device goes with it. */
function togetherContract(open: OpenStores): void {
  test("an alert and its notices are stored together, or neither is", async () => {
    const stores = await open();
    const { alerts, webhooks } = stores;
    const webhook = makeWebhook();
    await webhooks.insert(webhook, makeEntry());
    const { deviceId, siteId } = await newDevice(stores);
    const change: AlertChange = { kind: "raised", at: NOON, alert: raised("a", 0) };
    const total = async () => (await webhooks.deliveries(webhook.id, { newestFirst: true }, ALL)).total;
    const broken = { ...makeNotice("a", 0, { siteId }), event: null as unknown as string };
    await expect(alerts.record(deviceId, [change], { events: [], notices: [broken] })).rejects.toThrow();
    expect([await alerts.active(), await total()]).toEqual([[], 0]);
    expect(await alerts.record(newId(), [change], { events: [], notices: [makeNotice("a")] })).toBe(false);
    expect(await total()).toBe(0);
    await alerts.record(deviceId, [change], { events: [], notices: [makeNotice("a", 0, { siteId })] });
    expect([(await alerts.active()).length, await total()]).toEqual([1, 1]);
  });

  test("an execution and its audit entry are stored together, or neither is", async () => {
    const stores = await open();
    const place = await newDevice(stores);
    const entry = makeEntry();
    await stores.executions.insert(asNew(makeExecution(place)), entry);
    await expect(stores.executions.insert(asNew(makeExecution(place)), entry)).rejects.toThrow();
    expect(await stores.executions.open({ limit: 5 })).toHaveLength(1);
  });

  test("a deleted device takes its alerts, executions and log along", async () => {
    const stores = await open();
    const { alerts, deviceLogs, devices, executions } = stores;
    const place = await newDevice(stores);
    const { deviceId } = place;
    await alerts.record(deviceId, [{ kind: "raised", at: NOON, alert: raised("a", 0) }], { events: [], notices: [] });
    const execution = makeExecution(place);
    await executions.insert(asNew(execution), makeEntry());
    const { at } = arrival("STARTED");
    await deviceLogs.append(
      deviceId,
      [{ receivedAt: at, takenAt: NOON, severity: "info", message: "", persist: true }],
      1e9,
    );
    expect([(await alerts.active()).length, (await executions.open({ limit: 5 })).length]).toEqual([1, 1]);
    expect(await devices.delete(deviceId, makeEntry())).toBe(true);
    expect(await alerts.active()).toEqual([]);
    expect(await executions.open({ limit: 5 })).toEqual([]);
    expect(await executions.find(deviceId, execution.id, NOON)).toBeUndefined();
    expect(await executions.expire(execution.id, execution.deadline)).toBeUndefined();
    expect((await deviceLogs.list(deviceId, { newestFirst: true }, ALL)).total).toBe(0);
  });

  test("retention rules are replaced as a whole, site by site, each change with its audit entry", async () => {
    const stores = await open();
    const [one, other] = [makeSite(), makeSite()];
    for (const site of [one, other]) await stores.sites.insert(site, makeEntry());
    const audited = await auditedFromNow(stores);
    const none = { fallback: undefined, attributes: new Map() };
    expect(await stores.retentions.get(one.id)).toEqual(none);
    const days = parseRetention("30d");
    const rules = {
      fallback: days,
      attributes: new Map([
        ["constructor", days ?? UNLIMITED],
        ["power", UNLIMITED],
      ]),
    };
    await stores.retentions.put(one.id, rules, makeEntry());
    expect([await stores.retentions.get(one.id), await stores.retentions.get(other.id)]).toEqual([rules, none]);
    await stores.retentions.put(one.id, none, makeEntry());
    expect([await stores.retentions.get(one.id), await audited()]).toEqual([none, 2]);
  });
}

async function withTwoDevices(open: OpenStores) {
  const stores = await open();
  const [{ deviceId }, { deviceId: otherId }] = [await newDevice(stores), await newDevice(stores)];
  return { stores, deviceId, otherId };
}

/** Counts the audit entries that come from now on. */
async function auditedFromNow(stores: SubjectStores): Promise<() => Promise<number>> {
  const before = (await auditIds(stores)).length;
  return async () => (await auditIds(stores)).length - before;
}
