// What a gateway sends to its cloud: records as they are now. Nothing depends on how often or in which order they are sent,
// except that a record comes after those it refers to.

import type { Device } from "#core/device/device.ts";
import {
  alertKey,
  controlRecordKey,
  deviceOfKey,
  interlockKey,
  LINKED_KINDS,
  type LinkedKey,
  logKey,
  parseAlertKey,
  parseControlRecordKey,
  parseInterlockKey,
  parseLogKey,
  parsePricesKey,
  pricesKey,
  siteOfKey,
} from "#core/link/linked-key.ts";
import type {
  LinkedAlert,
  LinkedBlueprint,
  LinkedControl,
  LinkedDevice,
  LinkedInterlock,
  LinkedItem,
  LinkedPriceSource,
  LinkedSite,
  LinkedTariff,
} from "#core/link/messages.ts";
import type { Site } from "#core/site/site.ts";
import { allAtOnce, allPages } from "#service/all-pages.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";
import type { DamagedInterlock, StoredInterlock } from "#service/ports/interlock-store.ts";
import type { Needs } from "#service/ports.ts";
import { readNotifications, readRuleItem, readRules } from "./read-linked-rules.ts";

export type ReadLinkedNeeds = Pick<
  Needs,
  | "sites"
  | "devices"
  | "corrections"
  | "tariffs"
  | "priceSources"
  | "blueprints"
  | "executions"
  | "uplinks"
  | "configurations"
  | "controls"
  | "interlocks"
  | "rules"
  | "notifications"
  | "alerts"
  | "deviceLogs"
  | "audit"
>;

export interface LinkedPage {
  readonly items: readonly LinkedItem[];
  /** Everything up to this number is in the items, or was sent before. */
  readonly to: number;
  readonly isLast: boolean;
}

const KEYS_AT_ONCE = 500;
const EXECUTIONS_AT_ONCE = 500;

/** What changed after this number. */
export async function readLinkedChanges(needs: ReadLinkedNeeds, after: number): Promise<LinkedPage> {
  const { keys, upTo } = await needs.uplinks.changesAfter(after, KEYS_AT_ONCE);
  // Executions have numbers of the same count.
  if (upTo <= after) return { items: [], to: after, isLast: true };
  const page = await needs.executions.changesAfter(after, EXECUTIONS_AT_ONCE, upTo);
  const executions = page.changes.map((value) => ({ kind: "execution" as const, key: value.execution.id, value }));
  const isWhole = page.next >= page.latest || page.next === after;
  // The next page goes on behind both, so that neither a record nor an execution is left out.
  const to = isWhole ? Math.max(upTo, after) : page.next;
  const current = keys.filter(({ changed }) => changed <= to);
  const deviceIds = new Set(page.changes.map(({ execution }) => execution.deviceId));
  const items = await readItems(needs, await withReferences(needs, { keys: current, deviceIds, after }));
  // A site is deleted after its devices.
  const isGone = ({ kind, value }: LinkedItem) => kind === "site" && value === null;
  return {
    items: [...items.filter((item) => !isGone(item)), ...executions, ...items.filter(isGone)],
    to,
    isLast: isWhole && keys.length < KEYS_AT_ONCE,
  };
}

