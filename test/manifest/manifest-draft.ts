import { LEVELS, ODD_IDS, TEXTS, WORDS } from "./manifest-words.ts";
import type { Random } from "./random.ts";
import type { Tree, Value } from "./render-tree.ts";

/** A part of the manifest and what it is. */
export interface Site {
  readonly kind: SiteKind;
  readonly path: readonly string[];
  readonly tree: Tree;
}

export type SiteKind =
  | "manifest"
  | "property"
  | "telemetry"
  | "group"
  | "command"
  | "argument"
  | "response"
  | "confirmation"
  | "alert"
  | "runtime"
  | "options"
  | "support"
  | "unit"
  | "bucket"
  | "parameter"
  | "ui";

/** The value at a path of the blueprint, whose maps and objects are walked alike. */
export interface Expectation {
  readonly path: readonly string[];
  readonly value: unknown;
}

export type Entries = readonly (readonly [string, Value | undefined])[];

/** A manifest in the making: what stands where, and what a reader must read. */
export class ManifestDraft {
  readonly random: Random;
  readonly sites: Site[] = [];
  readonly expectations: Expectation[] = [];
  #aliasCount = 0;

  constructor(random: Random) {
    this.random = random;
  }

  expectValue(path: readonly string[], value: unknown): void {
    this.expectations.push({ path, value });
  }

  site(kind: SiteKind, path: readonly string[], entries: Entries): Tree {
    const given = entries.filter((entry): entry is [string, Value] => entry[1] !== undefined);
    const tree: Tree = new Map(shuffled(this.random, given));
    this.sites.push({ kind, path, tree });
    return tree;
  }

  maybe<T>(share: number, make: () => T): T | undefined {
    return this.random.chance(share) ? make() : undefined;
  }

  readonly words = (): string => this.random.pick(TEXTS);

  level(): string | undefined {
    return this.maybe(0.3, () => this.random.pick(LEVELS));
  }

  oneOrMore(texts: readonly string[]): Value {
    return texts.length === 1 && this.random.chance(0.5) ? (texts[0] ?? "") : texts;
  }

  ids(most: number): readonly string[] {
    const { random } = this;
    const chosen = new Set<string>();
    for (let count = random.below(most + 1); count > 0; count -= 1) {
      chosen.add(random.chance(0.1) ? random.pick(ODD_IDS) : `${random.pick(WORDS)}_${random.below(100)}`);
    }
    return [...chosen];
  }

  mapOf(names: readonly string[], make: (id: string) => Tree): Tree | undefined {
    return names.length === 0 && this.random.chance(0.7) ? undefined : new Map(names.map((id) => [id, make(id)]));
  }

  /** Aliases that nothing else of the section has. */
  aliases(path: readonly string[]): Value | undefined {
    const { random } = this;
    const chosen = random.chance(0.3)
      ? Array.from({ length: 1 + random.below(2) }, () => `alias_${this.#aliasCount++}`)
      : [];
    this.expectValue([...path, "aliases"], chosen);
    return chosen.length === 0 ? undefined : this.oneOrMore(chosen);
  }
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  if (random.chance(0.5)) return items;
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    const [one, two] = [mixed[at], mixed[other]];
    if (one !== undefined && two !== undefined) [mixed[at], mixed[other]] = [two, one];
  }
  return mixed;
}
