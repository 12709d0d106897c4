// Copies the records that a gateway sends. A gateway is believed only about its own sites and devices.
import { AppError } from "#core/app-error.ts";
import { dayOf } from "#core/energy/price-days.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import {
  alertKey,
  interlockKey,
  parseControlRecordKey,
  parseInterlockKey,
  parseLogKey,
  parsePricesKey,
  pricesKey,
  siteOfKey,
} from "#core/link/linked-key.ts";
import type { LinkedControl, LinkedDevice, LinkedItem } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import type { Site } from "#core/site/site.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { ReportedControls } from "#service/control/reported-controls.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { KEPT_LOG_BYTES } from "#service/device/device-log.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import { logEvent } from "#service/event/happening.ts";
import { type CopyAlertNeeds, copyAlert } from "#service/link/copy-alert.ts";
import { copyNotification } from "#service/link/copy-notification.ts";
import { copyRuleItem, goneRules, type RuleItem } from "#service/link/copy-rules.ts";
import { linkedControls } from "#service/link/read-linked.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { ReportedRules } from "#service/rule/reported-rules.ts";

export interface ApplyNeeds
  extends UploadNeeds,
    CopyAlertNeeds,
    Pick<
      Needs,
      | "gateways"
      | "copies"
      | "tariffs"
      | "interlocks"
      | "rules"
      | "devices"
      | "telemetry"
      | "configurations"
      | "controls"
      | "executions"
    > {
  readonly reportedControls: Pick<ReportedControls, "changed" | "gatewayChanged">;
  readonly reportedRules: Pick<ReportedRules, "changed">;
  readonly events: Pick<EventHub, "publish">;
  readonly log: { warn(about: object, text: string): void };
  readonly dispatcher: Pick<CommandDispatcher, "applyRemote">;
  readonly connectivity: Pick<Connectivity, "connected" | "forget">;
}

/** Whose records they are. */
export interface SourceGateway {
  readonly gatewayId: string;
  /** Site of each of its devices; kept up to date here. */
  readonly devices: Map<string, string>;
  /** Those of its devices that stand for the gateway itself. */
  readonly own: Set<string>;
  /** Sites that it names and that are not its own; kept up to date here. */
  readonly refusedSites: Set<string>;
  /** It has taken over a site of this gateway. */
  readonly onTakeover: (formerOwner: string) => void;
}

/** `gap`: responses of the execution are missing. Throws RecordRefused for a record that is refused alone. */
export async function applyItem(
  needs: ApplyNeeds,
  source: SourceGateway,
  item: LinkedItem,
): Promise<"applied" | "gap"> {
  const { gatewayId, devices } = source;
  switch (item.kind) {
    case "site":
      if (item.value === null) await orRefused(needs.copies.deleteSite(gatewayId, item.key));
      else await copySite(needs, source, { ...item.value, id: item.key });
      return "applied";
    case "blueprint":
      await copyBlueprint(needs, source, item);
      return "applied";
    case "device":
      if (item.value === null) await forgetDevice(needs, source, item.key);
      else await copyDevice(needs, source, { ...item.value, id: item.key });
      return "applied";
    case "properties":
      if (devices.has(item.key)) await needs.copies.properties(gatewayId, item.key, item.value);
      return "applied";
    case "configuration":
      if (devices.has(item.key)) await copyConfiguration(needs, source, item);
      return "applied";
    case "controls":
      if (devices.has(item.key)) await copyControls(needs, source, item);
      return "applied";
    case "control_record":
      await copyControlRecord(needs, source, item);
      return "applied";
    case "interlock":
      await copyInterlock(needs, source, item);
      return "applied";
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
    case "notification":
      await copyRules(needs, source, item);
      return "applied";
    case "tariff":
      // The operators know that the whole site is refused.
      if (!source.refusedSites.has(item.key)) await orRefused(needs.copies.tariff(gatewayId, item.key, item.value));
      return "applied";
    case "prices":
      await copyPrices(needs, source, item);
      return "applied";
    case "alert":
      await copyAlert(needs, source, item);
      return "applied";
    case "log":
      await copyLogEntry(needs, source, item);
      return "applied";
    case "audit":
      await copyAuditEntry(needs, source, item);
      return "applied";
    case "execution":
      return await copyExecution(needs, source, item);
  }
}

