import type { Blueprint, Command, TelemetryAttribute } from "#core/blueprint/blueprint.ts";
import { findImplementing } from "#core/blueprint/conformance.ts";
import { type ProfileLibrary, splitFieldName } from "#core/blueprint/profile.ts";
import type { Control, ControlledType, Conversion, Fallback } from "#core/control/control.ts";
import type { ControlCall, DeclaredControl, DeclaredFallback } from "#core/control/declared-control.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";

/**
 * What can be controlled of a device with this blueprint: its own controls, and those of the profiles that it implements. Its
 * own ones count where both have a name or an argument. A control of a profile that does not fit the blueprint is left out.
 */
export function resolveControls(blueprint: Blueprint, library: ProfileLibrary): ReadonlyMap<string, Control> {
  const controls = new Map<string, Control>();
  const add = (control: Control | undefined) => {
    const isTaken = [...controls.values()].some(
      ({ id, command, argument }) =>
        id === control?.id || (command === control?.command && argument === control?.argument),
    );
    if (control !== undefined && !isTaken) controls.set(control.id, control);
  };
  for (const declared of blueprint.controls.values()) {
    const names = { command: blueprint.commands.get(declared.command), reads: telemetryOf(blueprint, declared.reads) };
    add(controlOf(blueprint, declared, { ...names, profile: undefined, library }));
  }
  for (const id of library.resolve(blueprint.implements)) {
    for (const declared of library.get(id)?.controls.values() ?? []) {
      const command = findImplementing(blueprint.commands, library, { profile: id, name: declared.command });
      const reads = readOf(blueprint, library, { profile: id, reads: declared.reads });
      add(controlOf(blueprint, declared, { command, reads, profile: id, library }));
    }
  }
  return controls;
}

function telemetryOf(blueprint: Blueprint, name: string | undefined): TelemetryAttribute | undefined {
  return name === undefined ? undefined : blueprint.telemetry.get(name);
}

function readOf(
  blueprint: Blueprint,
  library: ProfileLibrary,
  { profile, reads }: { readonly profile: string; readonly reads: string | undefined },
): TelemetryAttribute | undefined {
  if (reads === undefined) return undefined;
  const named = splitFieldName(reads);
  return findImplementing(blueprint.telemetry, library, { profile: named.profile || profile, name: named.field });
}

interface Found {
  readonly command: Command | undefined;
  readonly reads: TelemetryAttribute | undefined;
  readonly profile: string | undefined;
  readonly library: ProfileLibrary;
}

function controlOf(blueprint: Blueprint, declared: DeclaredControl, found: Found): Control | undefined {
  const { command, reads, profile } = found;
  const argument = command?.arguments.get(declared.argument);
  if (command === undefined || argument === undefined || argument.sensitive) return undefined;
  const type = controlledType(argument.type);
  const unit = declared.unit ?? argument.unit;
  const toArgument = conversionOf(unit, argument.unit);
  const others = [...command.arguments.values()].filter(
    ({ id, required, default: value }) => id !== argument.id && required && value === undefined,
  );
  const isComplete = others.every(({ id }) => declared.arguments.has(id));
  if (type === undefined || toArgument === undefined || !isComplete) return undefined;
  const back = inverse(toArgument);
  const isBoolean = type === "boolean";
  const min = declared.min ?? (isBoolean ? 0 : limit(argument.min, back, -Infinity));
  const max = declared.max ?? (isBoolean ? 1 : limit(argument.max, back, Infinity));
  if (!(min < max)) return undefined;
  const fallback = fallbackOf(blueprint, declared.fallback, { ...found, min, max });
  const prepare = declared.prepare && callOf(blueprint, declared.prepare, found);
  if (declared.prepare !== undefined && prepare === undefined) return undefined;
  const readType = reads === undefined ? undefined : controlledType(reads.type);
  const fromReading = reads === undefined ? undefined : conversionOf(reads.unit, unit);
  const isReadable = readType !== undefined && (readType === "boolean") === isBoolean;
  return {
    id: declared.id,
    displayName: declared.displayName ?? argument.displayName,
    unit,
    command: command.id,
    argument: argument.id,
    argumentType: type,
    toArgument,
    arguments: declared.arguments,
    reads: reads && fromReading && isReadable ? { attribute: reads.id, fromReading } : undefined,
    min,
    max,
    step: declared.step ?? (isBoolean ? 1 : undefined),
    refreshMs: declared.refreshMs,
    tolerance: declared.tolerance,
    settleMs: declared.settleMs,
    ramp: declared.ramp,
    intervalMs: declared.intervalMs,
    safe: declared.safe,
    prepare,
    fallback,
    profile,
  };
}

function fallbackOf(
  blueprint: Blueprint,
  declared: DeclaredFallback | undefined,
  { profile, library, min, max }: Found & { readonly min: number; readonly max: number },
): Fallback | undefined {
  if (declared === undefined) return undefined;
  const meant = declared.value === "min" ? min : declared.value === "max" ? max : declared.value;
  const value = meant !== undefined && Number.isFinite(meant) && meant >= min && meant <= max ? meant : undefined;
  if (declared.kind === "value") return value === undefined ? undefined : { kind: "value", value };
  const call = callOf(blueprint, declared, { profile, library });
  return call && { kind: "command", ...call, value };
}

function callOf(
  blueprint: Blueprint,
  { command: name, arguments: values }: ControlCall,
  { profile, library }: Pick<Found, "profile" | "library">,
): ControlCall | undefined {
  const command =
    profile === undefined
      ? blueprint.commands.get(name)
      : findImplementing(blueprint.commands, library, { profile, name });
  return command && { command: command.id, arguments: values };
}

const controlledType = (type: string): ControlledType | undefined =>
  type === "float" || type === "integer" || type === "boolean" ? type : undefined;

const limit = (value: number | undefined, { factor, offset }: Conversion, otherwise: number): number =>
  value === undefined ? otherwise : Number((value * factor + offset).toPrecision(15));

const inverse = ({ factor, offset }: Conversion): Conversion => ({ factor: 1 / factor, offset: -offset / factor });
