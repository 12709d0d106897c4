import { dayStart, diceBetween, HOUR_MS, localDays, type PlantSite, weekday } from "#demo/plant/site.ts";

/** A car at the charger. */
export interface CarVisit {
  /** Rises from visit to visit. */
  readonly id: number;
  /** Unix milliseconds. */
  readonly arrival: number;
  readonly departure: number;
  /** What it takes until it is full, kWh. */
  readonly need: number;
  /** How it is charged unless somebody says otherwise. */
  readonly mode: "fast" | "sun";
}

/** The firm's van stays over night, guests come by day. */
export function carVisitAt(site: PlantSite, at: number): CarVisit | undefined {
  const today = Math.floor(localDays(site, at));
  for (const day of [today, today - 1]) {
    for (const visit of [van(site, day), guest(site, day)]) {
      if (visit !== undefined && visit.arrival <= at && at < visit.departure) return visit;
    }
  }
  return undefined;
}

function van(site: PlantSite, day: number): CarVisit {
  const hour = (kind: number, low: number, high: number) => diceBetween(site, { kind, n: day, low, high }) * HOUR_MS;
  return {
    id: day * 2 + 1,
    arrival: dayStart(site, day) + hour(32, 16.6, 18.2),
    departure: dayStart(site, day + 1) + hour(33, 6.5, 7.4),
    need: diceBetween(site, { kind: 34, n: day, low: 12, high: 34 }),
    mode: "fast",
  };
}

function guest(site: PlantSite, day: number): CarVisit | undefined {
  if (weekday(day) === 0) return undefined;
  const hour = (kind: number, low: number, high: number) => diceBetween(site, { kind, n: day, low, high }) * HOUR_MS;
  return {
    id: day * 2,
    arrival: dayStart(site, day) + hour(35, 8, 9.6),
    departure: dayStart(site, day) + hour(36, 14.6, 16.3),
    need: diceBetween(site, { kind: 37, n: day, low: 8, high: 26 }),
    mode: "sun",
  };
}
