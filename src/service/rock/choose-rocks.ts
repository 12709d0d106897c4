// Chooses rocks from the operator's folder for a package: for each name the newest version that meets all requirements.
import type { EvaluateLua } from "#core/lua/lua-data.ts";
import {
  compareRockVersions,
  type Dependency,
  parseRockVersion,
  type RockVersion,
  satisfies,
} from "#core/lua/rock-version.ts";
import { type Rock, readRock } from "#service/rock/read-rock.ts";
import type { RockRepository } from "./rock-repository.ts";

/** A dependency of the package itself, with its place there. */
export interface WantedRock<Place> {
  readonly dependency: Dependency;
  readonly place: Place;
}

interface RockProblem<Place> {
  readonly code: "rock_missing" | "rock_development" | "rock_unusable";
  readonly message: string;
  readonly place: Place;
}

interface Demand<Place> extends WantedRock<Place> {
  /** The rock that requires it; undefined for the package. */
  readonly by: string | undefined;
}

interface Offer {
  readonly file: string;
  readonly name: string;
  readonly version: RockVersion;
}

/** Scripts are written for the first version and run on the second. */
const LUA_VERSIONS = ["5.3", "5.4"].map(parseRockVersion);
const FILE = /^(.+)-([^-]+-\d+)\.(?:([\w-]+)\.rock|rockspec)$/;
/** Limit for all rocks together; real blueprints use a handful. */
const MOST_ROCKS = 200;

export interface ChosenRocks<Place> {
  /** Each rock comes before those that it needs. */
  readonly rocks: readonly Rock[];
  readonly problems: readonly RockProblem<Place>[];
}

export interface RockNeeds {
  readonly repository: RockRepository;
  /** For rockspecs, which are Lua. */
  readonly evaluate: EvaluateLua;
}

export function chooseRocks<Place>(
  { repository, evaluate }: RockNeeds,
  wanted: readonly WantedRock<Place>[],
  allowDevelopment: boolean,
): ChosenRocks<Place> {
  const offers = readOffers(repository);
  const read = new Map<string, ReturnType<typeof readRock>>();
  const rockOf = (offer: Offer) => {
    let found = read.get(offer.file);
    if (found === undefined) {
      const bytes = repository.read(offer.file);
      found =
        bytes === undefined ? { problem: "it cannot be read, or is too large" } : readRock(evaluate, offer.file, bytes);
      read.set(offer.file, found);
    }
    return found;
  };

  /** All requirements for a rock so far. They only grow, so repeated choosing comes to an end. */
  const demands = new Map<string, Demand<Place>[]>();
  const problems = new Map<string, RockProblem<Place>>();
  const chosen = new Map<string, { readonly offer: Offer; readonly rock: Rock }>();
  const waiting: Demand<Place>[] = wanted.map((one) => ({ ...one, by: undefined }));
  for (let next = waiting.shift(); next !== undefined && demands.size < MOST_ROCKS; next = waiting.shift()) {
    const { name } = next.dependency;
    if (name === "lua") {
      const problem = luaProblem(next);
      if (problem !== undefined) problems.set(`lua ${next.by}`, problem);
      continue;
    }
    const asked = [...(demands.get(name) ?? []), next];
    demands.set(name, asked);
    const before = chosen.get(name);
    if (problems.has(name) || (before !== undefined && satisfies(before.offer.version, next.dependency))) continue;
    const fitting = offers
      .filter((offer) => offer.name === name && asked.every(({ dependency }) => satisfies(offer.version, dependency)))
      .sort(byPreference);
    const offer = fitting.find(({ version }) => allowDevelopment || !version.isDevelopment);
    if (offer === undefined) {
      problems.set(name, notOffered({ repository, offers, asked, development: fitting[0] }, next));
      continue;
    }
    const found = rockOf(offer);
    if ("problem" in found) {
      const message = `The rock ${offer.file} cannot be used${askedBy(next)}: ${found.problem}.`;
      problems.set(name, { code: "rock_unusable", message, place: next.place });
      continue;
    }
    chosen.delete(name);
    chosen.set(name, { offer, rock: found.rock });
    waiting.push(
      ...found.rock.rockspec.dependencies.map((dependency) => ({ dependency, place: next.place, by: offer.name })),
    );
  }
  return { rocks: [...chosen.values()].map(({ rock }) => rock), problems: [...problems.values()] };
}

function readOffers(repository: RockRepository): readonly Offer[] {
  return repository.files.flatMap((file) => {
    const [, name, version] = FILE.exec(file) ?? [];
    if (name === undefined || version === undefined) return [];
    return [{ file, name: name.toLowerCase(), version: parseRockVersion(version) }];
  });
}

/**
 * The newest version. Among files of one version, the one that needs the least work; a build for a platform comes last.
 */
function byPreference(one: Offer, other: Offer): number {
  return compareRockVersions(other.version, one.version) || rank(one.file) - rank(other.file);
}

function rank(file: string): number {
  if (file.endsWith(".all.rock")) return 0;
  if (file.endsWith(".src.rock")) return 1;
  return file.endsWith(".rockspec") ? 2 : 3;
}

function luaProblem<Place>(demand: Demand<Place>): RockProblem<Place> | undefined {
  if (LUA_VERSIONS.some((version) => satisfies(version, demand.dependency))) return undefined;
  const message = `Lua is 5.3 (run on 5.4) here, but ${demand.dependency.text} is asked for${askedBy(demand)}.`;
  return { code: "rock_unusable", message, place: demand.place };
}

function askedBy<Place>({ by }: Demand<Place>): string {
  return by === undefined ? "" : `, needed by the rock ${by}`;
}

interface Search<Place> {
  readonly repository: RockRepository;
  readonly offers: readonly Offer[];
  readonly asked: readonly Demand<Place>[];
  /** The newest version that fits, if it is a development version. */
  readonly development: Offer | undefined;
}

function notOffered<Place>(search: Search<Place>, demand: Demand<Place>): RockProblem<Place> {
  const { repository, offers, asked, development } = search;
  const { name } = demand.dependency;
  const { place } = demand;
  const rule = asked.map((one) => `${one.dependency.text}${askedBy(one)}`).join(" and ");
  if (development !== undefined) {
    const message = `Of the rock ${name} (${rule}) there is only the development version ${development.version.text} in ${repository.folder}. Set allow_dev_luarocks to use it.`;
    return { code: "rock_development", message, place };
  }
  const there = offers.filter((offer) => offer.name === name).map(({ version }) => version.text);
  const hint =
    there.length > 0
      ? `There is ${[...new Set(there)].join(", ")}.`
      : `Put its .src.rock or .all.rock there (luarocks download ${name}).`;
  const message = `The rock ${name} (${rule}) is not in ${repository.folder}. ${hint}`;
  return { code: "rock_missing", message, place };
}
