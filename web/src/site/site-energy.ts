// Puts the readings of all devices of a site together. Pure.
import type { Snapshot } from "#client/telemetry.ts";
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { History, Wanted } from "#web/data/history.ts";
import type { Manifest } from "#web/data/manifest.ts";
import { isStale } from "#web/devices/staleness.ts";
import { type EnergyFlow, energyFlow, type Measured } from "./energy-flow.ts";
import { type Counter, countersOf, type Energies, energiesOfToday } from "./energy-today.ts";
import { type Kind, type PowerReading, powerReadings, wattsOf } from "./power-readings.ts";

export type EnergyDevice = {
  readonly id: string;
  readonly manifest: Manifest;
  readonly connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN";
  readonly values: ReadonlyMap<string, Snapshot>;
  readonly resource: { readonly type: string; readonly created_at: string };
};

/** What is known of a site's power, whatever its values are: changes only with its devices. */
export type Instruments = { readonly readings: readonly PowerReading[]; readonly counters: readonly Counter[] };

type Described = Pick<EnergyDevice, "id" | "manifest"> & { readonly resource: { readonly type: string } };

/** Simulated devices beside real ones carry no power of the site. On a site of simulated devices alone, they do. */
export function instrumentsOf(devices: readonly Described[]): Instruments {
  const real = devices.filter(({ resource }) => resource.type !== "SIMULATED");
  const counted = real.some((device) => powerReadings(device).length > 0) ? real : devices;
  return { readings: counted.flatMap(powerReadings), counters: counted.flatMap(countersOf) };
}

/** A value that is old, or of a device that is away, is no value of now. */
function currentValue(device: EnergyDevice | undefined, attribute: string, now: number): unknown {
  const snapshot = device?.values.get(attribute);
  if (device === undefined || snapshot === undefined || device.connectivity === "OFFLINE") return undefined;
  return isStale(snapshot.timestamp * 1000, now) ? undefined : snapshot.value;
}

export function flowOf({ readings }: Instruments, devices: readonly EnergyDevice[], now: number): EnergyFlow {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const measured = readings.map((reading): Measured => {
    const device = byId.get(reading.deviceId);
    return { kind: reading.kind, watts: wattsOf(reading, (name) => currentValue(device, name, now)) };
  });
  return energyFlow(measured);
}

/** The state of charge in percent, where there is one battery that tells it. */
export function chargeOf({ readings }: Instruments, devices: readonly EnergyDevice[], now: number): number | undefined {
  const [only, ...others] = readings.filter(({ kind }) => kind === "battery");
  const device = devices.find(({ id }) => id === only?.deviceId);
  if (device === undefined || others.length > 0) return undefined;
  const attribute = findAttribute(device.manifest, "battery_soc");
  const value = attribute === undefined ? undefined : currentValue(device, attribute.id, now);
  return typeof value === "number" ? value : undefined;
}

/** What must be read of the past to know today's energies. */
export function wantedForToday({ readings, counters }: Instruments): readonly Wanted[] {
  return [
    ...readings.flatMap(({ deviceId, attributes }) =>
      attributes.map(({ id }) => ({ device: deviceId, attribute: id, aggregation: "avg" as const })),
    ),
    ...counters.map(({ deviceId, attribute }) => ({ device: deviceId, attribute, aggregation: "first" as const })),
  ];
}

type Day = { readonly history: History; readonly dayStart: number; readonly now: number };

export function todayOf(
  { readings, counters }: Instruments,
  devices: readonly EnergyDevice[],
  { history, dayStart, now }: Day,
): Energies {
  const first = history.times.findIndex((at) => at >= dayStart);
  const skip = first < 0 ? history.times.length : first;
  const cut = (device: string, attribute: string) => history.column(device, attribute)?.slice(skip) ?? [];
  const byId = new Map(devices.map((device) => [device.id, device]));
  return energiesOfToday({
    times: history.times.slice(skip),
    bucketMs: history.bucketMs,
    dayStart,
    now,
    series: readings.map((reading) => {
      const columns = new Map(reading.attributes.map(({ id }) => [id, cut(reading.deviceId, id)]));
      const length = history.times.length - skip;
      const watts = Array.from({ length }, (_, index) => wattsOf(reading, (name) => columns.get(name)?.[index]));
      const since = Date.parse(byId.get(reading.deviceId)?.resource.created_at ?? "");
      return { kind: reading.kind, watts, since: Number.isNaN(since) ? 0 : since };
    }),
    counters: counters.map(({ what, deviceId, attribute, unit }) => {
      const column = cut(deviceId, attribute);
      const latest = byId.get(deviceId)?.values.get(attribute)?.value;
      // A first value that came late would miss what was counted before.
      const start = column.slice(0, 3).find((value) => value !== undefined);
      return {
        counter: what,
        first: start === undefined ? undefined : toUnit(start, unit, what),
        latest: typeof latest === "number" ? toUnit(latest, unit, what) : undefined,
      };
    }),
    kinds: new Set<Kind>(readings.map(({ kind }) => kind)),
  });
}

function toUnit(value: number, unit: string, what: Counter["what"]): number | undefined {
  return convert(value, unit, what === "hydrogen" ? "m3" : "kWh");
}
