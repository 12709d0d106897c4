import {
  type Profile,
  type ProfileArgument,
  type ProfileField,
  type ProfileLibrary,
  splitFieldName,
} from "./profile.ts";

/** What a blueprint offers, as far as profiles ask. A Blueprint is one; what is undefined is not known and not judged. */
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

export interface OfferedCommand {
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
 * Where a blueprint does not do what the profiles ask that it says to implement. Never a reason to refuse it.
 * Drafts of profiles are not asked for: they still change.
 */
export function conformance(
  offer: Offer,
  library: ProfileLibrary,
  compatible: Compatible = (one, other) => one === other,
): readonly ConformanceFinding[] {
  const findings: ConformanceFinding[] = [];
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
      findings.push(...profileFindings({ offer, library, compatible, path }, profile));
    }
  }
  return findings;
}

interface Asked {
  readonly offer: Offer;
  readonly library: ProfileLibrary;
  readonly compatible: Compatible;
  /** Of the entry in `implements` that asks. */
  readonly path: readonly (string | number)[];
}

function* profileFindings(asked: Asked, profile: Profile): Iterable<ConformanceFinding> {
  const finding = (kind: "missing" | "differs", path: readonly (string | number)[], message: string) =>
    ({ kind, profile: profile.id, path, message }) as const;

  for (const section of SECTIONS) {
    for (const [name, wanted] of profile[section]) {
      const found = implementing(asked, { profile: profile.id, name }, asked.offer[section]);
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
    const found = implementing(asked, { profile: profile.id, name }, asked.offer.commands);
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

/** The entry that says it implements the field, else the one of that name. */
function implementing<O extends { implements: readonly string[]; aliases: readonly string[] }>(
  { library }: Asked,
  wanted: { profile: string; name: string },
  offered: ReadonlyMap<string, O>,
): readonly [string, O] | undefined {
  for (const [id, entry] of offered) {
    for (const fieldName of entry.implements) {
      const { profile, field } = splitFieldName(fieldName);
      if (field === wanted.name && library.resolve([profile]).includes(wanted.profile)) return [id, entry];
    }
  }
  const same = offered.get(wanted.name);
  if (same) return [wanted.name, same];
  for (const [id, entry] of offered) if (entry.aliases.includes(wanted.name)) return [id, entry];
  return undefined;
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
