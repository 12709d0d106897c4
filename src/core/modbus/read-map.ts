// Reads the groups of a register map from a device. It remembers what it has learnt: which registers the device refuses
// to give together, where its SunSpec models are, and which alerts are active.
import { decodePoint } from "#core/sunspec/decode-model.ts";
import { type FoundModel, findModels, readModelRegisters } from "#core/sunspec/find-models.ts";
import { sunSpecModel } from "#core/sunspec/parse-model.ts";
import { convert, valueIn } from "./convert-value.ts";
import type { MapPoint, ModbusMap, PointValue, RegisterPlace, Span } from "./modbus-map.ts";
import { planReads, type ReadRequest, splitRead } from "./plan-reads.ts";
import { type AccessFailure, isFailure, isRefusedRange, type RegisterAccess } from "./register-access.ts";
import { registerCount } from "./register-value.ts";

export interface MapReading {
  readonly telemetry: ReadonlyMap<string, PointValue>;
  readonly properties: ReadonlyMap<string, PointValue>;
  /** All that are active, also those that other groups found. */
  readonly alerts: readonly string[];
  /** Those of which the device has said whether they are active. */
  readonly knownAlerts: readonly string[];
  /** Each says which registers could not be read, and why. Their values are absent. */
  readonly failures: readonly string[];
  /** Whether some request got no answer at all. An exception is an answer. */
  readonly isSilent: boolean;
}

/** A point of a map with the registers that it is read from. */
interface Wanted extends Span {
  readonly point: MapPoint;
  readonly place: RegisterPlace;
}

/** Requests without an answer in a row, after which the rest of a group is not tried. */
const MOST_SILENT = 2;

export function createMapReader(map: ModbusMap, unit: number, access: Pick<RegisterAccess, "read">) {
  const plans = new Map(map.groups.map(({ name }) => [name, planGroup(map, name, unit)]));
  const chains = new Map<number, readonly FoundModel[]>();
  const alertStates = new Map<string, boolean>();

  async function read(group: string): Promise<MapReading> {
    const reading = startReading(alertStates);
    await readRequests(group, reading);
    for (const [modelUnit, points] of sunSpecPoints(map, group, unit)) {
      if (!reading.isGivenUp()) await readSunSpec(modelUnit, points, reading);
    }
    return reading.result();
  }

  async function readRequests(group: string, reading: Reading): Promise<void> {
    const waiting = [...(plans.get(group) ?? [])];
    const learnt: ReadRequest<Wanted>[] = [];
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const answer = reading.isGivenUp() ? undefined : await access.read(request);
      const parts =
        answer !== undefined && isFailure(answer) && isRefusedRange(answer) ? splitRead(request) : undefined;
      if (parts !== undefined) {
        waiting.unshift(...parts);
        continue;
      }
      learnt.push(request);
      if (answer === undefined) continue;
      if (isFailure(answer)) reading.fail(wordsOf(request), answer);
      else takeValues(request, answer, reading);
    }
    plans.set(group, learnt);
  }

  async function readSunSpec(modelUnit: number, points: readonly MapPoint[], reading: Reading): Promise<void> {
    const models = await modelsOf(modelUnit, reading);
    if (models === undefined) return;
    const registersOf = new Map<number, readonly number[]>();
    for (const point of points) {
      const chosen = choosePoint(point, models);
      if (chosen === undefined || reading.isGivenUp()) continue;
      const { found, model, name } = chosen;
      if (!registersOf.has(found.id)) {
        const registers = await readModelRegisters(access, modelUnit, found);
        // What is there now may be elsewhere: the chain is walked anew next time.
        if (isFailure(registers)) {
          chains.delete(modelUnit);
          reading.fail(`SunSpec model ${found.id}`, registers);
        }
        registersOf.set(found.id, isFailure(registers) ? [] : registers);
      }
      const raw = decodePoint(model, name, registersOf.get(found.id) ?? []);
      reading.take(point, raw === undefined ? undefined : convert(point.conversion, raw));
    }
  }

  async function modelsOf(modelUnit: number, reading: Reading): Promise<readonly FoundModel[] | undefined> {
    const known = chains.get(modelUnit);
    if (known !== undefined) return known;
    const chain = await findModels(access, modelUnit);
    if (chain !== undefined && !("failure" in chain)) {
      chains.set(modelUnit, chain.models);
      return chain.models;
    }
    reading.fail(
      `SunSpec of unit ${modelUnit}`,
      chain ?? { failure: "the device has no SunSpec marker", kind: "exception" },
    );
    return undefined;
  }

  return { read };
}

