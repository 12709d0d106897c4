// What a declarative rule sees of its site: read once for each step, then the machine answers from memory.
import { AppError } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { samplesBetween } from "#core/rule/replay-gap.ts";
import type { RuleReads } from "#core/rule/rule-reads.ts";
import type { RuleControl, RuleSample, RuleVariable, RuleWorld } from "#core/rule/rule-world.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import type { Location } from "#core/site/site.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { Controls } from "#service/control/controls.ts";
import { deviceStatus, type StatusNeeds } from "#service/device/device-status.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { SitePrices } from "#service/energy/site-prices.ts";
import type { Call, Needs } from "#service/ports.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import type { KnownCauses } from "#service/rule/rule-causes.ts";
import type { UsualIntervals } from "#service/rule/usual-intervals.ts";
import { cronTimes } from "#service/schedule/next-time.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { type NowNeeds, readNow } from "#service/telemetry/read-now.ts";

export interface LookNeeds
  extends NowNeeds,
    StatusNeeds,
    Pick<Needs, "alerts" | "calendars" | "rules" | "sites" | "tariffs" | "now"> {
  readonly usualIntervals: UsualIntervals;
  readonly siteCalendars: Pick<SiteCalendars, "book">;
  readonly sitePrices: SitePrices;
  readonly controlling: Pick<Controls, "controlsOfDevice" | "view">;
  readonly ruleCauses: KnownCauses;
}

export type RuleWindow = RuleReads["windows"][number];

/** Values of the last time, for averages and sums over it. */
export interface RecentValues {
  /** A value that was seen now. What is stored is read at the first one. */
  take(call: Call, read: RuleWindow, seen: RuleSample | undefined): Promise<void>;
  of(read: Omit<RuleWindow, "ms">): readonly RuleSample[];
}

type Reading = NonNullable<ReturnType<RuleWorld["reading"]>>;
type AttributeRead = RuleReads["attributes"][number];

interface Looking {
  readonly rule: SiteRule;
  readonly reads: RuleReads;
  readonly timezone: string;
  readonly recent: RecentValues;
}

export async function lookForRule(needs: LookNeeds, { rule, reads, timezone, recent }: Looking): Promise<RuleWorld> {
  const call = callOfRule(rule, "lookForRule");
  const [readings, online, alerts, variables, controls] = [
    new Map<string, Reading>(),
    new Map<string, boolean>(),
    new Map<string, readonly string[]>(),
    new Map<string, RuleVariable>(),
    new Map<string, RuleControl>(),
  ];
  for (const read of reads.attributes) {
    const found = await readingOf(needs, call, read);
    if (found !== undefined) readings.set(keyOf(read.device, read.attribute, read.unit), found);
  }
  for (const read of reads.windows)
    await recent.take(call, read, readings.get(keyOf(read.device, read.attribute, read.unit)));
  for (const name of reads.devices) {
    const device = await knownDevice(needs, call, name);
    if (device === undefined) continue;
    const status = deviceStatus(needs, device);
    if (status !== "UNKNOWN") online.set(name, status === "ONLINE");
    const active = await needs.alerts.active(device.id);
    // While nobody confirms an alert, nobody knows whether it is still there.
    if (active.every(({ notConfirmedSince }) => notConfirmedSince === undefined)) {
      alerts.set(
        name,
        active.map(({ alertId }) => alertId),
      );
    }
  }
  for (const { device: name, control } of reads.controls) {
    const found = await controlOf(needs, call, { name, control });
    if (found !== undefined) controls.set(keyOf(name, control), found);
  }
  if (reads.variables.length > 0) {
    for (const { name, value, updatedAt: at } of await needs.rules.variables(rule.siteId)) {
      variables.set(name, { value, at, causes: needs.ruleCauses.ofVariable(rule.siteId, name, at) });
    }
  }
  const book = reads.calendars.length > 0 ? await needs.siteCalendars.book(rule.siteId) : undefined;
  const priceAt = reads.prices.length > 0 ? await needs.sitePrices.around(rule.siteId, timezone) : undefined;
  const now = needs.now();
  return {
    now,
    timezone,
    location: placeOf((await needs.sites.find(rule.siteId))?.location),
    reading: (device, attribute, unit) => readings.get(keyOf(device, attribute, unit)),
    samples: (device, attribute, { unit, from }) => samplesBetween(recent.of({ device, attribute, unit }), from, now),
    isOnline: (device) => online.get(device),
    alerts: (device) => alerts.get(device),
    variable: (name) => variables.get(name),
    control: (device, control) => controls.get(keyOf(device, control)),
    calendar: (name, at) => book?.stateAt(name, at),
    price: (of, at) => priceAt?.(of, at),
    nextCron: (expression, after) => cronTimes(expression, timezone)(after),
  };
}

/** A site may have a name of its place alone. */
function placeOf(location: Location | undefined): RuleWorld["location"] {
  const { latitude, longitude } = location ?? {};
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

/** Undefined: there is none of this name, or several. */
export async function knownDevice(needs: NowNeeds, call: Call, name: string): Promise<Device | undefined> {
  try {
    return await visibleDevice(needs, call, name);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function readingOf(needs: LookNeeds, call: Call, read: AttributeRead): Promise<Reading | undefined> {
  const device = await knownDevice(needs, call, read.device);
  if (device === undefined) return undefined;
  const { attribute: name } = read;
  const found = (await readNow(needs, call, new Map([[device.id, [name]]]))).devices.get(device.id)?.get(name);
  const attribute = attributesOf(await deviceBlueprint(needs, device)).get(name);
  if (found === undefined || attribute === undefined) return undefined;
  const value = (await inUnit(needs, device, read))(found.value);
  return { value, at: found.at, usualMs: await needs.usualIntervals.usual(device, attribute, found.at) };
}

/** A value whose unit does not fit is unknown. */
export async function inUnit(
  needs: NowNeeds,
  device: Device,
  { attribute, unit }: Pick<AttributeRead, "attribute" | "unit">,
): Promise<(value: unknown) => unknown> {
  if (unit === undefined) return (value) => value;
  const own = (await deviceBlueprint(needs, device))?.telemetry.get(attribute)?.unit;
  const conversion = conversionOf(own, unit);
  if (conversion === undefined) return () => undefined;
  return (value) => (typeof value === "number" ? value * conversion.factor + conversion.offset : undefined);
}

interface WantedControl {
  readonly name: string;
  readonly control: string;
}

async function controlOf(
  needs: LookNeeds,
  call: Call,
  { name, control }: WantedControl,
): Promise<RuleControl | undefined> {
  const device = await knownDevice(needs, call, name);
  const known = device && (await needs.controlling.controlsOfDevice(device)).get(control);
  if (device === undefined || known === undefined) return undefined;
  const { value, winner } = (await needs.controlling.view(device.id, known)).resolution;
  const { at, by: causes } = needs.ruleCauses.ofControl({ deviceId: device.id, control }, winner);
  return { value, holder: winner?.class, at, causes };
}
