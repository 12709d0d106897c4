import type { TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import { conformance, type Offer, type OfferedField } from "#core/blueprint/conformance.ts";
import { type ProfileLibrary, splitFieldName } from "#core/blueprint/profile.ts";
import type { Raw, RawEnumItem } from "#core/blueprint/shape.ts";
import { replaceText } from "./edits.ts";
import { type Checked, type Path, reportAt } from "./manifest-rules.ts";
import { readEnumValue } from "./read-value.ts";
import { follow } from "./tree.ts";
import { areCompatible } from "./units.ts";
import { choices, quote, short } from "./words.ts";

/** Whether the blueprint does what the profiles ask that it names. Only warnings: a profile never refuses a blueprint. */
export function checkProfiles(checked: Checked): void {
  const library = checked.context.profiles;
  if (library === undefined) return;
  for (const finding of conformance(offerOf(checked), library, areCompatible)) {
    if (finding.kind === "unknown") {
      reportUnknown(checked, finding.path, { name: finding.profile, library });
    } else {
      const code = finding.kind === "missing" ? "profile_field_missing" : "profile_field_differs";
      reportAt(checked, finding.path, { code, message: finding.message });
    }
  }
  checkFieldNames(checked, library);
}

type Section = "properties" | "telemetry" | "commands";

/** What attributes and commands say to implement must exist: `<profile>.<field>`. */
function checkFieldNames(checked: Checked, library: ProfileLibrary): void {
  for (const section of ["properties", "telemetry", "commands"] as const) {
    for (const [id, entry] of checked.draft[section] ?? []) {
      for (const [index, name] of (entry.implements ?? []).entries()) {
        if (name !== undefined) checkFieldName(checked, [section, id, "implements", index], { name, section, library });
      }
    }
  }
}

interface FieldName {
  readonly name: string;
  readonly section: Section;
  readonly library: ProfileLibrary;
}

function checkFieldName(checked: Checked, path: Path, { name, section, library }: FieldName): void {
  const { profile, field } = splitFieldName(name);
  if (library.get(profile) === undefined) {
    if (library.get(name) === undefined) reportUnknown(checked, path, { name: profile || name, library });
    else {
      const message = `${quote(name)} is a profile. Name one of its fields: ${short(name)}.<field>.`;
      reportAt(checked, path, { code: "unknown_profile", message });
    }
    return;
  }
  const fields = library.resolve([profile]).flatMap((id) => [...(library.get(id)?.[section].keys() ?? [])]);
  if (fields.includes(field) || checked.reporter.skips("unknown_profile")) return;
  const { nearest, words } = choices(checked.reporter, field, fields);
  const { node } = follow(checked.root, path);
  const fix = nearest === undefined ? undefined : replaceText(checked.reporter.text, node, `${profile}.${nearest}`);
  const message = `The profile ${profile} has no ${section} ${quote(field)}. ${words}`.trimEnd();
  reportAt(checked, path, { code: "unknown_profile", message, fix });
}

function reportUnknown(
  checked: Checked,
  path: Path,
  { name, library }: { name: string; library: ProfileLibrary },
): void {
  if (checked.reporter.skips("unknown_profile")) return;
  const nearest = checked.reporter.nearest(name, [...library.ids()]);
  const { node } = follow(checked.root, path);
  const isWhole = node.kind === "scalar" && node.text === name;
  const fix = nearest !== undefined && isWhole ? replaceText(checked.reporter.text, node, nearest) : undefined;
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  reportAt(checked, path, { code: "unknown_profile", message: `There is no profile ${quote(name)}.${hint}`, fix });
}

/** The draft in the words of profiles. What could not be read stays undefined and is not judged. */
function offerOf({ draft }: Checked): Offer {
  return {
    implements: present(draft.implements),
    properties: mapValues(draft.properties, offeredField),
    telemetry: mapValues(draft.telemetry, offeredField),
    commands: mapValues(draft.commands, (command) => ({
      implements: present(command.implements),
      aliases: present(command.aliases),
      arguments: mapValues(command.arguments, (argument) => ({ ...offeredValue(argument), ...needs(argument) })),
      response: mapValues(command.response, offeredValue),
    })),
  };
}

interface DraftValue {
  readonly type: ValueType | TelemetryType | undefined;
  readonly unit: string | undefined;
  readonly enum: readonly RawEnumItem<unknown>[] | undefined;
}

interface DraftField extends DraftValue {
  readonly implements: readonly (string | undefined)[] | undefined;
  readonly aliases: readonly (string | undefined)[] | undefined;
}

const needs = ({ required, default: value }: { required: boolean | undefined; default: Raw | undefined }) => ({
  required,
  default: value,
});

function offeredField(field: DraftField): OfferedField {
  return { ...offeredValue(field), implements: present(field.implements), aliases: present(field.aliases) };
}

function offeredValue({ type, unit, enum: items }: DraftValue) {
  const values = type === undefined ? undefined : items?.map(({ raw }) => readEnumValue(type, raw));
  return { type, unit, enum: values?.filter((reading) => reading !== undefined) };
}

function present(texts: readonly (string | undefined)[] | undefined): readonly string[] {
  return texts?.filter((text) => text !== undefined) ?? [];
}

function mapValues<A, B>(map: ReadonlyMap<string, A> | undefined, change: (value: A) => B): ReadonlyMap<string, B> {
  const changed = new Map<string, B>();
  for (const [key, value] of map ?? []) changed.set(key, change(value));
  return changed;
}
