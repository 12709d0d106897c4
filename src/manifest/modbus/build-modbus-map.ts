// Turns a register map as it is written into what it means: fills in defaults, and reports what does not fit together.
import { connectionUriProblem, mayBeConnectionUri } from "#core/modbus/connection-uri.ts";
import { MAX_MAP_GROUPS, MAX_MAP_REGISTERS } from "#core/modbus/map-limits.ts";
import {
  type Conversion,
  isBitKind,
  type MapGroup,
  type MapPoint,
  type MapWrite,
  type ModbusMap,
  type PointTarget,
  type PointValue,
  type RegisterPlace,
  type SunSpecPlace,
} from "#core/modbus/modbus-map.ts";
import { type RegisterType, registerCount, type WordOrder } from "#core/modbus/register-value.ts";
import { MODEL_TABLES } from "#core/sunspec/model-tables.ts";
import { findModelPoint, modelPointNames, sunSpecModel } from "#core/sunspec/parse-model.ts";
import { choices, quote } from "#manifest/words.ts";
import type { GivenGroup, GivenMap, GivenPoint, GivenWrite } from "./map-language.ts";
import type { MapReport, Path } from "./map-report.ts";

/** The group of what names none. */
const DEFAULT_GROUP = "";
const DEFAULT_INTERVAL_MS = 1_000;
const LEAST_INTERVAL_MS = 100;
const DEFAULT_TIMEOUT_MS = 1_000;
const LONGEST_TIMEOUT_MS = 60_000;
const DEFAULT_GAP = 16;
const REGISTERS = 65_536;
const TARGETS: readonly PointTarget[] = ["telemetry", "properties", "alerts"];

export function buildModbusMap(report: MapReport, given: GivenMap): ModbusMap {
  const points = TARGETS.flatMap((target) =>
    [...(given[target] ?? [])].flatMap(([name, point]) => buildPoint(report, given, { target, name, point })),
  );
  const commands = new Map(
    [...(given.commands ?? [])].map(([name, command]) => {
      const path = ["commands", name];
      const writes = [
        ...[...(command.arguments ?? [])].flatMap(([argument, write]) =>
          buildWrite(report, given, { argument, write, path: [...path, "arguments", argument] }),
        ),
        ...[...(command.values ?? [])].flatMap(([key, write]) =>
          buildWrite(report, given, { argument: undefined, write, path: [...path, "values", key] }),
        ),
      ];
      if ((command.arguments?.size ?? 0) + (command.values?.size ?? 0) === 0)
        report(path, "missing_key", `The command ${quote(name)} writes nothing. Give it arguments or values.`);
      return [name, writes] as const;
    }),
  );
  const groups = buildGroups(report, given);
  const size = points.length + [...commands.values()].reduce((sum, { length }) => sum + length, 0);
  if (size > MAX_MAP_REGISTERS)
    report([], "document_too_complex", `A map has at most ${MAX_MAP_REGISTERS} registers; this has ${size}.`);
  if (groups.length > MAX_MAP_GROUPS)
    report(["groups"], "document_too_complex", `A map has at most ${MAX_MAP_GROUPS} groups.`);
  if (TARGETS.every((target) => (given[target]?.size ?? 0) === 0) && commands.size === 0)
    report([], "missing_key", "The map has no registers. Add telemetry, properties, alerts or commands.");
  if (given.timeout !== undefined && (given.timeout < 1 || given.timeout > LONGEST_TIMEOUT_MS))
    report(["timeout"], "bad_duration", "timeout must be longer than 0 and at most 60s.");
  if (given.connection !== undefined && !mayBeConnectionUri(given.connection))
    report(["connection"], "unknown_value", `${connectionUriProblem(given.connection)}.`);
  const used = new Set(points.map(({ group }) => group));
  return {
    connection: given.connection,
    unit: given.unit ?? 1,
    timeoutMs: given.timeout ?? DEFAULT_TIMEOUT_MS,
    maxGap: given.maxGap ?? DEFAULT_GAP,
    groups: groups.filter(({ name }) => used.has(name)),
    points,
    commands,
  };
}

function buildGroups(report: MapReport, given: GivenMap): readonly MapGroup[] {
  const interval = (given: number | undefined, otherwise: number, path: Path) => {
    if (given !== undefined && given < LEAST_INTERVAL_MS)
      report(path, "bad_duration", "interval must be at least 100ms.");
    return given ?? otherwise;
  };
  const own = interval(given.interval, DEFAULT_INTERVAL_MS, ["interval"]);
  return [
    { name: DEFAULT_GROUP, intervalMs: own },
    ...[...(given.groups ?? [])].map(([name, group]) => ({
      name,
      intervalMs: interval(group.interval, own, ["groups", name, "interval"]),
    })),
  ];
}

