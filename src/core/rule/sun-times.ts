// Sunrise and sunset by the public equations of NOAA's solar calculator (after Meeus, Astronomical Algorithms): good to a minute
// between 72 degrees north and south, and to some minutes beyond.
import { DAY_MS } from "#core/time/hour.ts";

export interface SunTimes {
  readonly noon: number;
  /** Both undefined: the sun stays up or down. */
  readonly sunrise: number | undefined;
  readonly sunset: number | undefined;
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

const MINUTE_MS = 60_000;
/** The upper edge of the sun on the horizon, with the refraction of the air. */
const ZENITH = 90.833;

const sin = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
const tan = (degrees: number) => Math.tan((degrees * Math.PI) / 180);
const degreesOf = (radians: number) => (radians * 180) / Math.PI;

/** Of the solar day whose noon is nearest to this moment. */
export function sunTimes(near: number, { latitude, longitude }: Place): SunTimes {
  // By the mean sun it is noon at 12:00 UTC at longitude 0, and four minutes earlier for each degree to the east.
  const shift = (12 * 60 - 4 * longitude) * MINUTE_MS;
  const meanNoon = Math.round((near - shift) / DAY_MS) * DAY_MS + shift;
  const noon = meanNoon - sunAt(meanNoon).equationMs;
  const edge = (direction: -1 | 1): number | undefined => {
    // The sun moves on while it rises: the second round takes its place at about the right moment, the third one is for the poles.
    let at: number | undefined = noon;
    for (let round = 0; round < 3 && at !== undefined; round += 1) at = edgeBy(sunAt(at), direction);
    return at === undefined ? undefined : Math.round(at);
  };
  const edgeBy = ({ declination, equationMs }: Sun, direction: -1 | 1): number | undefined => {
    const cosine = cos(ZENITH) / (cos(latitude) * cos(declination)) - tan(latitude) * tan(declination);
    if (!(cosine >= -1 && cosine <= 1)) return undefined;
    return meanNoon - equationMs + direction * 4 * MINUTE_MS * degreesOf(Math.acos(cosine));
  };
  const [sunrise, sunset] = [edge(-1), edge(1)];
  const hasBoth = sunrise !== undefined && sunset !== undefined;
  return { noon: Math.round(noon), sunrise: hasBoth ? sunrise : undefined, sunset: hasBoth ? sunset : undefined };
}

interface Sun {
  /** Degrees. */
  readonly declination: number;
  /** How much the true sun is ahead of the mean one. */
  readonly equationMs: number;
}

const J2000 = Date.UTC(2000, 0, 1, 12);

function sunAt(at: number): Sun {
  const century = (at - J2000) / (36_525 * DAY_MS);
  const meanLongitude = 280.46646 + century * (36_000.76983 + century * 0.0003032);
  const anomaly = 357.52911 + century * (35_999.05029 - 0.0001537 * century);
  const eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century);
  const center =
    sin(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century)) +
    sin(2 * anomaly) * (0.019993 - 0.000101 * century) +
    sin(3 * anomaly) * 0.000289;
  const node = 125.04 - 1934.136 * century;
  const longitude = meanLongitude + center - 0.00569 - 0.00478 * sin(node);
  const meanObliquity = 23 + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60;
  const obliquity = meanObliquity + 0.00256 * cos(node);
  const y = tan(obliquity / 2) ** 2;
  const equation =
    y * sin(2 * meanLongitude) -
    2 * eccentricity * sin(anomaly) +
    4 * eccentricity * y * sin(anomaly) * cos(2 * meanLongitude) -
    0.5 * y * y * sin(4 * meanLongitude) -
    1.25 * eccentricity * eccentricity * sin(2 * anomaly);
  return {
    declination: degreesOf(Math.asin(sin(obliquity) * sin(longitude))),
    equationMs: 4 * degreesOf(equation) * MINUTE_MS,
  };
}
