// Copies the records that a gateway sends. A gateway is believed only about its own sites and devices.
import { AppError } from "#core/app-error.ts";
import { alertKey, parseLogKey } from "#core/link/linked-key.ts";
import type { LinkedDevice, LinkedItem } from "#core/link/messages.ts";
import { RecordRefused } from "#core/link/refused-record.ts";
import type { Site } from "#core/site/site.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { KEPT_LOG_BYTES } from "#service/device/device-log.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import { logEvent } from "#service/event/happening.ts";
import { type CopyAlertNeeds, copyAlert } from "#service/link/copy-alert.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ApplyNeeds
  extends UploadNeeds,
    CopyAlertNeeds,
    Pick<Needs, "gateways" | "copies" | "devices" | "telemetry" | "configurations" | "executions"> {
  readonly events: Pick<EventHub, "publish">;
  readonly log: { warn(about: object, text: string): void };
  readonly dispatcher: Pick<CommandDispatcher, "applyRemote">;
  readonly connectivity: Pick<Connectivity, "connected" | "forget">;
}

/** Whose records they are. */
export interface Teller {
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
export async function applyItem(needs: ApplyNeeds, teller: Teller, item: LinkedItem): Promise<"applied" | "gap"> {
  const { gatewayId, devices } = teller;
  switch (item.kind) {
    case "site":
      if (item.value === null) await orRefused(needs.copies.deleteSite(gatewayId, item.key));
      else await copySite(needs, teller, { ...item.value, id: item.key });
      return "applied";
    case "blueprint":
      await copyBlueprint(needs, teller, item);
      return "applied";
    case "device":
      if (item.value === null) await forgetDevice(needs, teller, item.key);
      else await copyDevice(needs, teller, { ...item.value, id: item.key });
      return "applied";
    case "properties":
      if (devices.has(item.key)) await needs.copies.properties(gatewayId, item.key, item.value);
      return "applied";
    case "configuration":
      if (devices.has(item.key)) await copyConfiguration(needs, teller, item);
      return "applied";
    case "alert":
      await copyAlert(needs, teller, item);
      return "applied";
    case "log":
      await copyLogEntry(needs, teller, item);
      return "applied";
    case "audit":
      if (item.value === null || teller.refusedSites.has(item.value.target.siteId ?? "")) return "applied";
      await orRefused(needs.copies.auditEntry(gatewayId, { ...item.value, id: item.key }));
      return "applied";
    case "execution": {
      const { execution } = item.value;
      const siteId = devices.get(execution.deviceId);
      // Its device was deleted meanwhile, or is another gateway's.
      if (siteId === undefined) return "applied";
      if (siteId !== execution.siteId) throw new RecordRefused("the execution names another site than its device");
      return (await needs.dispatcher.applyRemote(item.value)).kind === "gap" ? "gap" : "applied";
    }
  }
}

type Item<Kind extends LinkedItem["kind"]> = Extract<LinkedItem, { kind: Kind }>;

async function copyBlueprint(needs: ApplyNeeds, teller: Teller, { value }: Item<"blueprint">): Promise<void> {
  if (value === null || (await needs.blueprints.findByDigest(value.digest)) !== undefined) return;
  try {
    await uploadBlueprint(needs, callOf(teller, "uploadBlueprint"), Buffer.from(value.content, "base64"));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_blueprint") throw error;
    // Its devices are shown without a blueprint. The gateway may have profiles or rocks that are missing here.
    needs.log.warn({ gatewayId: teller.gatewayId, err: error }, "a blueprint of a gateway is not valid here");
  }
}

async function forgetDevice(needs: ApplyNeeds, { gatewayId, devices }: Teller, id: string): Promise<void> {
  await orRefused(needs.copies.deleteDevice(gatewayId, id, needs.now()));
  devices.delete(id);
  await needs.telemetry.deleteDevice(id);
  needs.connectivity.forget(id);
}

async function copyDevice(needs: ApplyNeeds, teller: Teller, told: LinkedDevice): Promise<void> {
  const { blueprintDigest, corrections = [], ...device } = told;
  // The operators know that the whole site is refused.
  if (teller.refusedSites.has(device.siteId)) return;
  const blueprint = blueprintDigest === undefined ? undefined : await needs.blueprints.findByDigest(blueprintDigest);
  await orRefused(needs.copies.device(teller.gatewayId, { ...device, blueprintId: blueprint?.id }, corrections));
  teller.devices.set(device.id, device.siteId);
  if (device.type !== "GATEWAY") return;
  // It speaks to us, so it is there.
  teller.own.add(device.id);
  needs.connectivity.connected(device.id);
}

async function copySite(needs: ApplyNeeds, teller: Teller, site: Site): Promise<void> {
  const { gatewayId, refusedSites, onTakeover } = teller;
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

async function copyConfiguration(needs: ApplyNeeds, teller: Teller, item: Item<"configuration">): Promise<void> {
  const deviceId = item.key;
  const before = new Map((await needs.configurations.get(deviceId)).map((one) => [one.bucket, one.updatedAt]));
  const device = await needs.devices.find(deviceId);
  const blueprint = device && (await deviceBlueprint(needs, device));
  const events = item.value
    .filter(({ bucket, updatedAt }) => before.get(bucket) !== updatedAt)
    .map(({ bucket, updatedAt: at }) => {
      const place = { siteId: teller.devices.get(deviceId) ?? "", deviceId };
      const readLevel = blueprint?.configuration.get(bucket)?.accessLevel ?? "system";
      return needs.prepareEvent({ ...place, kind: "configuration", bucket, readLevel, at });
    });
  const buckets = item.value.map((bucket) => ({ ...bucket, sealed: NOTHING }));
  await needs.copies.configuration(teller.gatewayId, { deviceId, buckets, events });
}

async function copyLogEntry(needs: ApplyNeeds, teller: Teller, { key, value }: Item<"log">): Promise<void> {
  const name = parseLogKey(key);
  const siteId = name && teller.devices.get(name.deviceId);
  if (name === undefined || siteId === undefined || value === null) return;
  const { deviceId, receivedAt } = name;
  const entry = { ...value, receivedAt };
  const isNew = await needs.copies.logEntry(teller.gatewayId, { deviceId, entry, maxBytes: KEPT_LOG_BYTES });
  if (isNew) needs.events.publish(logEvent({ siteId, deviceId }, entry));
}

/** Only the gateway has the values in the clear. */
const NOTHING = new Uint8Array();

/** After a whole telling: deletes what was not named. */
export async function forgetOthers(needs: ApplyNeeds, teller: Teller, named: ReadonlySet<string>): Promise<void> {
  for (const deviceId of await needs.gateways.devices(teller.gatewayId)) {
    if (!named.has(`device ${deviceId}`)) {
      await applyItem(needs, teller, { kind: "device", key: deviceId, value: null });
      continue;
    }
    for (const alert of await needs.alerts.active(deviceId)) {
      const key = alertKey(alert);
      if (!named.has(`alert ${key}`)) await applyItem(needs, teller, { kind: "alert", key, value: null });
    }
  }
  for (const siteId of await needs.gateways.sites(teller.gatewayId)) {
    if (named.has(`site ${siteId}`)) continue;
    await applyItem(needs, teller, { kind: "site", key: siteId, value: null });
  }
}

/** What a gateway does in its own name. */
export function callOf({ gatewayId }: Teller, operation: string): Call {
  return {
    caller: { tokenId: gatewayId, tokenName: "gateway", level: "system", sites: "all" },
    operation,
    requestId: "link",
    remoteAddress: "link",
  };
}
