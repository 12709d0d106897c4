// What the catalogue shows of a blueprint before anybody uses it. Everything in it is bounded: texts come from authors.
import type { Blueprint } from "./blueprint.ts";
import type { Category } from "./vocabulary.ts";

const MAX_TEXT = 2_000;
const MAX_ITEMS = 50;
const MAX_ITEM = 200;

/** Where a blueprint comes from: with Busbar, from the operator's folder, or by an upload. */
export const CATALOGUE_SOURCES = ["examples", "folder", "upload"] as const;
export type CatalogueSource = (typeof CATALOGUE_SOURCES)[number];

export interface CatalogueCard {
  readonly displayName: string;
  readonly description: string;
  readonly category: Category | undefined;
  readonly icon: string | undefined;
  readonly author: string | undefined;
  readonly contributors: readonly string[];
  readonly support: { readonly url: string | undefined; readonly email: string | undefined };
  readonly license: string | undefined;
  readonly runtime: "lua" | "embedded";
  /** What the author says that it needs, and the rocks of its scripts. */
  readonly requires: readonly string[];
  readonly offers: {
    readonly profiles: readonly string[];
    readonly properties: number;
    readonly telemetry: number;
    readonly commands: number;
    readonly alerts: number;
    readonly configuration: number;
  };
}

export interface CatalogueEntry extends CatalogueCard {
  readonly id: string;
  readonly source: CatalogueSource;
  /** Where it is uploaded already. */
  readonly blueprintId: string | undefined;
}

export function catalogueCard(blueprint: Blueprint): CatalogueCard {
  const { runtime, support } = blueprint;
  return {
    displayName: cut(blueprint.displayName, MAX_ITEM),
    description: cut(blueprint.description, MAX_TEXT),
    category: blueprint.category,
    icon: cutIfSet(blueprint.icon),
    author: cutIfSet(blueprint.author),
    contributors: few(blueprint.contributors),
    support: { url: cutIfSet(support.url), email: cutIfSet(support.email) },
    license: cutIfSet(blueprint.license),
    runtime: runtime.type,
    requires: few([...runtime.requirements, ...runtime.options.luarocks.map((rock) => `rock ${rock}`)]),
    offers: {
      profiles: few([...new Set([...blueprint.implements, ...blueprint.implementsDraft])]),
      properties: blueprint.properties.size,
      telemetry: blueprint.telemetry.size,
      commands: blueprint.commands.size,
      alerts: blueprint.alerts.size,
      configuration: blueprint.configuration.size,
    },
  };
}

/** Whether each word is somewhere in what the card says. */
export function matchesWords(entry: CatalogueEntry, words: readonly string[]): boolean {
  const { displayName, description, category = "", author = "", offers, id } = entry;
  const text = [displayName, description, category, author, id, ...offers.profiles].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Names that begin with what was asked come first, then other names that contain it, then the rest, each by name. */
export function byRelevance(words: readonly string[]): (one: CatalogueEntry, other: CatalogueEntry) => number {
  const [first = ""] = words;
  const rank = ({ displayName }: CatalogueEntry) => {
    const at = displayName.toLowerCase().indexOf(first);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return (one, other) =>
    rank(one) - rank(other) || compare(one.displayName, other.displayName) || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function few(items: readonly string[]): readonly string[] {
  return items.slice(0, MAX_ITEMS).map((item) => cut(item, MAX_ITEM));
}

function cutIfSet(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text, MAX_ITEM);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
