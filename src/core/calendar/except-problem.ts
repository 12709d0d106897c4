import { nearestOf } from "#core/text/nearest.ts";
import { DEEPEST_EXCEPT } from "./calendar-book.ts";
import type { SiteCalendar } from "./site-calendar.ts";

type Named = Pick<SiteCalendar, "name" | "except">;

/** What is wrong with the exceptions of a calendar, given the others of its site; undefined: nothing. */
export function exceptProblem(calendar: Named, others: readonly Named[]): string | undefined {
  const named = new Map([...others, calendar].map((one) => [one.name, one]));
  // Others may get too many levels by it.
  for (const name of [calendar.name, ...others.map((one) => one.name)]) {
    const problem = problemOf(name, named, []);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(name: string, named: ReadonlyMap<string, Named>, path: readonly string[]): string | undefined {
  const calendar = named.get(name);
  if (calendar === undefined) {
    const nearest = nearestOf(name, named.keys());
    return `the site has no calendar ${JSON.stringify(name)}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
  }
  const way = [...path, name];
  if (path.includes(name)) return `the exceptions lead back: ${way.join(", ")}`;
  if (path.length > DEEPEST_EXCEPT) return `exceptions have at most ${DEEPEST_EXCEPT} levels: ${way.join(", ")}`;
  for (const one of calendar.except) {
    const problem = problemOf(one, named, way);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