/** Everything there is, in an order in which each record comes after those it refers to; executions up to the number. */
export async function* readEverythingLinked(needs: ReadLinkedNeeds, upTo: number): AsyncIterable<LinkedItem> {
  // The cloud deletes devices and sites that are left out.
  const devices = await allAtOnce((page) => needs.devices.list({ scope: "all" }, page));
  const sites = await allAtOnce((page) => needs.sites.list("all", page));
  for (const site of sites) {
    yield { kind: "site", key: site.id, value: linkedSite(site) };
  }
  // Also those that no device has yet: a device that gets one later names only which one.
  for await (const { id } of allPages((page) => needs.blueprints.list(page))) {
    yield await readItem(needs, { kind: "blueprint", key: id });
  }
  for (const { id } of parentsFirst(devices)) {
    yield await readItem(needs, { kind: "device", key: id });
    yield await readItem(needs, { kind: "properties", key: id });
    yield await readItem(needs, { kind: "configuration", key: id });
    yield await readItem(needs, { kind: "controls", key: id });
  }
  const siteIds = sites.map(({ id }) => id);
  yield* readInterlocks(needs, siteIds);
  yield* readRules(needs, siteIds);
  yield* readTariffs(needs, siteIds);
  yield* readPassing(needs, devices);
  yield* readNotifications(needs, siteIds);
  for (let cursor = 0; cursor < upTo; ) {
    const { changes, next } = await needs.executions.changesAfter(cursor, EXECUTIONS_AT_ONCE);
    for (const value of changes) yield { kind: "execution", key: value.execution.id, value };
    if (changes.length === 0) return;
    cursor = next;
  }
}

/** Newest first, so that an entry that is deleted meanwhile does not hide another one. */
async function* readPassing(needs: ReadLinkedNeeds, devices: readonly Device[]): AsyncIterable<LinkedItem> {
  const everyAlert = { scope: "all", level: "system", newestFirst: true } as const;
  for (const active of [true, false]) {
    for await (const alert of allPages((page) => needs.alerts.list({ ...everyAlert, active }, page))) {
      yield { kind: "alert", key: alertKey(alert), value: await linkedAlert(needs, alert) };
    }
  }
  for (const { id: deviceId } of devices) {
    for await (const entry of allPages((page) => needs.deviceLogs.list(deviceId, { newestFirst: true }, page))) {
      yield { kind: "log", key: logKey({ deviceId, receivedAt: entry.receivedAt }), value: entry };
    }
  }
  for (const { id: deviceId } of devices) {
    const filter = { deviceId, control: undefined, from: undefined, to: undefined };
    for await (const { at, ...value } of allPages((page) => needs.controls.history(filter, page))) {
      yield { kind: "control_record", key: controlRecordKey({ deviceId, at }), value };
    }
  }
  const reader = { tokenId: "", sites: "all" } as const;
  for await (const entry of allPages((page) => needs.audit.list({ reader, newestFirst: true }, page))) {
    yield { kind: "audit", key: entry.id, value: entry };
  }
}

/** The keys and devices, and before each those it refers to, as far as they have changed. */
async function withReferences(
  needs: ReadLinkedNeeds,
  {
    keys,
    deviceIds,
    after,
  }: { readonly keys: readonly LinkedKey[]; readonly deviceIds: Iterable<string>; readonly after: number },
): Promise<readonly LinkedKey[]> {
  const found = new Map<string, LinkedKey>();
  const add = async (one: LinkedKey): Promise<void> => {
    const name = `${one.kind} ${one.key}`;
    if (found.has(name)) return;
    found.set(name, one);
    const siteId = siteOfKey(one);
    if (siteId !== undefined) {
      for (const changed of await needs.uplinks.amongChanged([{ kind: "site", key: siteId }], after))
        await add(changed);
    }
    const deviceId = deviceOfKey(one);
    const device = deviceId === undefined ? undefined : await needs.devices.find(deviceId);
    if (device === undefined) return;
    const referred: LinkedKey[] = [{ kind: "site", key: device.siteId }];
    if (device.blueprintId !== undefined) referred.push({ kind: "blueprint", key: device.blueprintId });
    for (const id of [device.parentId, one.kind === "device" ? undefined : device.id]) {
      if (id !== undefined) referred.push({ kind: "device", key: id });
    }
    for (const changed of await needs.uplinks.amongChanged(referred, after)) await add(changed);
  };
  for (const { kind, key } of keys) await add({ kind, key });
  const devicesOf = Array.from(deviceIds, (key) => ({ kind: "device" as const, key }));
  for (const changed of await needs.uplinks.amongChanged(devicesOf, after)) await add(changed);
  const devices = [...found.values()].filter(({ kind }) => kind === "device");
  const order = new Map((await depths(needs, devices)).map((id, place) => [id, place]));
  return [...found.values()].sort(
    (a, b) =>
      LINKED_KINDS.indexOf(a.kind) - LINKED_KINDS.indexOf(b.kind) ||
      (order.get(a.key) ?? -1) - (order.get(b.key) ?? -1),
  );
}

