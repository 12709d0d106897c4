import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "#core/blueprint/profile.ts";
import type { DeclaredControl } from "#core/control/declared-control.ts";

/** A profile written as a literal: what is absent is empty. Only for profiles of our own, whose names are harmless as keys. */
export interface ProfileData {
  readonly displayName: string;
  readonly description?: string;
  readonly implements?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldData>>;
  readonly telemetry?: Readonly<Record<string, FieldData>>;
  readonly commands?: Readonly<Record<string, CommandData>>;
  readonly controls?: Readonly<Record<string, ControlData>>;
}

type ControlData = Pick<DeclaredControl, "command" | "argument" | "settleMs" | "intervalMs" | "safe"> &
  Partial<Omit<DeclaredControl, "id" | "arguments">>;

interface FieldData {
  readonly type: ProfileField["type"];
  readonly displayName?: string;
  readonly description?: string;
  readonly unit?: string;
  readonly required?: boolean;
}

interface CommandData {
  readonly displayName?: string;
  readonly description?: string;
  readonly arguments?: Readonly<Record<string, FieldData>>;
  readonly response?: Readonly<Record<string, FieldData>>;
}

export function profileOf(id: string, data: ProfileData): Profile {
  return {
    id,
    displayName: data.displayName,
    description: data.description ?? "",
    isDraft: false,
    implements: data.implements ?? [],
    properties: mapEach(data.properties, fieldOf),
    telemetry: mapEach(data.telemetry, fieldOf),
    commands: mapEach(data.commands, commandOf),
    controls: new Map(Object.entries(data.controls ?? {}).map(([name, control]) => [name, controlOf(name, control)])),
  };
}

function controlOf(id: string, data: ControlData): DeclaredControl {
  return {
    id,
    displayName: data.displayName,
    command: data.command,
    argument: data.argument,
    arguments: new Map(),
    reads: data.reads,
    unit: data.unit,
    min: data.min,
    max: data.max,
    step: data.step,
    refreshMs: data.refreshMs,
    tolerance: data.tolerance,
    settleMs: data.settleMs,
    ramp: data.ramp,
    intervalMs: data.intervalMs,
    safe: data.safe,
    prepare: data.prepare,
    fallback: data.fallback,
  };
}

function commandOf(data: CommandData): ProfileCommand {
  return {
    displayName: data.displayName,
    description: data.description ?? "",
    arguments: mapEach(
      data.arguments,
      (field): ProfileArgument => ({ ...fieldOf(field), required: field.required ?? false }),
    ),
    response: mapEach(data.response, fieldOf),
  };
}

function fieldOf(data: FieldData): ProfileField {
  return {
    type: data.type,
    displayName: data.displayName,
    description: data.description ?? "",
    unit: data.unit,
    enum: undefined,
  };
}

function mapEach<T, R>(
  record: Readonly<Record<string, T>> | undefined,
  change: (value: T) => R,
): ReadonlyMap<string, R> {
  return new Map(Object.entries(record ?? {}).map(([name, value]) => [name, change(value)]));
}