async function copyRules(
  needs: ApplyNeeds,
  { gatewayId, refusedSites }: SourceGateway,
  item: RuleItem | Item<"notification">,
): Promise<void> {
  // The operators know that the whole site is refused.
  if (refusedSites.has(siteOfKey(item) ?? "")) return;
  const isMessage = item.kind === "notification";
  await orRefused(isMessage ? copyNotification(needs, gatewayId, item) : copyRuleItem(needs, gatewayId, item));
}

type Item<Kind extends LinkedItem["kind"]> = Extract<LinkedItem, { kind: Kind }>;

async function copyAuditEntry(needs: ApplyNeeds, source: SourceGateway, { key, value }: Item<"audit">): Promise<void> {
  if (value === null || source.refusedSites.has(value.target.siteId ?? "")) return;
  await orRefused(needs.copies.auditEntry(source.gatewayId, { ...value, id: key }));
}

async function copyExecution(
  needs: ApplyNeeds,
  { devices }: SourceGateway,
  { value }: Item<"execution">,
): Promise<"applied" | "gap"> {
  const { execution } = value;
  const siteId = devices.get(execution.deviceId);
  // Its device was deleted meanwhile, or is another gateway's.
  if (siteId === undefined) return "applied";
  if (siteId !== execution.siteId) throw new RecordRefused("the execution names another site than its device");
  return (await needs.dispatcher.applyRemote(value)).kind === "gap" ? "gap" : "applied";
}

async function copyBlueprint(needs: ApplyNeeds, source: SourceGateway, { value }: Item<"blueprint">): Promise<void> {
  if (value === null || (await needs.blueprints.findByDigest(value.digest)) !== undefined) return;
  try {
    const uploadedBy = value.uploadedBy ? { ...value.uploadedBy, reportedBy: source.gatewayId } : null;
    await uploadBlueprint(needs, callOf(source, "uploadBlueprint"), Buffer.from(value.content, "base64"), uploadedBy);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_blueprint") throw error;
    // Its devices are shown without a blueprint. The gateway may have profiles or rocks that are missing here.
    needs.log.warn({ gatewayId: source.gatewayId, err: error }, "a blueprint of a gateway is not valid here");
  }
}

const MOST_DAYS_PAST = 20 * 366;
const MOST_DAYS_AHEAD = 3 * 366;

async function copyPrices(needs: ApplyNeeds, source: SourceGateway, { key, value }: Item<"prices">): Promise<void> {
  const name = parsePricesKey(key);
  if (name === undefined || source.refusedSites.has(name.siteId)) return;
  const today = dayOf(needs.now());
  if (value !== null && (name.day < today - MOST_DAYS_PAST || name.day > today + MOST_DAYS_AHEAD)) {
    throw new RecordRefused("the prices are of a time too far from now");
  }
  await orRefused(needs.copies.prices(source.gatewayId, name, value));
}

async function forgetDevice(needs: ApplyNeeds, { gatewayId, devices }: SourceGateway, id: string): Promise<void> {
  await orRefused(needs.copies.deleteDevice(gatewayId, id, needs.now()));
  devices.delete(id);
  await needs.telemetry.deleteDevice(id);
  needs.connectivity.forget(id);
}

async function copyDevice(needs: ApplyNeeds, source: SourceGateway, given: LinkedDevice): Promise<void> {
  const { blueprintDigest, corrections = [], ...device } = given;
  // The operators know that the whole site is refused.
  if (source.refusedSites.has(device.siteId)) return;
  const blueprint = blueprintDigest === undefined ? undefined : await needs.blueprints.findByDigest(blueprintDigest);
  await orRefused(needs.copies.device(source.gatewayId, { ...device, blueprintId: blueprint?.id }, corrections));
  source.devices.set(device.id, device.siteId);
  if (device.type !== "GATEWAY") return;
  // It speaks to us, so it is there.
  source.own.add(device.id);
  needs.connectivity.connected(device.id);
}