function planGroup(map: ModbusMap, group: string, unit: number): readonly ReadRequest<Wanted>[] {
  const wanted = map.points.flatMap((point): readonly Wanted[] => {
    const { place } = point;
    if (point.group !== group || place.from !== "register") return [];
    const count = place.kind === "coil" || place.kind === "discrete" ? 1 : registerCount(place.layout);
    return [{ unit: place.unit ?? unit, kind: place.kind, address: place.address, count, point, place }];
  });
  return planReads(wanted, map.maxGap);
}

function sunSpecPoints(map: ModbusMap, group: string, unit: number): ReadonlyMap<number, readonly MapPoint[]> {
  const byUnit = new Map<number, MapPoint[]>();
  for (const point of map.points) {
    if (point.group !== group || point.place.from !== "sunspec") continue;
    const own = point.place.unit ?? unit;
    byUnit.set(own, [...(byUnit.get(own) ?? []), point]);
  }
  return byUnit;
}

/** The first of a point's choices whose model the device has. */
function choosePoint({ place }: MapPoint, models: readonly FoundModel[]) {
  if (place.from !== "sunspec") return undefined;
  for (const { model: id, name } of place.points) {
    const found = models.find((one) => one.id === id);
    const model = sunSpecModel(id);
    if (found !== undefined && model !== undefined) return { found, model, name };
  }
  return undefined;
}

function takeValues(request: ReadRequest<Wanted>, registers: readonly number[], reading: Reading): void {
  for (const { address, count, point, place } of request.wanted) {
    const own = registers.slice(address - request.address, address - request.address + count);
    reading.take(point, valueIn(place, point.conversion, own));
  }
}

type Reading = ReturnType<typeof startReading>;

function startReading(alertStates: Map<string, boolean>) {
  const values = { telemetry: new Map<string, PointValue>(), properties: new Map<string, PointValue>() };
  const failures: string[] = [];
  let silent = 0;
  let isSilent = false;
  let isUnreachable = false;
  return {
    take({ target, name }: MapPoint, value: PointValue | undefined): void {
      silent = 0;
      if (value === undefined) return;
      if (target === "alerts") alertStates.set(name, value === true);
      else values[target].set(name, value);
    },
    fail(what: string, { failure, kind }: AccessFailure): void {
      failures.push(`${what}: ${failure}`);
      silent = kind === "exception" ? 0 : silent + 1;
      isSilent ||= kind !== "exception";
      isUnreachable ||= kind === "unreachable";
    },
    isGivenUp: () => isUnreachable || silent >= MOST_SILENT,
    result: (): MapReading => ({
      ...values,
      alerts: [...alertStates].filter(([, isActive]) => isActive).map(([name]) => name),
      knownAlerts: [...alertStates.keys()],
      failures,
      isSilent,
    }),
  };
}

/** "holding registers 0 to 9 of unit 1", for messages. */
export function wordsOf({ unit, kind, address, count }: Span): string {
  const what = { holding: "holding register", input: "input register", coil: "coil", discrete: "discrete input" }[kind];
  const range = count === 1 ? `${what} ${address}` : `${what}s ${address} to ${address + count - 1}`;
  return `${range} of unit ${unit}`;
}
