// How long the buckets of a chart are.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type Granularity = {
  /** As the interface reads it. */
  readonly name: string;
  /** Of one by the calendar: about. */
  readonly ms: number;
  /** Follows the clock of a time zone: a day may have 23 hours. */
  readonly isCalendar: boolean;
  /** Offered for choice; the others are taken only by `auto`. */
  readonly isOffered: boolean;
};

const fixed = (name: string, ms: number, isOffered = false): Granularity => ({
  name,
  ms,
  isCalendar: false,
  isOffered,
});
const calendar = (name: string, ms: number): Granularity => ({ name, ms, isCalendar: true, isOffered: true });

/** From fine to coarse. */
export const GRANULARITIES: readonly Granularity[] = [
  fixed("10ms", 10),
  fixed("20ms", 20),
  fixed("50ms", 50),
  fixed("100ms", 100),
  fixed("200ms", 200),
  fixed("500ms", 500),
  fixed("1s", SECOND, true),
  fixed("2s", 2 * SECOND),
  fixed("5s", 5 * SECOND),
  fixed("10s", 10 * SECOND, true),
  fixed("15s", 15 * SECOND),
  fixed("30s", 30 * SECOND, true),
  fixed("1m", MINUTE, true),
  fixed("2m", 2 * MINUTE),
  fixed("5m", 5 * MINUTE, true),
  fixed("10m", 10 * MINUTE),
  fixed("15m", 15 * MINUTE, true),
  fixed("30m", 30 * MINUTE, true),
  fixed("1h", HOUR, true),
  fixed("2h", 2 * HOUR),
  fixed("3h", 3 * HOUR),
  fixed("6h", 6 * HOUR, true),
  fixed("12h", 12 * HOUR),
  calendar("1d", DAY),
  calendar("1w", 7 * DAY),
  calendar("1M", 30 * DAY),
  calendar("1y", 365 * DAY),
];

/** So many points a series stay smooth. */
const MOST_POINTS = 100_000;

/**
 * The buckets of a range. `auto` gives about one for each pixel of the width. One that was chosen holds unless it would
 * give more points than a browser draws smoothly; then the finest that does not is taken.
 */
export function chooseGranularity(wanted: string, rangeMs: number, width: number): Granularity {
  const chosen = GRANULARITIES.find(({ name }) => name === wanted);
  const points = chosen === undefined ? Math.max(width, 100) : MOST_POINTS;
  const finest = finestWith(points, rangeMs);
  return chosen !== undefined && chosen.ms >= finest.ms ? chosen : finest;
}

function finestWith(points: number, rangeMs: number): Granularity {
  const found = GRANULARITIES.find(({ ms }) => rangeMs / ms <= points) ?? GRANULARITIES.at(-1);
  if (found === undefined) throw new Error("there are granularities");
  return found;
}

/** Shorter buckets hold few values each: the least and the greatest show nothing more than their mean. */
const SHORTEST_WITH_BAND = MINUTE;

export const hasBand = ({ ms }: Granularity) => ms >= SHORTEST_WITH_BAND;
