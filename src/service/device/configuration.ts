// Configuration buckets of a device: what its blueprint declares, filled in by people, read by the device.
// Sensitive parameters are write-only: they are read as `***`, and sending `***` or nothing keeps what is stored.

import { allows } from "#core/access/level.ts";
import { type Refusal, refuse } from "#core/app-error.ts";
import type { Blueprint, ConfigurationBucket } from "#core/blueprint/blueprint.ts";
import type { Payload } from "#core/command/execution.ts";
import { HIDDEN } from "#core/command/plan-command.ts";
import type { Device } from "#core/device/device.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import { pointerTo } from "#core/text/json-pointer.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { checkInputs } from "#core/value/check-inputs.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { type ConfigurationSender, writtenAt } from "#service/device/configuration-sender.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { CommandChannel, DeviceConfiguration } from "#service/ports/carrier.ts";
import type { StoredBucket } from "#service/ports/configuration-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";

export interface ConfigurationNeeds extends Pick<Needs, "devices" | "configurations" | "seal" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
  readonly channel: CommandChannel;
  readonly configurationSender: ConfigurationSender;
  readonly prepareEvent: PrepareEvent;
  readonly troubles: Pick<Troubles, "report">;
}

type Buckets = ReadonlyMap<string, Payload>;

/** The buckets the caller may read, or the one asked for; defaults filled in. */
export async function readConfiguration(
  needs: ConfigurationNeeds,
  call: Call,
  { device: idOrSlug, bucket }: { readonly device: string; readonly bucket: string | undefined },
): Promise<Buckets> {
  const { device, blueprint } = await configurable(needs, call, idOrSlug);
  const declared =
    bucket === undefined
      ? [...blueprint.configuration.values()].filter((one) => allows(call.caller.level, one.accessLevel))
      : [requireBucket(blueprint, call, bucket)];
  const stored = new Map((await needs.configurations.get(device.id)).map((one) => [one.bucket, one.shown]));
  return new Map(declared.map((one) => [one.id, withDefaults(one, stored.get(one.id) ?? {}, true)]));
}

interface BucketsInput {
  readonly device: string;
  readonly buckets: Buckets;
  /** The request is one bucket's values, so that pointers start inside it. */
  readonly isOneBucket: boolean;
}

/** Replaces whole buckets, all or none, and sends them to the device. */
export async function writeConfiguration(
  needs: ConfigurationNeeds,
  call: Call,
  { device: idOrSlug, buckets, isOneBucket }: BucketsInput,
): Promise<Buckets> {
  const { device, blueprint } = await configurable(needs, call, idOrSlug);
  const before = new Map((await needs.configurations.get(device.id)).map((one) => [one.bucket, one]));
  const refusals = new MistakeList<Refusal>();
  const written: StoredBucket[] = [];
  const now = needs.now();
  for (const [id, given] of buckets) {
    const declared = requireBucket(blueprint, call, id);
    const former = openBucket(needs, device, before.get(id)) ?? {};
    const kept = withKept(declared, given, former);
    const checked = checkInputs(declared.parameters, kept, () => undefined);
    const { values } = checked;
    noteProblems(refusals, checked, isOneBucket ? "" : `/${id}`);
    written.push({
      bucket: id,
      shown: hide(declared, values),
      sealed: needs.seal.seal(JSON.stringify(values), sealContext(device, id)),
      updatedAt: now,
    });
  }
  refuseMistakes(refusals);
  const trail = auditTrail(needs, call, {
    target: { siteId: device.siteId, deviceId: device.id },
    details: { buckets: [...buckets.keys()] },
  });
  const place = { siteId: device.siteId, deviceId: device.id };
  const events = written.map(({ bucket, updatedAt: at }) => {
    const { accessLevel: readLevel } = requireBucket(blueprint, call, bucket);
    return needs.prepareEvent({ ...place, kind: "configuration", bucket, readLevel, at });
  });
  await needs.configurations.put({ deviceId: device.id, buckets: written, events }, trail);
  const send = async () =>
    needs.channel.sendConfiguration(device.id, await deviceConfiguration(needs, device.id), [...buckets.keys()]);
  // Where it is connected to another node, that node hears of the events. A device that takes no commands is reached by one
  // node at most.
  if (needs.channel.isReady(device.id)) await needs.configurationSender.once(writtenAt(device.id, now), send);
  else await send();
  return new Map(written.map((one) => [one.bucket, one.shown]));
}

/**
 * Refuses what the blueprint does not allow, where the stored values are elsewhere: a sensitive parameter that would keep
 * its value is taken to be right.
 */
export async function checkConfiguration(
  needs: ConfigurationNeeds,
  call: Call,
  { device: idOrSlug, buckets, isOneBucket }: BucketsInput,
): Promise<void> {
  const { blueprint } = await configurable(needs, call, idOrSlug);
  const refusals = new MistakeList<Refusal>();
  for (const [id, given] of buckets) {
    const bucket = requireBucket(blueprint, call, id);
    const isKept = (name: string) =>
      bucket.parameters.get(name)?.sensitive === true && (given[name] === undefined || given[name] === HIDDEN);
    const parameters = new Map([...bucket.parameters].filter(([name]) => !isKept(name)));
    const values = Object.fromEntries(Object.entries(given).filter(([name]) => !isKept(name)));
    noteProblems(
      refusals,
      checkInputs(parameters, values, () => undefined),
      isOneBucket ? "" : `/${id}`,
    );
  }
  refuseMistakes(refusals);
}

