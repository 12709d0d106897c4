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
  /** Name to the first place that names it. */
  const unknown: Unknown = new Map();
  const missing = (name: string, path: Path) => {
    if (!unknown.has(name)) unknown.set(name, path);
  };
  for (const finding of conformance(offerOf(checked), library, areCompatible)) {
    if (finding.kind === "unknown") missing(finding.profile, finding.path);
    else {
      const code = finding.kind === "missing" ? "profile_field_missing" : "profile_field_differs";
      reportAt(checked, finding.path, { code, message: finding.message });
    }
  }
  checkDrafts(checked, library);
  checkFieldNames(checked, library, missing);
  reportUnknown(checked, library, unknown);
}

type Unknown = Map<string, Path>;
type Missing = (name: string, path: Path) => void;

/** A draft may still change, so a blueprint that names one says so. */
function checkDrafts(checked: Checked, library: ProfileLibrary): void {
  for (const [index, id] of (checked.draft.implements ?? []).entries()) {
    if (id === undefined || library.get(id)?.isDraft !== true) continue;
    const message = `The profile ${id} is a draft and may still change. Name it in implements_draft.`;
    reportAt(checked, ["implements", index], { code: "draft_profile", message });
  }
}

type Section = "properties" | "telemetry" | "commands";

/** What attributes and commands say to implement must exist: `<profile>.<field>`. */
function checkFieldNames(checked: Checked, library: ProfileLibrary, missing: Missing): void {
  for (const section of ["properties", "telemetry", "commands"] as const) {
    for (const [id, entry] of checked.draft[section] ?? []) {
      for (const [index, name] of (entry.implements ?? []).entries()) {
        if (name === undefined) continue;
        checkFieldName(checked, [section, id, "implements", index], { name, section, library, missing });
      }
    }
  }
}

interface FieldName {
  readonly name: string;
  readonly section: Section;
  readonly library: ProfileLibrary;
  readonly missing: Missing;
}

function checkFieldName(checked: Checked, path: Path, { name, section, library, missing }: FieldName): void {
  const { profile, field } = splitFieldName(name);
  if (library.get(profile) === undefined) {
    if (library.get(name) === undefined) missing(profile || name, path);
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

/** A manifest may name dozens of profiles that an installation does not have: that is one thing to say, with every name. */
function reportUnknown(checked: Checked, library: ProfileLibrary, unknown: Unknown): void {
  const [first, ...others] = unknown;
  if (first === undefined || checked.reporter.skips("unknown_profile")) return;
  const [name, path] = first;
  if (others.length > 0) {
    const names = [...unknown.keys()];
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
    const message = `${names.length} profiles are not in the library: ${names.slice(0, MOST_NAMES).join(", ")}${more}. ${WHERE}`;
    reportAt(checked, path, { code: "unknown_profile", message });
    return;
  }
  const nearest = checked.reporter.nearest(name, [...library.ids()]);
  const { node } = follow(checked.root, path);
  const isWhole = node.kind === "scalar" && node.text === name;
  const fix = nearest !== undefined && isWhole ? replaceText(checked.reporter.text, node, nearest) : undefined;
  const hint = nearest === undefined ? WHERE : `Did you mean ${nearest}?`;
  reportAt(checked, path, { code: "unknown_profile", message: `There is no profile ${quote(name)}. ${hint}`, fix });
}

const MOST_NAMES = 100;
const WHERE = "A folder of profiles is named by --profiles, and for a server by the setting blueprints.profiles.";

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
