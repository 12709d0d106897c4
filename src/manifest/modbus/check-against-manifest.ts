// Whether a register map fits the manifest beside it: names, types, limits.
import type { Blueprint, CommandArgument, EnumValue } from "#core/blueprint/blueprint.ts";
import { registersFor, unconvert } from "#core/modbus/convert-value.ts";
import { type MapPoint, type MapWrite, type ModbusMap, type PointValue, settingsOf } from "#core/modbus/modbus-map.ts";
import { findModelPoint, sunSpecModel } from "#core/sunspec/parse-model.ts";
import { choices, quote } from "#manifest/words.ts";
import { isTextPlace } from "./build-modbus-map.ts";
import type { GivenMap } from "./map-language.ts";
import type { MapReport, Path } from "./map-report.ts";

/** `given` is what the map says, `map` as much of it as makes sense. */
export function checkAgainstManifest(
  report: MapReport,
  { given, map }: { readonly given: GivenMap; readonly map: ModbusMap },
  blueprint: Blueprint,
): void {
  checkNames(report, given, blueprint);
  for (const point of map.points) checkPoint(report, point, blueprint);
  for (const [name, writes] of map.commands) checkWrites(report, blueprint, { name, writes });
  checkSettings(report, map, blueprint);
}

const WORDS = {
  telemetry: "telemetry attribute",
  properties: "property",
  alerts: "alert",
  commands: "command",
} as const;
const SECTIONS = ["telemetry", "properties", "alerts", "commands"] as const;

function checkNames(report: MapReport, given: GivenMap, blueprint: Blueprint): void {
  for (const section of SECTIONS) {
    const known: ReadonlyMap<string, unknown> = blueprint[section];
    for (const name of given[section]?.keys() ?? [])
      if (!known.has(name)) unknown(report, [section, name], { what: WORDS[section], name, known: [...known.keys()] });
  }
  for (const [name, { arguments: written }] of given.commands ?? []) {
    const known = blueprint.commands.get(name)?.arguments;
    for (const argument of known === undefined ? [] : (written?.keys() ?? [])) {
      if (known?.has(argument)) continue;
      const path = ["commands", name, "arguments", argument];
      unknown(report, path, { what: `argument of ${name}`, name: argument, known: [...(known?.keys() ?? [])] });
    }
  }
}

function checkPoint(report: MapReport, point: MapPoint, blueprint: Blueprint): void {
  const { target, name } = point;
  const attribute = target === "alerts" ? undefined : blueprint[target].get(name);
  if (attribute === undefined) return;
  checkType(report, point, { path: [target, name], type: attribute.type, values: attribute.enum });
}

function unknown(
  report: MapReport,
  path: Path,
  { what, name, known }: { readonly what: string; readonly name: string; readonly known: readonly string[] },
): void {
  const { words } = choices(report.reporter, name, known);
  const message = `The manifest has no ${what} ${quote(name)}. ${words || `It declares no ${what}.`}`;
  report(path, "unknown_value", message);
}

interface Declared {
  readonly path: Path;
  readonly type: string;
  readonly values: readonly EnumValue[] | undefined;
}

function checkType(report: MapReport, { place, conversion, name }: MapPoint, { path, type, values }: Declared): void {
  const mismatch = (gives: string) =>
    report(path, "wrong_type", `${name} is ${withArticle(type)} in the manifest, and its register gives ${gives}.`);
  if (conversion.names !== undefined) {
    for (const [number, meaning] of conversion.names)
      checkMeaning(report, [...path, "enum", String(number)], { meaning, type, values });
  } else if (isTextPlace(place)) {
    if (type !== "string") mismatch("a text");
  } else if (conversion.isBoolean) {
    if (type !== "boolean") mismatch("true or false");
  } else if (type !== "float" && type !== "integer") {
    mismatch(type === "string" ? "a number. Add enum to say what each number means" : "a number");
  } else if (type === "integer" && mayHaveFraction(place, conversion)) {
    mismatch("fractions. Declare it as float");
  }
}

