// The weather station's JSON interface.

import type { Attributes } from "#demo/devices/register-map.ts";
import type { Plant } from "#demo/plant/plant.ts";

/** Never -0. */
const rounded = (value: number, per: number) => Math.round(value * per) / per + 0;

const isHeating = ({ at, mast }: Plant) => at < mast.heaterUntil;
const gloom = ({ mast }: Plant) => 1 - mast.soiling / 100;
/** A tenth of the heater's warmth reaches the thermometer. */
const airRead = ({ weather, mast }: Plant) => weather.temperature + (mast.headTemperature - weather.temperature) * 0.1;

const OBSERVED = {
  solar_irradiance: (plant: Plant) => rounded(plant.weather.irradiance * gloom(plant), 1),
  uv: ({ weather }: Plant) => rounded(weather.irradiance * 0.0086, 10),
  module_temperature: ({ inverter }: Plant) => rounded(inverter.moduleTemperature, 10),
  air_temperature: (plant: Plant) => rounded(airRead(plant), 10),
  relative_humidity: ({ weather }: Plant) => rounded(weather.humidity, 10),
  air_pressure: ({ weather }: Plant) => rounded(weather.pressure, 10),
  wind_speed: ({ weather }: Plant) => rounded(weather.wind, 10),
  wind_gust: ({ weather }: Plant) => rounded(weather.gust, 10),
  wind_direction: ({ weather }: Plant) => rounded(weather.windFrom, 1),
  rain_rate: ({ weather }: Plant) => rounded(weather.rain, 10),
};

export function renderObservation(plant: Plant): object {
  const { weather, mast } = plant;
  return {
    station: { vendor: "Wetterhahn", model: "WH-7", serial: "WH7-1502", tilt: 30, mast: 6 },
    heater: { on: isHeating(plant), head: rounded(mast.headTemperature, 10) },
    soiling: rounded(mast.soiling, 100),
    sun: {
      irradiance: OBSERVED.solar_irradiance(plant),
      uv: OBSERVED.uv(plant),
      module: OBSERVED.module_temperature(plant),
    },
    air: {
      temperature: OBSERVED.air_temperature(plant),
      humidity: OBSERVED.relative_humidity(plant),
      pressure: OBSERVED.air_pressure(plant),
    },
    wind: {
      speed: OBSERVED.wind_speed(plant),
      gust: OBSERVED.wind_gust(plant),
      direction: OBSERVED.wind_direction(plant),
    },
    rain: { rate: OBSERVED.rain_rate(plant), kind: weather.precipitation },
  };
}

/** The plant after a call of the station; undefined when there is no such call. */
export function orderWeather(plant: Plant, path: string, body: unknown): Plant | undefined {
  const { at, mast } = plant;
  if (path === "/cleaned") return { ...plant, mast: { ...mast, soiling: 0.2 } };
  if (path !== "/heater" || typeof body !== "object" || body === null || !("minutes" in body)) return undefined;
  const { minutes } = body;
  if (typeof minutes !== "number" || !(minutes >= 0 && minutes <= 60)) return undefined;
  return { ...plant, mast: { ...mast, heaterUntil: at + minutes * 60_000 } };
}

export const weatherAttributes: Attributes = {
  status: (plant) => (isHeating(plant) ? "heating" : plant.mast.soiling > 5 ? "cleaning_due" : "ok"),
  alerts: ({ weather, mast }) =>
    JSON.stringify([
      ...(rounded(weather.gust, 10) > 20 ? ["storm"] : []),
      ...(mast.soiling > 5 ? ["sensor_dirty"] : []),
    ]),
  ...OBSERVED,
  precipitation: ({ weather }) => weather.precipitation,
};
