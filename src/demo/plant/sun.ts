// The position of the sun, and its power under a clear sky.
import { localDays, type PlantSite } from "#demo/plant/site.ts";

const RADIANS = Math.PI / 180;
const YEAR_DAYS = 365.2425;
/** The tilt of the roof, which faces the equator. */
const TILT = 30 * RADIANS;

export interface Sun {
  /** Sine of the height above the horizon; negative at night. */
  readonly height: number;
  /** Cosine of the angle at which its light meets the roof; not below 0. */
  readonly onRoof: number;
}

export function sunAt(site: PlantSite, at: number): Sun {
  const days = localDays(site, at);
  const declination = 23.44 * RADIANS * Math.sin(((days % YEAR_DAYS) - 80) * ((2 * Math.PI) / YEAR_DAYS));
  const hourAngle = (days - Math.floor(days) - 0.5) * 2 * Math.PI;
  const latitude = site.latitude * RADIANS;
  const toEquator = latitude >= 0 ? latitude - TILT : latitude + TILT;
  return {
    height: heightOf(latitude, declination, hourAngle),
    onRoof: Math.max(0, heightOf(toEquator, declination, hourAngle)),
  };
}

/** A roof tilted to the equator sees the sun as flat ground does nearer to it. */
function heightOf(latitude: number, declination: number, hourAngle: number): number {
  return Math.sin(latitude) * Math.sin(declination) + Math.cos(latitude) * Math.cos(declination) * Math.cos(hourAngle);
}

/** On flat ground without clouds, in W/m2 (Haurwitz). */
export function clearSky({ height }: Sun): number {
  return height <= 0 ? 0 : 1_098 * height * Math.exp(-0.057 / height);
}

/** On the roof, in W/m2, of what reaches flat ground. `scattered` is the share that comes from the whole sky. */
export function roofIrradiance(sun: Sun, ground: number, scattered: number): number {
  if (sun.height <= 0) return 0;
  const beam = (ground * (1 - scattered) * sun.onRoof) / Math.max(sun.height, 0.06);
  return Math.min(1_250, beam + ground * scattered * ((1 + Math.cos(TILT)) / 2));
}
