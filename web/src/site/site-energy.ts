// Puts the readings of all devices of a site together. Pure.
import type { Device, Snapshot } from "#client/resources.ts";
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { History, Wanted } from "#web/data/history.ts";
import type { Manifest } from "#web/data/manifest.ts";
import { isCurrent } from "#web/devices/staleness.ts";
import { adjustmentToday, type Correction } from "./counter-steps.ts";
import { type EnergyFlow, energyFlow, type Measured } from "./energy-flow.ts";
import { type Counter, countersOf, type Energies, type EnergySeries, energiesOfToday } from "./energy-today.ts";
import { type PowerReading, powerReadings, wattsOf } from "./power-readings.ts";

export type EnergyDevice = {
  readonly id: string;
  readonly manifest: Manifest;
  readonly connectivity: "ONLINE" | "OFFLINE" | "UNKNOWN";
  readonly values: ReadonlyMap<string, Snapshot>;
  readonly resource: { readonly type: string; readonly created_at: string };
};

/** What is known of a site's power, whatever its values are: changes only with its devices. */
export type Instruments = { readonly readings: readonly PowerReading[]; readonly counters: readonly Counter[] };

type Described = Pick<EnergyDevice, "id" | "manifest"> & {
  readonly resource: { readonly type: string; readonly energy_role?: Device["energy_role"] };
};

/** Simulated devices beside real ones carry no power of the site. On a site of simulated devices alone, they do. */
export function instrumentsOf(devices: readonly Described[]): Instruments {
  const real = devices.filter(({ resource }) => resource.type !== "SIMULATED");
  const counted = real.some((device) => powerReadings(device).length > 0) ? real : devices;
  // Where people say which meters are the grid's, no other one is.
  const isChosen = counted.some(({ resource }) => resource.energy_role === "grid");
  const isKept = ({ resource }: Described, isGrid: boolean) => !(isGrid && isChosen) || resource.energy_role === "grid";
  return {
    readings: counted.flatMap((device) => powerReadings(device).filter(({ kind }) => isKept(device, kind === "grid"))),
    counters: counted.flatMap((device) =>
      countersOf(device).filter(({ what }) => isKept(device, what === "fromGrid" || what === "toGrid")),
    ),
  };
}

/** A value that is old, or of a device that is away or of which nobody knows, is no value of now. */
function currentValue(device: EnergyDevice | undefined, attribute: string, now: number): unknown {
  const snapshot = device?.values.get(attribute);
  if (device === undefined || snapshot === undefined) return undefined;
  return isCurrent(device.connectivity, snapshot.timestamp * 1000, now) ? snapshot.value : undefined;
}

export function flowOf({ readings }: Instruments, devices: readonly EnergyDevice[], now: number): EnergyFlow {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const measured = readings.map((reading): Measured => {
    const device = byId.get(reading.deviceId);
    return { kind: reading.kind, watts: wattsOf(reading, (name) => currentValue(device, name, now)) };
  });
  return energyFlow(measured);
}

/** The state of charge in percent, where there is one battery that reports it. */
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
    ...readings.flatMap(({ deviceId: device, attributes }) =>
      attributes.map(
        ({ id }) => ({ device, attribute: id, aggregation: attributes.length === 1 ? "integral" : "avg" }) as const,
      ),
    ),
    ...counters.map(({ deviceId: device, attribute }) => ({ device, attribute, aggregation: "delta" }) as const),
  ];
}

/**
 * Watt-hours of each bucket. The integral of a power is its energy. Voltage times current is a mean power, over the time that
 * has passed.
 */
export function wattHoursOf(
  reading: PowerReading,
  { history, now }: { readonly history: History; readonly now: number },
): EnergySeries["wattHours"] {
  const { deviceId: device, attributes } = reading;
  const isProduct = attributes.length === 2;
  const aggregation = isProduct ? "avg" : "integral";
  const columns = new Map(attributes.map(({ id }) => [id, history.column({ device, attribute: id, aggregation })]));
  return history.times.map((at, index) => {
    const value = wattsOf(reading, (name) => columns.get(name)?.[index]);
    if (value === undefined || !isProduct) return value;
    return (value * Math.max(0, Math.min(history.bucketMs, now - at))) / HOUR;
  });
}

type Day = {
  readonly history: History;
  readonly dayStart: number;
  readonly now: number;
  readonly corrections?: readonly Correction[] | undefined;
};

export function todayOf(
  { readings, counters }: Instruments,
  devices: readonly EnergyDevice[],
  { history, dayStart, now, corrections = [] }: Day,
): Energies {
  const first = history.times.findIndex((at) => at >= dayStart);
  const times = first < 0 ? [] : history.times.slice(first);
  const cut = (wanted: Wanted) => (first < 0 ? [] : (history.column(wanted)?.slice(first) ?? []));
  const createdAt = new Map(devices.map(({ id, resource }) => [id, Date.parse(resource.created_at)]));

  return energiesOfToday({
    times,
    bucketMs: history.bucketMs,
    dayStart,
    now,
    series: readings.map((reading) => ({
      kind: reading.kind,
      wattHours: wattHoursOf(reading, { history, now }).slice(first < 0 ? history.times.length : first),
      since: createdAt.get(reading.deviceId) ?? 0,
    })),
    counters: counters.map(({ what, deviceId: device, attribute, unit }) => ({
      what,
      rises: cut({ device, attribute, aggregation: "delta" }).map((rise) =>
        rise === undefined ? undefined : convert(rise, unit, what === "hydrogen" ? "m3" : "kWh"),
      ),
      adjustment: adjustmentToday(corrections, { deviceId: device, attribute, dayStart }),
    })),
  });
}

const HOUR = 3_600_000;
