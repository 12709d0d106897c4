import type { DeclaredControl } from "#core/control/declared-control.ts";
import type { Reporter } from "#manifest/reporter.ts";
import { follow, type Trail } from "#manifest/tree.ts";
import { areCompatible, convert, isKnownUnit } from "#manifest/units.ts";
import { choices, quote, short } from "#manifest/words.ts";

/** What stands beside the controls, as far as it could be read. */
export interface Surroundings {
  readonly commands: ReadonlyMap<string, { readonly arguments: ReadonlyMap<string, DeclaredArgument> }>;
  readonly telemetry: ReadonlyMap<string, DeclaredValue>;
  /** Units that the manifest declares itself. */
  readonly units: ReadonlySet<string>;
  /** Whether `reads` may name a field of another profile. */
  readonly isProfile: boolean;
}

export interface DeclaredValue {
  readonly type: string | undefined;
  readonly unit: string | undefined;
}

export interface DeclaredArgument extends DeclaredValue {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly isNeeded: boolean;
  readonly isSensitive: boolean;
}

interface Place {
  readonly reporter: Reporter;
  /** Of the one control. */
  readonly trail: Trail;
  readonly around: Surroundings;
}

const CONTROLLED = new Set(["float", "integer", "boolean"]);

/** Whether command, argument, telemetry, units and limits exist and fit each other. `trail` leads to `controls`. */
export function checkControls(
  { reporter, trail, around }: Place,
  controls: ReadonlyMap<string, DeclaredControl>,
): void {
  const owners = new Map<string, string>();
  for (const [id, control] of controls) {
    const place = { reporter, trail: follow(trail, [id]), around };
    const argument = checkCommand(place, control);
    checkReads(place, control, argument);
    if (argument !== undefined) checkRange(place, control, argument);
    checkTimes(place, control);
    if (control.prepare !== undefined) checkCall(place, "prepare", control.prepare);
    if (control.fallback?.kind === "command") checkCall(place, "fallback", control.fallback);
    const target = JSON.stringify([control.command, control.argument]);
    const owner = owners.get(target);
    owners.set(target, owner ?? id);
    if (owner !== undefined) report(place, ["argument"], `The control ${short(owner)} already has this argument.`);
  }
}

function report({ reporter, trail }: Place, path: readonly string[], message: string): undefined {
  if (reporter.skips("bad_control")) return undefined;
  return reporter.atValue(follow(trail, path), { code: "bad_control", message });
}

function checkCommand(place: Place, control: DeclaredControl): DeclaredArgument | undefined {
  const command = place.around.commands.get(control.command);
  if (command === undefined) return reportName(place, ["command"], "command", place.around.commands.keys());
  const argument = command.arguments.get(control.argument);
  checkArguments(place, control, [control.argument]);
  if (argument === undefined) return reportName(place, ["argument"], "argument", command.arguments.keys());
  if (argument.type !== undefined && !CONTROLLED.has(argument.type))
    return report(
      place,
      ["argument"],
      `A control sets float, integer or boolean, and ${short(control.argument)} is ${argument.type}.`,
    );
  if (argument.isSensitive) return report(place, ["argument"], "A sensitive argument cannot be controlled.");
  return argument;
}

interface Call {
  readonly command: string;
  readonly arguments: ReadonlyMap<string, unknown>;
}

/** `given` are names that have a value besides `arguments`. */
function checkArguments(place: Place, call: Call, given: readonly string[], path: readonly string[] = []): void {
  const declared = place.around.commands.get(call.command)?.arguments ?? new Map<string, DeclaredArgument>();
  for (const name of call.arguments.keys()) {
    if (!declared.has(name)) reportName(place, [...path, "arguments", name], "argument", declared.keys());
    else if (given.includes(name))
      report(place, [...path, "arguments", name], "This argument has the controlled value.");
  }
  for (const [name, { isNeeded }] of declared) {
    if (!isNeeded || given.includes(name) || call.arguments.has(name)) continue;
    report(
      place,
      [...path, "command"],
      `The command ${short(call.command)} needs ${short(name)}: name it in arguments.`,
    );
  }
}

function reportName(place: Place, path: readonly string[], what: string, known: Iterable<string>): undefined {
  const at = follow(place.trail, path);
  const word = path.at(-2) === "arguments" ? String(path.at(-1)) : at.node.kind === "scalar" ? at.node.text : "";
  const { words } = choices(place.reporter, word, [...known]);
  return report(place, path, `There is no ${what} ${quote(word)}. ${words || `No ${what} is declared.`}`);
}