interface NamedPoint {
  readonly target: PointTarget;
  readonly name: string;
  readonly point: GivenPoint;
}

function buildPoint(report: MapReport, map: GivenMap, { target, name, point }: NamedPoint): readonly MapPoint[] {
  const path = [target, name];
  if (report.isBroken(path)) return [];
  const group = point.group ?? DEFAULT_GROUP;
  const settings = point.group === undefined ? undefined : map.groups?.get(point.group);
  if (point.group !== undefined && settings === undefined) {
    const { words } = choices(report.reporter, point.group, [...(map.groups?.keys() ?? [])]);
    report([...path, "group"], "unknown_group", `There is no group ${quote(point.group)}. ${words}`);
    return [];
  }
  const place = buildPlace(report, { map, group: settings, given: point, path });
  if (place === undefined) return [];
  const isBoolean = target === "alerts" || point.bit !== undefined || isBooleanPlace(place, point);
  const bits = bitsOf(report, { point, place, path });
  const conversion = buildConversion(report, { given: point, place, path });
  return [{ target, name, group, place, conversion: { ...conversion, isBoolean, bits } }];
}

interface WritePlace {
  readonly argument: string | undefined;
  readonly write: GivenWrite;
  readonly path: Path;
}

function buildWrite(report: MapReport, map: GivenMap, { argument, write, path }: WritePlace): readonly MapWrite[] {
  if (report.isBroken(path)) return [];
  const place = buildPlace(report, { map, group: undefined, given: write, path });
  if (place === undefined) return [];
  if (place.from === "register" && (place.kind === "input" || place.kind === "discrete")) {
    const other = place.kind === "input" ? "holding" : "coil";
    report(path, "conflicting_keys", `A register of kind ${place.kind} cannot be written. Use kind ${other}.`);
    return [];
  }
  if (argument === undefined && write.value === undefined)
    report(path, "missing_key", "A fixed value needs value: what is written.");
  if (argument !== undefined && write.value !== undefined)
    report(
      [...path, "value"],
      "conflicting_keys",
      "An argument brings its own value. Remove value, or move it to values.",
    );
  const conversion = buildConversion(report, { given: write, place, path });
  return [
    { argument, value: write.value, place, conversion: { ...conversion, isBoolean: isBooleanPlace(place, write) } },
  ];
}

function isBooleanPlace(place: RegisterPlace | SunSpecPlace, { type }: Pick<GivenPoint, "type">): boolean {
  return type === "bool" || (place.from === "register" && isBitKind(place.kind));
}

interface PlaceNeeds {
  readonly map: GivenMap;
  readonly group: GivenGroup | undefined;
  readonly given: Omit<GivenWrite, "value">;
  readonly path: Path;
}

function buildPlace(report: MapReport, needs: PlaceNeeds): RegisterPlace | SunSpecPlace | undefined {
  const { map, group, given, path } = needs;
  const unit = given.unit ?? group?.unit;
  if ((given.address === undefined) === (given.sunspec === undefined)) {
    report(path, "missing_key", "A register needs either address, or sunspec for a point of a SunSpec model.");
    return undefined;
  }
  if (given.sunspec !== undefined) return sunSpecPlace(report, { ...needs, sunspec: given.sunspec, unit });
  const address = given.address ?? 0;
  const kind = given.kind ?? group?.kind ?? map.kind ?? "holding";
  if (isBitKind(kind) && given.type !== undefined && given.type !== "bool") {
    report([...path, "type"], "conflicting_keys", `A ${kind} is one bit, so its type can only be bool.`);
    return undefined;
  }
  const type: RegisterType = given.type === undefined || given.type === "bool" ? "uint16" : given.type;
  if ((type === "string") !== (given.count !== undefined)) {
    const message =
      type === "string"
        ? "A string needs count: its registers."
        : `count is for strings; a ${type} has its own length.`;
    report(path, type === "string" ? "missing_key" : "conflicting_keys", message);
    return undefined;
  }
  const words: WordOrder = given.wordOrder ?? group?.wordOrder ?? map.wordOrder ?? "big";
  const bytes: WordOrder = given.byteOrder ?? group?.byteOrder ?? map.byteOrder ?? "big";
  const layout = { type, words, bytes, scale: 1, count: given.count ?? 1 };
  const count = isBitKind(kind) ? 1 : registerCount(layout);
  if (address + count > REGISTERS) {
    report(path, "wrong_type", `Registers ${address} to ${address + count - 1} go beyond 65535.`);
    return undefined;
  }
  return { from: "register", unit, kind, address, layout };
}