async function copySite(needs: ApplyNeeds, source: SourceGateway, site: Site): Promise<void> {
  const { gatewayId, refusedSites, onTakeover } = source;
  const { isRefused, formerOwner } = await needs.copies.site(gatewayId, site, needs.now());
  if (isRefused) {
    refusedSites.add(site.id);
    throw new RecordRefused(
      `a site with this id exists in the cloud and is not this gateway's. If the gateway takes it over, somebody has to confirm that in the cloud: busbar gateway give-site ${gatewayId} ${site.id}`,
    );
  }
  refusedSites.delete(site.id);
  if (formerOwner === undefined) return;
  // The revisions of its executions are those of the former gateway.
  await needs.executions.forgetRevisions(site.id);
  needs.log.warn({ gatewayId, formerOwner, siteId: site.id }, "a gateway has taken over a site");
  onTakeover(formerOwner);
}

/** What belongs to others is refused alone. */
async function orRefused<Result>(copying: Promise<Result>): Promise<Result> {
  try {
    return await copying;
  } catch (error) {
    if (error instanceof AppError && error.code === "conflict") throw new RecordRefused(error.message);
    throw error;
  }
}

async function copyConfiguration(needs: ApplyNeeds, source: SourceGateway, item: Item<"configuration">): Promise<void> {
  const deviceId = item.key;
  const before = new Map((await needs.configurations.get(deviceId)).map((one) => [one.bucket, one.updatedAt]));
  const device = await needs.devices.find(deviceId);
  const blueprint = device && (await deviceBlueprint(needs, device));
  const events = item.value
    .filter(({ bucket, updatedAt }) => before.get(bucket) !== updatedAt)
    .map(({ bucket, updatedAt: at }) => {
      const place = { siteId: source.devices.get(deviceId) ?? "", deviceId };
      const readLevel = blueprint?.configuration.get(bucket)?.accessLevel ?? "system";
      return needs.prepareEvent({ ...place, kind: "configuration", bucket, readLevel, at });
    });
  const buckets = item.value.map((bucket) => ({ ...bucket, sealed: NOTHING }));
  await needs.copies.configuration(source.gatewayId, { deviceId, buckets, events });
}

async function copyControls(needs: ApplyNeeds, { gatewayId }: SourceGateway, item: Item<"controls">): Promise<void> {
  const deviceId = item.key;
  const texts = (controls: readonly LinkedControl[]) =>
    new Map(controls.map((one) => [one.control, JSON.stringify(one)] as const));
  const [before, after] = [texts(await linkedControls(needs, deviceId)), texts(item.value)];
  await orRefused(needs.copies.controls(gatewayId, deviceId, item.value));
  const names = new Set([...before.keys(), ...after.keys()]);
  await needs.reportedControls.changed(
    deviceId,
    new Set([...names].filter((name) => before.get(name) !== after.get(name))),
  );
}

/** Of what it limits and measures, devices of the site alone are kept: a gateway is not believed about others. */
async function copyInterlock(needs: ApplyNeeds, source: SourceGateway, item: Item<"interlock">): Promise<void> {
  const name = parseInterlockKey(item.key);
  if (name === undefined || source.refusedSites.has(name.siteId)) return;
  const isOwn = ({ deviceId }: { readonly deviceId: string }) => source.devices.get(deviceId) === name.siteId;
  const { report } = item.value ?? {};
  if (report !== undefined && report.since > needs.now() + MOST_AHEAD_MS) {
    throw new RecordRefused("the interlock says since when it is so, and that is in the future");
  }
  const kept = report && { ...report, limits: report.limits.filter(isOwn), measured: report.measured.filter(isOwn) };
  const copy = item.value && { ...item.value, ...(kept !== undefined && { report: kept }) };
  const before = await needs.interlocks.ofSite(name.siteId);
  await orRefused(needs.copies.interlock(source.gatewayId, name, copy));
  const limited = limitsByDevice([before.find((one) => one.name === name.name)?.report, kept]);
  for (const [deviceId, names] of limited) await needs.reportedControls.changed(deviceId, names);
}

