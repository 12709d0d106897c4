import type { DeclaredControl } from "#core/control/declared-control.ts";
import type { EnumValue, TelemetryType, ValueType } from "./blueprint.ts";

/** A contract that blueprints of many vendors fulfil, so that other programs need not know the vendor. */
export interface Profile {
  /** Dotted path, for example `energy.battery.soc`. */
  readonly id: string;
  readonly displayName: string | undefined;
  readonly description: string;
  /** It may still change. Manifests name it in `implements_draft`. */
  readonly isDraft: boolean;
  /** Profiles that this one includes. */
  readonly implements: readonly string[];
  readonly properties: ReadonlyMap<string, ProfileField>;
  readonly telemetry: ReadonlyMap<string, ProfileField>;
  readonly commands: ReadonlyMap<string, ProfileCommand>;
  /** Quantities that can be controlled of every device that implements it. */
  readonly controls: ReadonlyMap<string, DeclaredControl>;
}

export interface ProfileField {
  readonly type: ValueType | TelemetryType;
  readonly displayName: string | undefined;
  readonly description: string;
  readonly unit: string | undefined;
  readonly enum: readonly EnumValue[] | undefined;
}

export interface ProfileCommand {
  readonly displayName: string | undefined;
  readonly description: string;
  readonly arguments: ReadonlyMap<string, ProfileArgument>;
  readonly response: ReadonlyMap<string, ProfileField>;
}

export interface ProfileArgument extends ProfileField {
  readonly required: boolean;
}

export interface ProfileLibrary {
  get(id: string): Profile | undefined;
  ids(): Iterable<string>;
  /** The given profiles and all that they include, each once; unknown ones are kept. */
  resolve(ids: readonly string[]): readonly string[];
}

export function createProfileLibrary(profiles: Iterable<Profile>): ProfileLibrary {
  const byId = new Map<string, Profile>();
  for (const profile of profiles) byId.set(profile.id, profile);
  return {
    get: (id) => byId.get(id),
    ids: () => byId.keys(),
    resolve: (ids) => {
      const resolved = new Set<string>();
      const waiting = [...ids].reverse();
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (resolved.has(id)) continue;
        resolved.add(id);
        waiting.push(...(byId.get(id)?.implements ?? []).toReversed());
      }
      return [...resolved];
    },
  };
}

/** `energy.battery.soc.battery_soc` names the field `battery_soc` of the profile `energy.battery.soc`. */
export function splitFieldName(fieldName: string): { readonly profile: string; readonly field: string } {
  const dot = fieldName.lastIndexOf(".");
  return { profile: fieldName.slice(0, Math.max(dot, 0)), field: fieldName.slice(dot + 1) };
}
