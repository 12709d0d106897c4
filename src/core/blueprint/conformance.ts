import {
  type Profile,
  type ProfileArgument,
  type ProfileField,
  type ProfileLibrary,
  splitFieldName,
} from "./profile.ts";

/**
 * What a blueprint offers, as far as profiles require it. A Blueprint fits this type. An undefined field is unknown and
 * not judged.
 */
export interface Offer {
  readonly implements: readonly string[];
  readonly properties: ReadonlyMap<string, OfferedField>;
  readonly telemetry: ReadonlyMap<string, OfferedField>;
  readonly commands: ReadonlyMap<string, OfferedCommand>;
}

interface OfferedValue {
  readonly type: string | undefined;
  readonly unit?: string | undefined;
  readonly enum?: readonly { readonly value: string | number | boolean }[] | undefined;
}

export interface OfferedField extends OfferedValue {
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
}

interface OfferedCommand {
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
  readonly arguments: ReadonlyMap<string, OfferedArgument>;
  readonly response: ReadonlyMap<string, OfferedValue>;
}

interface OfferedArgument extends OfferedValue {
  readonly required: boolean | undefined;
  readonly default?: unknown;
}

export interface ConformanceFinding {
  readonly kind: "unknown" | "missing" | "differs";
  /** The profile that asks for it. */
  readonly profile: string;
  readonly message: string;
  /** Where in the blueprint, by manifest keys. */
  readonly path: readonly (string | number)[];
}

/** Whether two units measure the same quantity. Without a unit library only equal units do. */
type Compatible = (one: string, other: string) => boolean;

const SECTIONS = ["properties", "telemetry"] as const;

/**
 * Where a blueprint fails the profiles that it claims to implement. Never a reason to refuse it.
 * Drafts of profiles are not asked for: they still change.
 */
export function conformance(
  offer: Offer,
  library: ProfileLibrary,
  compatible: Compatible = (one, other) => one === other,
): readonly ConformanceFinding[] {
  const findings: ConformanceFinding[] = [];
  const sections = {
    properties: sectionOf(offer.properties),
    telemetry: sectionOf(offer.telemetry),
    commands: sectionOf(offer.commands),
  };
  const asked = new Set<string>();
  for (const [index, id] of offer.implements.entries()) {
    const path = ["implements", index];
    if (library.get(id) === undefined) {
      findings.push({ kind: "unknown", profile: id, message: `There is no profile ${id}.`, path });
      continue;
    }
    for (const included of library.resolve([id])) {
      const profile = library.get(included);
      if (profile === undefined || asked.has(included)) continue;
      asked.add(included);
      findings.push(...profileFindings({ sections, library, compatible, path }, profile));
    }
  }
  return findings;
}

interface Asked {
  readonly sections: {
    readonly properties: Section<OfferedField>;
    readonly telemetry: Section<OfferedField>;
    readonly commands: Section<OfferedCommand>;
  };
  readonly library: ProfileLibrary;
  readonly compatible: Compatible;
  /** The entry in `implements` that requires it. */
  readonly path: readonly (string | number)[];
}

function* profileFindings(asked: Asked, profile: Profile): Iterable<ConformanceFinding> {
  const finding = (kind: "missing" | "differs", path: readonly (string | number)[], message: string) =>
    ({ kind, profile: profile.id, path, message }) as const;

  for (const section of SECTIONS) {
    for (const [name, wanted] of profile[section]) {
      const found = implementing(asked, { profile: profile.id, name }, asked.sections[section]);
      if (found === undefined) {
        yield finding("missing", asked.path, `The profile ${profile.id} asks for ${section} ${name} (${wanted.type}).`);
        continue;
      }
      const [id, offered] = found;
      for (const [key, words] of differences(asked, wanted, offered)) {
        yield finding("differs", [section, id, key], `${id} implements ${name} of ${profile.id}: ${words}.`);
      }
    }
  }
  for (const [name, wanted] of profile.commands) {
    const found = implementing(asked, { profile: profile.id, name }, asked.sections.commands);
    if (found === undefined) {
      yield finding("missing", asked.path, `The profile ${profile.id} asks for the command ${name}.`);
      continue;
    }
    const [id, offered] = found;
    for (const [path, words] of commandDifferences(asked, wanted, offered)) {
      yield finding("differs", ["commands", id, ...path], `${id} implements ${name} of ${profile.id}: ${words}.`);
    }
  }
}

