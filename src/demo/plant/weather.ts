import { between, clamp, drift } from "#demo/plant/noise.ts";
import { DAY_MS, HOUR_MS, localDays, type PlantSite } from "#demo/plant/site.ts";
import { clearSky, roofIrradiance, sunAt } from "#demo/plant/sun.ts";

export interface Weather {
  /** W/m2 on flat ground. */
  readonly irradiance: number;
  /** W/m2 on the roof. */
  readonly onRoof: number;
  /** °C */
  readonly temperature: number;
  /** % */
  readonly humidity: number;
  /** hPa */
  readonly pressure: number;
  /** m/s */
  readonly wind: number;
  readonly gust: number;
  /** Degrees, 0 is north. */
  readonly windFrom: number;
  /** mm/h */
  readonly rain: number;
  readonly precipitation: "none" | "rain" | "snow";
}

/** A function of place and time alone. */
export function weatherAt(site: PlantSite, at: number): Weather {
  const days = localDays(site, at);
  const hours = at / HOUR_MS;
  const noise = (kind: number, x: number) => drift(site.seed * 64 + kind, x);
  const sun = sunAt(site, at);
  const season = Math.sin(((days % 365.2425) - 105) * ((2 * Math.PI) / 365.2425));
  // Fronts take a day and a half to pass, single clouds some minutes.
  const front = noise(1, hours / 36);
  const cover = clamp(
    front * 1.5 - 0.35 + (noise(2, hours * 2.5) - 0.5) * 0.9 + (noise(3, hours * 22) - 0.5) * 0.25,
    0,
    1,
  );
  const irradiance = clearSky(sun) * (1 - 0.78 * cover * cover);
  const warmth = Math.sin((days - Math.floor(days) - 0.4) * 2 * Math.PI);
  const temperature =
    between(6, 20, (season + 1) / 2) + warmth * between(5.5, 2, front) + (noise(4, hours / 50) - 0.5) * 7;
  const wind = 0.4 + 7 * noise(5, hours / 9) ** 2 + 3 * noise(6, hours * 3) * (0.3 + front);
  const rain = cover > 0.85 && front > 0.75 ? (cover - 0.85) * 40 * noise(7, hours) : 0;
  return {
    irradiance,
    onRoof: roofIrradiance(sun, irradiance, between(0.16, 1, cover)),
    temperature,
    humidity: clamp(between(46, 84, front) - warmth * 14 + (noise(8, hours / 5) - 0.5) * 12, 18, 100),
    pressure: between(1_026, 998, noise(1, (at + DAY_MS / 3) / HOUR_MS / 36)) + (noise(9, hours / 12) - 0.5) * 4,
    wind,
    gust: wind * between(1.25, 1.8, noise(10, hours * 6)),
    windFrom: 360 * noise(11, hours / 20),
    rain,
    precipitation: rain < 0.1 ? "none" : temperature < 1 ? "snow" : "rain",
  };
}