async function depths(needs: ReadLinkedNeeds, keys: readonly LinkedKey[]): Promise<readonly string[]> {
  const devices: Device[] = [];
  for (const { key } of keys) {
    const device = await needs.devices.find(key);
    if (device !== undefined) devices.push(device);
  }
  return parentsFirst(devices).map(({ id }) => id);
}

function parentsFirst(devices: readonly Device[]): readonly Device[] {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const ordered = new Set<Device>();
  const add = (device: Device): void => {
    const parent = device.parentId === undefined ? undefined : byId.get(device.parentId);
    if (parent !== undefined && !ordered.has(parent)) add(parent);
    ordered.add(device);
  };
  for (const device of devices) add(device);
  return [...ordered];
}

async function readItems(needs: ReadLinkedNeeds, keys: readonly LinkedKey[]): Promise<readonly LinkedItem[]> {
  const items: LinkedItem[] = [];
  for (const key of keys) items.push(await readItem(needs, key));
  return items;
}

export async function readItem(needs: ReadLinkedNeeds, { kind, key }: LinkedKey): Promise<LinkedItem> {
  switch (kind) {
    case "site": {
      const found = await needs.sites.find(key);
      return { kind, key, value: found === undefined ? null : linkedSite(found) };
    }
    case "blueprint":
      return { kind, key, value: await linkedBlueprint(needs, key) };
    case "device":
      return { kind, key, value: await linkedDevice(needs, key) };
    case "properties":
      return { kind, key, value: (await needs.devices.properties([key])).get(key) ?? [] };
    case "configuration": {
      const buckets = await needs.configurations.get(key);
      return { kind, key, value: buckets.map(({ bucket, shown, updatedAt }) => ({ bucket, shown, updatedAt })) };
    }
    case "controls":
      return { kind, key, value: await linkedControls(needs, key) };
    case "control_record": {
      const name = parseControlRecordKey(key);
      const { at: _, ...record } = (name && (await needs.controls.record(name))) ?? { at: 0 };
      return { kind, key, value: "control" in record ? record : null };
    }
    case "interlock": {
      const name = parseInterlockKey(key);
      const found = name && (await needs.interlocks.ofSite(name.siteId)).find((one) => one.name === name.name);
      return { kind, key, value: found === undefined ? null : linkedInterlock(found) };
    }
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
    case "notification":
      return await readRuleItem(needs, { kind, key });
    case "tariff":
      return { kind, key, value: await linkedTariff(needs, key) };
    case "prices": {
      const name = parsePricesKey(key);
      const days = name && (await needs.tariffs.prices(name.siteId, name.kind, { first: name.day, last: name.day }));
      return { kind, key, value: days?.get(name?.day ?? 0) ?? null };
    }
    case "alert": {
      const name = parseAlertKey(key);
      const alert = name && (await needs.alerts.find(name));
      return { kind, key, value: alert === undefined ? null : await linkedAlert(needs, alert) };
    }
    case "log": {
      const name = parseLogKey(key);
      return { kind, key, value: (name && (await needs.deviceLogs.find(name.deviceId, name.receivedAt))) ?? null };
    }
    case "audit":
      return { kind, key, value: (await needs.audit.find(key)) ?? null };
  }
}