/** The fields that claim to implement a profile's field of that name, with the profile. */
type Implementers<O> = ReadonlyMap<
  string,
  readonly { readonly id: string; readonly entry: O; readonly profile: string }[]
>;

interface Named {
  readonly implements: readonly string[];
  readonly aliases: readonly string[];
}

interface Section<O> {
  readonly entries: ReadonlyMap<string, O>;
  readonly implementers: Implementers<O>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** One pass over a section, so that many fields can be looked up in it. */
function sectionOf<O extends Named>(entries: ReadonlyMap<string, O>): Section<O> {
  const implementers = new Map<string, { id: string; entry: O; profile: string }[]>();
  const aliases = new Map<string, string>();
  for (const [id, entry] of entries) {
    for (const alias of entry.aliases) aliases.set(alias, id);
    for (const fieldName of entry.implements) {
      const { profile, field } = splitFieldName(fieldName);
      const others = implementers.get(field) ?? [];
      others.push({ id, entry, profile });
      implementers.set(field, others);
    }
  }
  return { entries, implementers, aliases };
}

/** The entry of a blueprint that stands for a profile's field. */
export function findImplementing<O extends Named>(
  entries: ReadonlyMap<string, O>,
  library: ProfileLibrary,
  wanted: { readonly profile: string; readonly name: string },
): O | undefined {
  return implementing({ library }, wanted, sectionOf(entries))?.[1];
}

/** The entry that claims to implement the field, otherwise the one with that name or alias. */
function implementing<O>(
  { library }: Pick<Asked, "library">,
  wanted: { profile: string; name: string },
  { entries, implementers, aliases }: Section<O>,
): readonly [string, O] | undefined {
  for (const { id, entry, profile } of implementers.get(wanted.name) ?? []) {
    if (profile === wanted.profile || library.resolve([profile]).includes(wanted.profile)) return [id, entry];
  }
  const id = entries.has(wanted.name) ? wanted.name : aliases.get(wanted.name);
  const entry = id === undefined ? undefined : entries.get(id);
  return id === undefined || entry === undefined ? undefined : [id, entry];
}

function* differences(asked: Asked, wanted: ProfileField, offered: OfferedValue): Iterable<[string, string]> {
  if (
    offered.type !== undefined &&
    offered.type !== wanted.type &&
    !(wanted.type === "float" && offered.type === "integer")
  ) {
    yield ["type", `its type is ${offered.type}, the profile's is ${wanted.type}`];
  }
  if (wanted.unit !== undefined && offered.unit !== undefined && !asked.compatible(wanted.unit, offered.unit)) {
    yield ["unit", `${offered.unit} cannot be converted to the profile's ${wanted.unit}`];
  }
  if (wanted.enum === undefined || offered.enum === undefined) return;
  const allowed = new Set(wanted.enum.map(({ value }) => value));
  const others = offered.enum.filter(({ value }) => !allowed.has(value)).map(({ value }) => value);
  if (others.length > 0) yield ["enum", `the profile has no value ${others.slice(0, 5).join(", ")}`];
}

function* commandDifferences(
  asked: Asked,
  wanted: { arguments: ReadonlyMap<string, ProfileArgument>; response: ReadonlyMap<string, ProfileField> },
  offered: OfferedCommand,
): Iterable<[readonly string[], string]> {
  for (const section of ["arguments", "response"] as const) {
    const words = section === "arguments" ? "argument" : "response field";
    for (const [name, field] of wanted[section]) {
      const found = offered[section].get(name);
      if (found === undefined) {
        yield [[section], `it has no ${words} ${name}`];
        continue;
      }
      for (const [key, difference] of differences(asked, field, found)) {
        yield [[section, name, key], `${words} ${name}: ${difference}`];
      }
    }
  }
  for (const [name, argument] of offered.arguments) {
    if (argument.required && argument.default === undefined && !wanted.arguments.has(name)) {
      yield [
        ["arguments", name, "required"],
        `it needs the argument ${name}, which callers of the profile do not give`,
      ];
    }
  }
}