function mayHaveFraction(place: MapPoint["place"], { scale, offset }: MapPoint["conversion"]): boolean {
  if (!Number.isInteger(scale) || !Number.isInteger(offset)) return true;
  if (place.from === "register") return place.layout.type.startsWith("float");
  return place.points.some(({ model: id, name }) => {
    const model = sunSpecModel(id);
    const point = model && findModelPoint(model, name)?.point;
    return point?.scaleFactor !== undefined || point?.type === "float32";
  });
}

function checkMeaning(
  report: MapReport,
  path: Path,
  { meaning, type, values }: { readonly meaning: PointValue; readonly type: string } & Pick<Declared, "values">,
): void {
  const isRight =
    type === "float"
      ? typeof meaning === "number"
      : type === "integer"
        ? Number.isInteger(meaning)
        : typeof meaning === type;
  if (!isRight)
    report(path, "enum_value_type", `${quote(String(meaning))} is not ${withArticle(type)}, as the manifest says.`);
  else if (values !== undefined && !values.some(({ value }) => value === meaning)) {
    const known = values.map(({ value }) => String(value));
    const { words } = choices(report.reporter, String(meaning), known);
    report(path, "unknown_value", `The enum of the manifest has no value ${quote(String(meaning))}. ${words}`);
  }
}

function checkWrites(
  report: MapReport,
  blueprint: Blueprint,
  { name, writes }: { readonly name: string; readonly writes: readonly MapWrite[] },
): void {
  for (const write of writes) {
    const argument = blueprint.commands.get(name)?.arguments.get(write.argument ?? "");
    if (argument === undefined || write.argument === undefined) continue;
    checkArgument(report, ["commands", name, "arguments", write.argument], { write, argument });
  }
}

/** Each end of what the manifest allows must fit the register; what lies between does then, too. */
function checkArgument(
  report: MapReport,
  path: Path,
  { write, argument }: { readonly write: MapWrite; readonly argument: CommandArgument },
): void {
  const { type, min, max } = argument;
  if (type === "json" || type === "array_of_strings") {
    report(path, "wrong_type", `${argument.id} is ${withArticle(type)} in the manifest, which no register can hold.`);
    return;
  }
  const isText = isTextPlace(write.place);
  const { names } = write.conversion;
  if (names === undefined && (type === "string") !== isText) {
    const message = isText
      ? `${argument.id} is ${withArticle(type)} in the manifest, and its register holds a text.`
      : `${argument.id} is a string in the manifest. Add enum to say which number each text is.`;
    report(path, "wrong_type", message);
    return;
  }
  if (write.place.from !== "register") return;
  const ends: readonly (PointValue | undefined)[] =
    names === undefined ? [min, max] : (argument.enum ?? []).map(({ value }) => value);
  for (const end of ends) {
    if (end === undefined) continue;
    const given = unconvert(write.conversion, end);
    const fit = "problem" in given ? given : registersFor(write.place, given.raw);
    if ("problem" in fit)
      report(path, "wrong_type", `The manifest allows ${end} for ${argument.id}, but what is written ${fit.problem}.`);
  }
}

function checkSettings(report: MapReport, map: ModbusMap, blueprint: Blueprint): void {
  for (const setting of settingsOf(map)) {
    const [bucket = "", parameter = ""] = setting.split(".");
    if (blueprint.configuration.get(bucket)?.parameters.has(parameter)) continue;
    const key = String(map.unit).includes(setting) ? "unit" : "connection";
    const known = [...blueprint.configuration.values()].flatMap(({ id, parameters }) =>
      [...parameters.keys()].map((name) => `${id}.${name}`),
    );
    const { words } = choices(report.reporter, setting, known);
    report([key], "unknown_value", `The manifest's configuration has no parameter ${quote(setting)}. ${words}`);
  }
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}
