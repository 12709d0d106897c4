import { firstMomentOf } from "#core/time/calendar.ts";
import type { Tariff, TariffVersion } from "./tariff.ts";

/** The version of the tariff that is in force. Undefined before the first one. */
export type VersionAt = (at: number) => TariffVersion | undefined;

/** A version begins with its day in the time zone of the site. The answer is quick for moments near each other. */
export function versionsOf({ versions }: Tariff, timezone: string): VersionAt {
  const starts = versions.map(({ validFrom }) =>
    validFrom === undefined ? Number.NEGATIVE_INFINITY : firstMomentOf(timezone, Date.parse(`${validFrom}T00:00:00Z`)),
  );
  let [index, from, to] = [-1, Number.NaN, Number.NaN];
  return (at) => {
    if (!(at >= from && at < to)) {
      index = starts.findLastIndex((start) => start <= at);
      from = index < 0 ? Number.NEGATIVE_INFINITY : (starts[index] ?? Number.NaN);
      to = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    }
    return versions[index];
  };
}
