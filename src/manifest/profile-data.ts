import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "#core/blueprint/profile.ts";

/** A profile written as a literal: what is absent is empty. Only for profiles of our own, whose names are harmless as keys. */
export interface ProfileData {
  readonly displayName: string;
  readonly description?: string;
  readonly implements?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldData>>;
  readonly telemetry?: Readonly<Record<string, FieldData>>;
  readonly commands?: Readonly<Record<string, CommandData>>;
}

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