async function linkedBlueprint(needs: ReadLinkedNeeds, id: string): Promise<LinkedBlueprint | null> {
  const found = await needs.blueprints.find(id);
  const content = found && (await needs.blueprints.content(id));
  if (found === undefined || content === undefined) return null;
  const { tokenId, name, accountId, door } = found.uploadedBy ?? {};
  const uploadedBy = tokenId === undefined || name === undefined ? undefined : { tokenId, name, accountId, door };
  return { digest: found.digest, content: Buffer.from(content).toString("base64"), uploadedBy };
}

async function linkedDevice(needs: ReadLinkedNeeds, id: string): Promise<LinkedDevice | null> {
  const device = await needs.devices.find(id);
  if (device === undefined) return null;
  const { blueprintId, ...rest } = device;
  const blueprint = blueprintId === undefined ? undefined : await needs.blueprints.find(blueprintId);
  const corrections = (await needs.corrections.ofDevices([id])).get(id) ?? [];
  const some = corrections.length === 0 ? {} : { corrections };
  return { ...rest, blueprintDigest: blueprint?.digest, ...some };
}

/** Those that somebody claims, or that still owe their fallback. */
export async function linkedControls(
  { controls }: Pick<Needs, "controls">,
  deviceId: string,
): Promise<readonly LinkedControl[]> {
  const { claims, states } = await controls.load(deviceId);
  const names = new Set([...claims, ...states.filter(({ state }) => state.isHeld)].map(({ control }) => control));
  return [...names].sort().map((control) => {
    const state = states.find((one) => one.control === control)?.state;
    return {
      control,
      claims: claims.filter((one) => one.control === control).map(({ deviceId: _, control: __, ...claim }) => claim),
      isHeld: state?.isHeld === true,
      sent: state?.sent,
      follow: state?.follow ?? "idle",
    };
  });
}

function linkedInterlock(stored: StoredInterlock | DamagedInterlock): LinkedInterlock {
  const { revision, updatedAt, document = null, report } = stored;
  return { revision, updatedAt, document, ...(report !== undefined && { report }) };
}

async function* readInterlocks(needs: ReadLinkedNeeds, siteIds: readonly string[]): AsyncIterable<LinkedItem> {
  for (const siteId of siteIds) {
    for (const one of await needs.interlocks.ofSite(siteId)) {
      yield { kind: "interlock", key: interlockKey(one), value: linkedInterlock(one) };
    }
  }
}

async function linkedTariff(
  needs: Pick<Needs, "tariffs" | "priceSources">,
  siteId: string,
): Promise<LinkedTariff | null> {
  const tariff = await needs.tariffs.find(siteId);
  const sources = (await needs.priceSources.ofSite(siteId)).map(
    ({ siteId: _, sealedHeader: __, ...source }): LinkedPriceSource => source,
  );
  if (tariff === undefined && sources.length === 0) return null;
  return { ...(tariff && { document: tariff.document, updatedAt: tariff.updatedAt }), sources };
}

/** The tariff of each site, also where there is none: the cloud may have an old one. */
async function* readTariffs(needs: ReadLinkedNeeds, siteIds: readonly string[]): AsyncIterable<LinkedItem> {
  for (const siteId of siteIds) {
    yield await readItem(needs, { kind: "tariff", key: siteId });
    for (const { kind, day } of await needs.tariffs.priceDays(siteId)) {
      yield await readItem(needs, { kind: "prices", key: pricesKey({ siteId, kind, day }) });
    }
  }
}

function linkedSite(site: Site): LinkedSite {
  const { timezoneAssumed: _, ...linked } = site;
  return linked;
}

async function linkedAlert(needs: Pick<Needs, "blueprints">, alert: AlertRecord): Promise<LinkedAlert> {
  const { deviceId: _, siteId: __, blueprintId, acknowledgement: ___, ...rest } = alert;
  const blueprint = blueprintId === undefined ? undefined : await needs.blueprints.find(blueprintId);
  return { ...rest, blueprintDigest: blueprint?.digest };
}