function noteProblems(
  refusals: MistakeList<Refusal>,
  { problems, moreProblems }: Pick<ReturnType<typeof checkInputs>, "problems" | "moreProblems">,
  place: string,
): void {
  for (const { name, message } of problems) {
    const pointer = pointerTo(place, name);
    refusals.add(() => ({ code: "invalid_configuration", message, details: { pointer } }));
  }
  refusals.more += moreProblems;
}

/** Everything as the device sees it: all buckets, defaults filled in, sensitive values in the clear. */
export async function deviceConfiguration(
  needs: Omit<ConfigurationNeeds, "channel" | "configurationSender" | "prepareEvent" | "newId" | "now">,
  deviceId: string,
): Promise<DeviceConfiguration> {
  const device = await needs.devices.find(deviceId);
  if (device?.blueprintId === undefined) return new Map();
  const { blueprint } = await needs.catalog.get(device.blueprintId);
  const stored = new Map((await needs.configurations.get(deviceId)).map((one) => [one.bucket, one]));
  return new Map(
    [...blueprint.configuration.values()].flatMap((one): [string, Payload][] => {
      const values = openBucket(needs, device, stored.get(one.id));
      // Sending defaults instead of the chosen values could do harm, so the device keeps what it has.
      return values === undefined ? [] : [[one.id, withDefaults(one, values, false)]];
    }),
  );
}

async function configurable(
  needs: ConfigurationNeeds,
  call: Call,
  idOrSlug: string,
): Promise<{ readonly device: Device; readonly blueprint: Blueprint }> {
  const device = await visibleDevice(needs, call, idOrSlug);
  if (device.blueprintId === undefined) throw refuse("not_found", `device ${device.slug} has no blueprint yet`);
  return { device, blueprint: (await needs.catalog.get(device.blueprintId)).blueprint };
}

function requireBucket(blueprint: Blueprint, call: Call, id: string): ConfigurationBucket {
  const bucket = blueprint.configuration.get(id);
  if (bucket === undefined) {
    const close = nearestOf(id, blueprint.configuration.keys());
    const hint = close === undefined ? "" : `; did you mean ${close}?`;
    throw refuse(
      "not_found",
      `the device's blueprint has no configuration bucket ${JSON.stringify(id.slice(0, 80))}${hint}`,
    );
  }
  if (allows(call.caller.level, bucket.accessLevel)) return bucket;
  throw refuse(
    "forbidden",
    `bucket ${id} takes access level ${bucket.accessLevel}; the token has ${call.caller.level}`,
    {
      needed: bucket.accessLevel,
    },
  );
}

/** Values of parameters that the blueprint no longer declares stay stored but are not shown. */
function withDefaults(bucket: ConfigurationBucket, values: Payload, hidden: boolean): Payload {
  const full: Record<string, unknown> = Object.create(null);
  for (const [name, parameter] of bucket.parameters) {
    const stored = Object.hasOwn(values, name) ? values[name] : undefined;
    const value = stored ?? parameter.default;
    if (value !== undefined) full[name] = hidden && parameter.sensitive ? HIDDEN : value;
  }
  return full;
}

function withKept(bucket: ConfigurationBucket, given: Payload, former: Payload): Payload {
  const merged: Record<string, unknown> = Object.create(null);
  Object.assign(merged, given);
  for (const [name, parameter] of bucket.parameters) {
    if (parameter.sensitive && (merged[name] === undefined || merged[name] === HIDDEN)) {
      merged[name] = Object.hasOwn(former, name) ? former[name] : undefined;
    }
  }
  return merged;
}

function hide(bucket: ConfigurationBucket, values: Payload): Payload {
  const shown: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    shown[name] = bucket.parameters.get(name)?.sensitive ? HIDDEN : value;
  }
  return shown;
}

/** Undefined when it cannot be opened, because of another key or damage. Writing the bucket again repairs it. */
function openBucket(
  needs: Pick<ConfigurationNeeds, "seal" | "troubles">,
  device: Device,
  stored: StoredBucket | undefined,
): Payload | undefined {
  if (stored === undefined) return {};
  // A copy of what a gateway has: only the gateway has the values, and only it sends them to the device.
  if (stored.sealed.length === 0) return undefined;
  try {
    return JSON.parse(needs.seal.open(stored.sealed, sealContext(device, stored.bucket))) as Payload;
  } catch {
    const message = "a sealed configuration cannot be opened and is left out; write it anew";
    needs.troubles.report({ part: "configuration", message }, { place: `${device.id}, bucket ${stored.bucket}` });
    return undefined;
  }
}

function sealContext(device: Device, bucket: string): string {
  return `configuration/${device.id}/${bucket}`;
}