function sunSpecPlace(
  report: MapReport,
  {
    given,
    path,
    sunspec,
    unit,
  }: PlaceNeeds & { readonly sunspec: readonly string[]; readonly unit: number | undefined },
): SunSpecPlace | undefined {
  for (const key of ["kind", "type", "count"] as const) {
    if (given[key] !== undefined)
      report([...path, key], "conflicting_keys", `SunSpec says the ${key} of its points. Remove ${key}.`);
  }
  const points = sunspec.flatMap((text, index) => {
    const at = [...path, "sunspec", index];
    const [, id, name = ""] = /^(\d{1,5})\.(.+)$/.exec(text) ?? [];
    const model = id === undefined ? undefined : sunSpecModel(Number(id));
    if (id === undefined) report(at, "unknown_value", `${quote(text)} is no point of a model, such as 103.W.`);
    else if (model === undefined) {
      const known = [...MODEL_TABLES.keys()].join(", ");
      report(at, "unknown_value", `The model ${id} is not known. Known are ${known}; give other registers by address.`);
    } else if (findModelPoint(model, name) === undefined) {
      const { words } = choices(report.reporter, name, modelPointNames(model));
      report(at, "unknown_value", `Model ${id} has no point ${quote(name)}. ${words}`);
    } else return [{ model: model.id, name }];
    return [];
  });
  return points.length === 0 ? undefined : { from: "sunspec", unit, points };
}

/** Whether the registers hold a text. */
export function isTextPlace(place: RegisterPlace | SunSpecPlace): boolean {
  if (place.from === "register") return !isBitKind(place.kind) && place.layout.type === "string";
  const [first] = place.points;
  const model = first && sunSpecModel(first.model);
  return model !== undefined && findModelPoint(model, first?.name ?? "")?.point.type === "string";
}

function bitsOf(
  report: MapReport,
  { point, place, path }: { readonly point: GivenPoint; readonly place: MapPoint["place"]; readonly path: Path },
): Conversion["bits"] {
  if (point.bit !== undefined && point.bits !== undefined)
    report([...path, "bits"], "conflicting_keys", "Give either bit or bits.");
  const [low, high, ...more] = point.bit === undefined ? (point.bits ?? []) : [point.bit, point.bit];
  if (low === undefined) return undefined;
  if (high === undefined || more.length > 0 || high < low) {
    report([...path, "bits"], "wrong_type", "bits must be the lowest and the highest bit, such as [4, 7].");
    return undefined;
  }
  const type = place.from === "register" ? place.layout.type : undefined;
  const width = type?.endsWith("16") ? 16 : 32;
  const hasBits =
    place.from === "sunspec" ? !isTextPlace(place) : /^u?int(16|32)$/.test(type ?? "") && !isBitKind(place.kind);
  if (!hasBits)
    report(path, "conflicting_keys", "Only registers of the types int16, uint16, int32 and uint32 have bits.");
  else if (high >= width) report(path, "wrong_type", `A ${type} has the bits 0 to ${width - 1}.`);
  return { low, high };
}

function buildConversion(
  report: MapReport,
  {
    given,
    place,
    path,
  }: { readonly given: GivenWrite | GivenPoint; readonly place: MapPoint["place"]; readonly path: Path },
): Conversion {
  const { scale = 1, offset = 0 } = given;
  if (scale === 0) report([...path, "scale"], "wrong_type", "scale must not be 0.");
  const isNumber = !isTextPlace(place) && !isBooleanPlace(place, given);
  for (const key of ["scale", "offset"] as const) {
    if (given[key] !== undefined && (!isNumber || given.enum !== undefined))
      report([...path, key], "conflicting_keys", `${key} is for numbers. Remove it.`);
  }
  if (given.enum !== undefined && isTextPlace(place))
    report([...path, "enum"], "conflicting_keys", "A text has no enum: it says itself what it means.");
  return {
    scale: scale === 0 ? 1 : scale,
    offset,
    absent: "notAValue" in given ? absentNumbers(place, given.notAValue ?? []) : [],
    bits: undefined,
    isBoolean: false,
    names: namesOf(report, given.enum, [...path, "enum"]),
  };
}

/** 0x8000 in an int16 is the number -32768. */
function absentNumbers(place: MapPoint["place"], given: readonly number[]): readonly number[] {
  const type = place.from === "register" ? place.layout.type : "";
  const [, bits] = /^int(16|32|64)$/.exec(type) ?? [];
  if (bits === undefined) return given;
  const size = 2 ** Number(bits);
  return given.map((number) => (number >= size / 2 ? number - size : number));
}

function namesOf(
  report: MapReport,
  given: ReadonlyMap<string, PointValue> | undefined,
  path: Path,
): Conversion["names"] {
  if (given === undefined) return undefined;
  const names = new Map<number, PointValue>();
  for (const [key, meaning] of given) {
    if (/^(-?\d{1,10}|0x[\da-fA-F]{1,8})$/.test(key)) names.set(Number(key), meaning);
    else report([...path, key], "bad_id", `${quote(key)} is no number that a register can hold.`);
  }
  return names;
}
