// What is particular about each kind of object of device/1.0, before it is made to fit device/3.0.
import { isMap, isScalar, type YAMLMap } from "yaml";
import { titleOf } from "#manifest/edits.ts";
import { respellUnit } from "#manifest/suggest-unit.ts";
import { isKnownUnit } from "#manifest/units.ts";
import { type Conversion, keyOf, mapAt, note, removePair, resolved, textAt, valueAt } from "./conversion.ts";
import type { Place } from "./fit-shape.ts";
import { COLOR_OF, SEVERITY_OF, TYPE_OF, unitOf } from "./v1-words.ts";

export function prepareItem(conversion: Conversion, map: YAMLMap, place: Place): void {
  switch (place.what) {
    case "property":
    case "telemetry attribute":
    case "command argument":
    case "response field":
      prepareValue(conversion, map, place);
      break;
    case "command":
      prepareCommand(conversion, map, place);
      break;
    case "command group":
      giveName(conversion, map, place);
      break;
    case "alert":
      prepareAlert(conversion, map, place);
      break;
    case "enum value":
      prepareColor(conversion, map, place);
      break;
    case "ui":
      moveFlag(conversion, { place, from: map, to: map, key: "mobile_quick_access" });
      break;
  }
}

function prepareValue(conversion: Conversion, map: YAMLMap, place: Place): void {
  giveName(conversion, map, place);
  const type = textAt(conversion, map, "type");
  const meant = type === undefined ? undefined : TYPE_OF.get(type.toLowerCase());
  if (meant !== undefined) replaceText(conversion, map, { place, key: "type", value: meant });
  const unit = textAt(conversion, map, "unit");
  if (unit !== undefined) convertUnit(conversion, map, { place, unit: unit.trim() });
}

interface UnitPlace {
  readonly place: Place;
  readonly unit: string;
}

/** A unit keeps its meaning: known words are written as 3.0 writes them, and all others are declared. */
function convertUnit(conversion: Conversion, map: YAMLMap, { place, unit }: UnitPlace): void {
  if (unit === "") {
    map.delete("unit");
    return;
  }
  if (unit === "F") {
    const message =
      "F means Farad in device/3.0. For degrees Fahrenheit write [degF]; if Farad is right, set allow_unit_f.";
    note(conversion, "decide", [...place.path, "unit"], message);
    return;
  }
  // C is a temperature in every manifest of 1.0, and VAr has another spelling.
  const isOldWord = /^(?:C|k?VAr)$/.test(unit);
  const respelt = respellUnit(unit);
  const meant = isKnownUnit(unit) && !isOldWord ? unit : (unitOf(unit) ?? (isKnownUnit(respelt) ? respelt : unit));
  if (meant !== textAt(conversion, map, "unit")) replaceText(conversion, map, { place, key: "unit", value: meant });
  if (!isKnownUnit(meant)) conversion.units.add(meant);
}

function prepareCommand(conversion: Conversion, map: YAMLMap, place: Place): void {
  giveName(conversion, map, place);
  for (const key of ["min", "max"]) {
    const pair = map.items.find((one) => keyOf(one) === key);
    if (pair === undefined) continue;
    removePair(map, pair);
    note(conversion, "dropped", [...place.path, key], `${key} belongs to an argument, not to a command.`);
  }
  if (map.has("virtual")) {
    map.delete("virtual");
    const message = "device/3.0 has no virtual commands. Handle it in the script, or remove it.";
    note(conversion, "decide", [...place.path, "virtual"], message);
  }
  if (!map.has("quick_access") && !map.has("mobile_quick_access")) return;
  const ui = mapAt(conversion, map, "ui") ?? newMap(conversion, map, "ui");
  for (const key of ["quick_access", "mobile_quick_access"]) moveFlag(conversion, { place, from: map, to: ui, key });
}

interface Move {
  readonly place: Place;
  readonly from: YAMLMap;
  readonly to: YAMLMap;
  readonly key: string;
}

/** Both names of it become `quick_access` of `ui`. */
function moveFlag(conversion: Conversion, { place, from, to, key }: Move): void {
  const value = valueAt(conversion, from, key);
  if (!from.has(key)) return;
  from.delete(key);
  if (value !== undefined && !to.has("quick_access")) to.set("quick_access", value);
  note(conversion, "changed", [...place.path, key], `${key} is quick_access of ui.`);
}

function prepareAlert(conversion: Conversion, map: YAMLMap, place: Place): void {
  giveName(conversion, map, place);
  const severity = textAt(conversion, map, "severity");
  const meant = SEVERITY_OF.get(severity?.toLowerCase() ?? "");
  if (meant !== undefined) replaceText(conversion, map, { place, key: "severity", value: meant });
  if (severity === undefined) {
    map.set("severity", "error");
    note(conversion, "decide", place.path, "It has no severity; error is written.");
  }
}

function prepareColor(conversion: Conversion, map: YAMLMap, place: Place): void {
  const color = textAt(conversion, map, "color");
  if (color?.startsWith("#") !== true) return;
  const meant = COLOR_OF.get(color.toLowerCase());
  if (meant !== undefined) replaceText(conversion, map, { place, key: "color", value: meant });
  else {
    map.delete("color");
    note(
      conversion,
      "decide",
      [...place.path, "color"],
      `device/3.0 names its colours, and none is ${color}. Choose one.`,
    );
  }
}

function giveName(conversion: Conversion, map: YAMLMap, place: Place): void {
  if (valueAt(conversion, map, "display_name") !== undefined) return;
  // A misspelt key may hold it.
  if (map.items.some((pair) => /^\.?d\w*_?name$/i.test(keyOf(pair)) && resolved(conversion, pair.value) !== undefined))
    return;
  const name = titleOf(place.path.at(-1) ?? "");
  map.set("display_name", name);
  note(conversion, "changed", place.path, `It has no display_name; ${name} is written.`);
}

interface Replacement {
  readonly place: Place;
  readonly key: string;
  readonly value: string;
}

function replaceText(conversion: Conversion, map: YAMLMap, { place, key, value }: Replacement): void {
  const before = textAt(conversion, map, key);
  const node = map.get(key, true);
  if (isScalar(node)) {
    node.value = value;
    delete node.source;
  } else map.set(key, value);
  note(conversion, "changed", [...place.path, key], `${before} is ${value}.`);
}

function newMap(conversion: Conversion, map: YAMLMap, key: string): YAMLMap {
  const made = conversion.document.createNode({});
  map.set(key, made);
  if (!isMap(made)) throw new TypeError("an object became no map");
  made.flow = false;
  return made;
}