/** The controls that these limit. */
function limitsByDevice(reports: readonly (InterlockReport | undefined)[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { deviceId, control } of reports.flatMap((report) => report?.limits ?? [])) {
    found.set(deviceId, (found.get(deviceId) ?? new Set()).add(control));
  }
  return found;
}

/** The clocks of the two sides may differ. */
const MOST_AHEAD_MS = 86_400_000;

async function copyControlRecord(
  needs: ApplyNeeds,
  source: SourceGateway,
  { key, value }: Item<"control_record">,
): Promise<void> {
  const name = parseControlRecordKey(key);
  if (name === undefined || value === null || !source.devices.has(name.deviceId)) return;
  // It would be the newest for ever, and push out those that are true.
  if (name.at / 1000 > needs.now() + MOST_AHEAD_MS) throw new RecordRefused("the entry of control is of the future");
  await orRefused(needs.copies.controlRecord(source.gatewayId, name.deviceId, { ...value, at: name.at }));
}

async function copyLogEntry(needs: ApplyNeeds, source: SourceGateway, { key, value }: Item<"log">): Promise<void> {
  const name = parseLogKey(key);
  const siteId = name && source.devices.get(name.deviceId);
  if (name === undefined || siteId === undefined || value === null) return;
  const { deviceId, receivedAt } = name;
  const entry = { ...value, receivedAt };
  const isNew = await needs.copies.logEntry(source.gatewayId, { deviceId, entry, maxBytes: KEPT_LOG_BYTES });
  if (isNew) needs.events.publish(logEvent({ siteId, deviceId }, entry));
}

/** Only the gateway has the values in the clear. */
const NOTHING = new Uint8Array();

/** After a full upload: deletes what was not named. */
export async function forgetOthers(
  needs: ApplyNeeds,
  source: SourceGateway,
  named: ReadonlySet<string>,
): Promise<void> {
  for (const { id: deviceId } of await needs.gateways.devices(source.gatewayId)) {
    if (!named.has(`device ${deviceId}`)) {
      await applyItem(needs, source, { kind: "device", key: deviceId, value: null });
      continue;
    }
    for (const alert of await needs.alerts.active(deviceId)) {
      const key = alertKey(alert);
      if (!named.has(`alert ${key}`)) await applyItem(needs, source, { kind: "alert", key, value: null });
    }
  }
  for (const siteId of await needs.gateways.sites(source.gatewayId)) {
    if (named.has(`site ${siteId}`)) {
      for (const { kind, day } of await needs.tariffs.priceDays(siteId)) {
        const key = pricesKey({ siteId, kind, day });
        if (!named.has(`prices ${key}`)) await applyItem(needs, source, { kind: "prices", key, value: null });
      }
      for (const { name } of await needs.interlocks.ofSite(siteId)) {
        const key = interlockKey({ siteId, name });
        if (!named.has(`interlock ${key}`)) await applyItem(needs, source, { kind: "interlock", key, value: null });
      }
      for await (const item of goneRules(needs, siteId, named)) await applyItem(needs, source, item);
      continue;
    }
    await applyItem(needs, source, { kind: "site", key: siteId, value: null });
  }
}

/** What a gateway does in its own name. */
export function callOf({ gatewayId }: SourceGateway, operation: string): Call {
  return {
    caller: { tokenId: gatewayId, tokenName: "gateway", level: "system", sites: "all" },
    operation,
    requestId: "link",
    remoteAddress: "link",
    door: "busbar",
  };
}
