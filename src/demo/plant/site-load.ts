import { drift } from "#demo/plant/noise.ts";
import { dice, HOUR_MS, localDays, type PlantSite, weekday } from "#demo/plant/site.ts";

/** W of L1, L2, L3: a workshop by day, a flat above it in the evening, and what always runs. */
export function siteLoadAt(site: PlantSite, at: number): readonly [number, number, number] {
  const days = localDays(site, at);
  const hour = (days - Math.floor(days)) * 24;
  const noise = (kind: number, x: number) => drift(site.seed * 64 + kind, x);
  const hours = at / HOUR_MS;
  const isWorkday = weekday(days) % 6 !== 0;
  const workshop = isWorkday ? 3_600 * hump(hour, 7, 17.5) * (0.55 + 0.9 * noise(20, hours * 4)) : 0;
  const evening = 1_700 * hump(hour, 17, 23) * (0.6 + 0.8 * noise(21, hours * 3));
  const morning = 900 * hump(hour, 5.5, 9);
  // Something with a heater or a motor is on in some slots of five minutes.
  const slot = Math.floor(hours * 12);
  const burst = hour > 6 && hour < 23 && dice(site, 22, slot) < 0.16 ? 900 + 1_500 * dice(site, 23, slot) : 0;
  return [
    330 + 120 * noise(24, hours * 30) + workshop * 0.3 + evening * 0.5 + burst * (slot % 3 === 0 ? 1 : 0),
    280 + 90 * noise(25, hours * 25) + workshop * 0.42 + morning + burst * (slot % 3 === 1 ? 1 : 0),
    390 + 150 * noise(26, hours * 18) + workshop * 0.28 + evening * 0.5 + burst * (slot % 3 === 2 ? 1 : 0),
  ];
}

/** Rises from 0 to 1 and falls again between two hours of the day. */
function hump(hour: number, from: number, to: number): number {
  if (hour <= from || hour >= to) return 0;
  return Math.min(1, (hour - from) / 1.5, (to - hour) / 1.5);
}
