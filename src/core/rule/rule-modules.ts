// Rules that the script of another one requires: `require("prices")` runs the rule with this slug as a module. Only names that are
// written down count, so that it is known what a rule consists of before it runs. Pure: whoever has the rules reads those that are
// still wanted, and asks again.
import { isSlug } from "#core/device/slug.ts";
import { scanRequires } from "#core/lua/scan-requires.ts";

/** Of one rule, also those that its modules require. No module requires itself, so they are nested no deeper. */
export const MOST_MODULES = 20;
/** Of all modules of a rule. */
export const MOST_MODULE_BYTES = 524_288;

/** A library is always meant before a rule: a new rule must not change what others require. */
const LIBRARIES: ReadonlySet<string> = new Set(
  "_G coroutine math os string table utf8 enapter http json scheduler storage system".split(" "),
);

export const isRuleLibrary = (name: string): boolean => LIBRARIES.has(name);

/** The text of a rule, and the names that it requires. */
interface ModuleText {
  readonly bytes: Uint8Array;
  readonly requires: readonly string[];
}

/** What is required, or why it cannot be. */
export type KnownModule = ModuleText | { readonly problem: string };

export interface RuleModules {
  /** By slug. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
  /** Why something that is required is not among them, by name. */
  readonly problems: ReadonlyMap<string, string>;
}

export const NO_MODULES: RuleModules = { texts: new Map(), problems: new Map() };

/** A text that has not changed is the same array. */
export function areSame(some: RuleModules = NO_MODULES, others: RuleModules = NO_MODULES): boolean {
  return isEqual(some.texts, others.texts) && isEqual(some.problems, others.problems);
}

const isEqual = (some: ReadonlyMap<string, unknown>, others: ReadonlyMap<string, unknown>): boolean =>
  some.size === others.size && [...some].every(([name, value]) => others.get(name) === value);

interface GatheredModules extends RuleModules {
  /** Slugs of rules to be read. Empty: nothing is missing. */
  readonly wanted: readonly string[];
}

/** `slug`: of the rule itself. */
export function gatherModules(
  slug: string,
  requires: readonly string[],
  known: ReadonlyMap<string, KnownModule>,
): GatheredModules {
  const texts = new Map<string, Uint8Array>();
  const problems = new Map<string, string>();
  const wanted: string[] = [];
  // The set grows while it is walked.
  const names = new Set(requires);
  let bytes = 0;
  for (const name of names) {
    if (isRuleLibrary(name) || name === slug) continue;
    const found = known.get(name);
    if (!isSlug(name)) problems.set(name, NO_SLUG);
    else if (texts.size + wanted.length >= MOST_MODULES) problems.set(name, TOO_MANY);
    else if (found === undefined) wanted.push(name);
    else if ("problem" in found) problems.set(name, found.problem);
    else if (bytes + found.bytes.length > MOST_MODULE_BYTES) problems.set(name, TOO_LARGE);
    else {
      texts.set(name, found.bytes);
      bytes += found.bytes.length;
      for (const one of found.requires) names.add(one);
    }
  }
  return { texts, problems, wanted };
}

const NO_SLUG = "a module is another rule of the site, named by its slug alone";
const TOO_MANY = `a rule has at most ${MOST_MODULES} modules, with those that they require`;
const TOO_LARGE = `the modules of a rule have at most ${MOST_MODULE_BYTES / 1_024} KiB together`;

export const noSuchModule = (name: string): KnownModule => ({ problem: `the site has no rule ${name}` });
export const yamlModule = (name: string): KnownModule => ({
  problem: `the rule ${name} is written in YAML, and only a script can be required`,
});

const MOST_NAMES = 100;

/** The modules that a text requires by a name that it writes down. */
export function requiredNames(text: string): readonly string[] {
  if (!text.includes("require")) return [];
  const { needed, wished } = scanRequires(text);
  return [...new Set([...needed, ...wished].map(({ name }) => name))].slice(0, MOST_NAMES);
}