function checkReads(place: Place, control: DeclaredControl, argument: DeclaredArgument | undefined): void {
  const { around } = place;
  const unit = control.unit ?? argument?.unit;
  if (control.unit !== undefined) checkUnit(place, control.unit, argument);
  if (control.reads === undefined || (around.isProfile && control.reads.includes("."))) return;
  const read = around.telemetry.get(control.reads);
  if (read === undefined) {
    reportName(place, ["reads"], "telemetry attribute", around.telemetry.keys());
    return;
  }
  if (read.type !== undefined && !CONTROLLED.has(read.type))
    report(
      place,
      ["reads"],
      `What is read back is float, integer or boolean, and ${short(control.reads)} is ${read.type}.`,
    );
  else if (
    argument?.type !== undefined &&
    read.type !== undefined &&
    (read.type === "boolean") !== (argument.type === "boolean")
  )
    report(
      place,
      ["reads"],
      `${short(control.reads)} is ${read.type}, and ${short(control.argument)} is ${argument.type}.`,
    );
  if (unit !== undefined && read.unit !== undefined && !areCompatible(unit, read.unit))
    report(place, ["reads"], `${quote(read.unit)} of ${short(control.reads)} cannot be converted to ${quote(unit)}.`);
}

function checkUnit(place: Place, unit: string, argument: DeclaredArgument | undefined): void {
  if (!isKnownUnit(unit, place.around.units)) {
    report(place, ["unit"], `The unit ${quote(unit)} is neither UCUM nor an energy unit nor declared in units.`);
  } else if (argument?.unit !== undefined && !areCompatible(unit, argument.unit)) {
    report(place, ["unit"], `${quote(unit)} cannot be converted to ${quote(argument.unit)} of the argument.`);
  }
}

/** The limits of the argument in the unit of the control. */
function limitsOf(control: DeclaredControl, argument: DeclaredArgument) {
  if (argument.type === "boolean") return { min: 0, max: 1 };
  const [from, to] = [argument.unit ?? control.unit ?? "1", control.unit ?? argument.unit ?? "1"];
  const inUnit = (value: number | undefined) => (value === undefined ? undefined : convert(value, from, to));
  return { min: inUnit(argument.min), max: inUnit(argument.max) };
}

function checkRange(place: Place, control: DeclaredControl, argument: DeclaredArgument): void {
  const limits = limitsOf(control, argument);
  const [low, high] = [control.min ?? limits.min ?? -Infinity, control.max ?? limits.max ?? Infinity];
  const at = control.min === undefined ? (control.max === undefined ? "argument" : "max") : "min";
  if (low >= high) report(place, [at], `The range from ${low} to ${high} is empty.`);
  if (control.min !== undefined && control.min < (limits.min ?? -Infinity))
    report(place, ["min"], `The argument allows nothing below ${limits.min}.`);
  if (control.max !== undefined && control.max > (limits.max ?? Infinity))
    report(place, ["max"], `The argument allows nothing above ${limits.max}.`);
  if (control.step !== undefined && control.step > high - low)
    report(place, ["step"], "The step is larger than the range.");
  if (argument.type === "boolean" && control.ramp !== undefined)
    report(place, ["ramp"], "Yes and no have nothing between them.");
  const value = control.fallback?.value;
  if (value === undefined) return;
  const meant = value === "min" ? low : value === "max" ? high : value;
  // A profile leaves the limits to the blueprints.
  if (!Number.isFinite(meant) && !place.around.isProfile)
    report(place, ["fallback", "value"], `Neither the control nor the argument has a ${value}.`);
  else if (Number.isFinite(meant) && (meant < low || meant > high))
    report(place, ["fallback", "value"], `The fallback is outside the range from ${low} to ${high}.`);
}

function checkTimes(place: Place, { refreshMs, intervalMs }: DeclaredControl): void {
  if (refreshMs !== undefined && refreshMs < Math.max(2 * intervalMs, 1000))
    report(
      place,
      ["refresh"],
      "refresh must be 1s at least, and twice the interval: it is written again after half of it.",
    );
}

function checkCall(place: Place, key: string, call: Call): void {
  if (place.around.commands.has(call.command)) checkArguments(place, call, [], [key]);
  else reportName(place, [key, "command"], "command", place.around.commands.keys());
}
