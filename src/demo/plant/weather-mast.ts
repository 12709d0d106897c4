import type { Span } from "#demo/plant/span.ts";
import type { Weather } from "#demo/plant/weather.ts";

/** The weather station: what it measures is the weather, spoiled by its heater and by dirt. */
export interface WeatherMast {
  /** Unix milliseconds. */
  readonly heaterUntil: number;
  /** °C of the sensor heads. */
  readonly headTemperature: number;
  /** % of light that dirt on the dome takes. */
  readonly soiling: number;
}

export const NEW_WEATHER_MAST: WeatherMast = { heaterUntil: 0, headTemperature: 12, soiling: 0.6 };

const SOILING_PER_HOUR = 0.006;

export function stepWeatherMast(mast: WeatherMast, weather: Weather, span: Span): WeatherMast {
  const isHeating = span.from < mast.heaterUntil;
  return {
    ...mast,
    headTemperature: span.follow(mast.headTemperature, weather.temperature + (isHeating ? 26 : 0), 0.003),
    soiling:
      weather.rain > 1 ? Math.max(0.2, mast.soiling - 4 * span.hours) : mast.soiling + SOILING_PER_HOUR * span.hours,
  };
}
