import type { EnumValue } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "#core/blueprint/profile.ts";
import { PROFILE } from "#core/blueprint/profile-schema.ts";
import type { Draft, RawEnumItem } from "#core/blueprint/shape.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { checkShape } from "./check-shape.ts";
import { surroundingsOf } from "./control/surroundings.ts";
import { replaceText } from "./edits.ts";
import { readDocument } from "./read-document.ts";
import { readControls } from "./read-extension.ts";
import { readEnumValue } from "./read-value.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import { suggestUnit } from "./suggest-unit.ts";
import { follow, rootTrail, type Trail } from "./tree.ts";
import { isKnownUnit } from "./units.ts";
import { quote } from "./words.ts";

export interface ParsedProfile {
  /** Undefined as soon as there is one error. */
  readonly profile: Profile | undefined;
  readonly issues: readonly Issue[];
}

/**
 * Reads one profile. Never throws; reports everything at once. `id` comes from the path of the file, `known` are the ids
 * that it may include (without them, that is not checked).
 */
export function parseProfile(id: string, text: string, known?: ReadonlySet<string>): ParsedProfile {
  const reporter = createReporter(text);
  const node = readDocument(reporter);
  if (node === undefined) return { profile: undefined, issues: reporter.issues() };
  const root = rootTrail(node);
  const draft = checkShape(reporter, PROFILE, root);
  const context: Context = { reporter, root };
  for (const [index, included] of (draft.implements ?? []).entries()) {
    if (included !== undefined && known?.has(included) === false) checkIncluded(context, index, { included, known });
  }
  const profile: Profile = {
    id,
    displayName: draft.displayName,
    description: draft.description ?? "",
    isDraft: draft.draft ?? false,
    implements: (draft.implements ?? []).filter((included) => included !== undefined),
    properties: readFields(context, ["properties"], draft.properties),
    telemetry: readFields(context, ["telemetry"], draft.telemetry),
    commands: readCommands(context, draft.commands),
    controls: readControls({ reporter, root, around: surroundingsOf(draft, true) }),
  };
  return { profile: reporter.hasErrors() ? undefined : profile, issues: reporter.issues() };
}

interface Context {
  readonly reporter: Reporter;
  readonly root: Trail;
}

type Path = readonly (string | number)[];
type ProfileDraft = Draft<typeof PROFILE>;
type Values<T> = T extends ReadonlyMap<string, infer V> ? V : never;
type CommandDraft = Values<NonNullable<ProfileDraft["commands"]>>;
type ArgumentDraft = Values<NonNullable<CommandDraft["arguments"]>>;
type FieldDraft = Omit<ArgumentDraft, "required" | "type"> & { readonly type: ProfileField["type"] | undefined };

function readFields(
  context: Context,
  path: Path,
  fields: ReadonlyMap<string, FieldDraft> | undefined,
): ReadonlyMap<string, ProfileField> {
  return new Map([...(fields ?? [])].map(([name, field]) => [name, readField(context, [...path, name], field)]));
}

function readField(context: Context, path: Path, field: FieldDraft): ProfileField {
  // Without a type there has been an error, and the profile is thrown away.
  const type = field.type ?? "string";
  if (field.unit !== undefined) checkUnit(context, [...path, "unit"], field.unit);
  return {
    type,
    displayName: field.displayName,
    description: field.description ?? "",
    unit: field.unit,
    enum: field.enum?.flatMap((item) => readEnumItem(context, { path: [...path, "enum"], type, item })),
  };
}

function readCommands(
  context: Context,
  commands: ReadonlyMap<string, CommandDraft> | undefined,
): ReadonlyMap<string, ProfileCommand> {
  return new Map(
    [...(commands ?? [])].map(([id, command]) => {
      const path = ["commands", id];
      const named = [...(command.arguments ?? [])].map(([name, argument]): [string, ProfileArgument] => {
        const field = readField(context, [...path, "arguments", name], argument);
        return [name, { ...field, required: argument.required ?? false }];
      });
      return [
        id,
        {
          displayName: command.displayName,
          description: command.description ?? "",
          arguments: new Map(named),
          response: readFields(context, [...path, "response"], command.response),
        },
      ];
    }),
  );
}

interface EnumPlace {
  readonly path: Path;
  readonly type: ProfileField["type"];
  readonly item: RawEnumItem<{ displayName: string | undefined; description: string | undefined }>;
}

function readEnumItem({ reporter, root }: Context, { path, type, item }: EnumPlace): readonly EnumValue[] {
  const read = readEnumValue(type, item.raw);
  if (read !== undefined) {
    return [
      { value: read.value, displayName: item.item?.displayName, description: item.item?.description, color: undefined },
    ];
  }
  const message = `${quote(item.raw.text)} cannot be read as ${type}.`;
  reporter.atValue(follow(root, [...path, item.step]), { code: "enum_value_type", message });
  return [];
}

function checkIncluded(
  { reporter, root }: Context,
  index: number,
  { included, known }: { readonly included: string; readonly known: ReadonlySet<string> },
): void {
  const trail = follow(root, ["implements", index]);
  const nearest = nearestOf(included, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const fix = nearest === undefined ? undefined : replaceText(reporter.text, trail.node, nearest);
  reporter.atValue(trail, { code: "unknown_profile", message: `There is no profile ${quote(included)}.${hint}`, fix });
}

function checkUnit({ reporter, root }: Context, path: Path, unit: string): void {
  if (isKnownUnit(unit)) return;
  const trail = follow(root, path);
  const meant = suggestUnit(unit, []);
  const advice = meant === undefined ? "Use a UCUM unit." : `Did you mean ${meant.unit}?`;
  const fix = meant?.isSame ? replaceText(reporter.text, trail.node, meant.unit) : undefined;
  const message = `The unit ${quote(unit)} is neither UCUM nor an energy unit. ${advice}`;
  reporter.atValue(trail, { code: "unknown_unit", message, fix });
}
