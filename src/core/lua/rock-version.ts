// Versions and constraints of rocks, compared as LuaRocks compares them.

export interface RockVersion {
  readonly text: string;
  readonly parts: readonly number[];
  /** The number after the last dash: the revision of the rock itself. */
  readonly revision: number | undefined;
  /** A state of development without a release, such as scm-1. */
  readonly isDevelopment: boolean;
}

type Operator = "==" | "~=" | "<" | "<=" | ">" | ">=" | "~>";

export interface Dependency {
  readonly name: string;
  readonly constraints: readonly { readonly operator: Operator; readonly version: RockVersion }[];
  /** As it was written. */
  readonly text: string;
}

/** Words count as numbers, so that 1.0-rc1 is older than 1.0 and scm is newer than everything. */
const WORDS: Readonly<Record<string, number>> = {
  dev: 120_000_000,
  scm: 110_000_000,
  cvs: 100_000_000,
  rc: -1_000,
  pre: -10_000,
  beta: -100_000,
  alpha: -1_000_000,
};
const DEVELOPMENT = 100_000_000;

export function parseRockVersion(text: string): RockVersion {
  const trimmed = text.trim();
  const revision = /-(\d+)$/.exec(trimmed);
  const main = revision === null ? trimmed : trimmed.slice(0, -revision[0].length);
  const parts = [...main.toLowerCase().matchAll(/(\d+)|([a-z]+)/g)].map(([, digits, word = ""]) =>
    digits !== undefined ? Number(digits) : (wordValue(word) ?? word.charCodeAt(0) / 1000),
  );
  return {
    text: trimmed,
    parts,
    revision: revision === null ? undefined : Number(revision[1]),
    isDevelopment: parts.some((part) => part >= DEVELOPMENT),
  };
}

function wordValue(word: string): number | undefined {
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}

/** Negative when the first is older. Revisions count only where both have one. */
export function compareRockVersions(one: RockVersion, other: RockVersion): number {
  const length = Math.max(one.parts.length, other.parts.length);
  for (let i = 0; i < length; i++) {
    const difference = (one.parts.at(i) ?? 0) - (other.parts.at(i) ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.revision === undefined || other.revision === undefined) return 0;
  return one.revision - other.revision;
}

const HOLDS: Readonly<Record<Exclude<Operator, "~>">, (order: number) => boolean>> = {
  "==": (order) => order === 0,
  "~=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

export function satisfies(version: RockVersion, { constraints }: Dependency): boolean {
  return constraints.every(({ operator, version: wanted }) =>
    operator === "~>" ? beginsWith(version, wanted) : HOLDS[operator](compareRockVersions(version, wanted)),
  );
}

/** ~> 2.1 takes every 2.1.x. */
function beginsWith(version: RockVersion, wanted: RockVersion): boolean {
  if (wanted.parts.some((part, i) => (version.parts.at(i) ?? 0) !== part)) return false;
  return wanted.revision === undefined || version.revision === wanted.revision;
}

const NAME = /^\s*(?:[A-Za-z0-9][\w.-]*\/)?([A-Za-z0-9][\w.-]*?)\s*(?:$|(?=[\s<>=~!@]))/;
const CONSTRAINT = /^\s*(==|~=|!=|<=|>=|~>|<|>|=|)\s*@?\s*([A-Za-z0-9][\w.-]*)\s*$/;
const SPELLINGS: Readonly<Record<string, Operator>> = { "": "==", "=": "==", "!=": "~=" };

/** `name`, `name 1.2`, `name >= 1.2, < 2`; undefined for anything else. */
export function parseDependency(text: string): Dependency | undefined {
  const name = NAME.exec(text);
  if (name === null) return undefined;
  const rest = text.slice(name[0].length).trim();
  const constraints: { operator: Operator; version: RockVersion }[] = [];
  for (const part of rest === "" ? [] : rest.split(",")) {
    const constraint = CONSTRAINT.exec(part);
    if (constraint === null) return undefined;
    const [, written = "", version = ""] = constraint;
    constraints.push({ operator: SPELLINGS[written] ?? (written as Operator), version: parseRockVersion(version) });
  }
  return { name: (name[1] ?? "").toLowerCase(), constraints, text: text.trim() };
}
