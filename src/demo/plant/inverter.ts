import { clamp } from "#demo/plant/noise.ts";
import type { Span } from "#demo/plant/span.ts";
import type { Weather } from "#demo/plant/weather.ts";

export const RATED_W = 25_000;
/** Power of the modules at 1000 W/m2 and 25 °C. */
const PEAK_W = 28_500;
/** Tests of insulation and grid before it connects. */
const CONNECT_MS = 8_000;
const STARTS_ABOVE_W = 60;

export interface Inverter {
  readonly status: "night" | "starting" | "running" | "throttled" | "stopped";
  readonly isOn: boolean;
  /** When it was last switched on, Unix milliseconds; 0: long ago. */
  readonly onSince: number;
  /** % of the rated power, and until when; 0: for ever. */
  readonly limit: number;
  readonly limitUntil: number;
  /** W, from the modules and into the site. */
  readonly dcPower: number;
  readonly acPower: number;
  /** °C */
  readonly heatsink: number;
  readonly moduleTemperature: number;
  /** kWh */
  readonly yieldDay: number;
  readonly yieldTotal: number;
}

export const NEW_INVERTER: Inverter = {
  status: "night",
  isOn: true,
  onSince: 0,
  limit: 100,
  limitUntil: 0,
  dcPower: 0,
  acPower: 0,
  heatsink: 15,
  moduleTemperature: 12,
  yieldDay: 0,
  yieldTotal: 41_870,
};

export function stepInverter(inverter: Inverter, weather: Weather, span: Span): Inverter {
  const isLimited = inverter.limitUntil === 0 || span.to < inverter.limitUntil;
  const limit = isLimited ? inverter.limit : 100;
  const moduleTemperature = weather.temperature + weather.onRoof * 0.027 - Math.min(weather.wind, 8) * 0.3;
  const available = PEAK_W * (weather.onRoof / 1_000) * (1 - 0.0037 * (moduleTemperature - 25)) * 0.96;
  const isConnecting = span.to - inverter.onSince < CONNECT_MS;
  const cap = (RATED_W * limit) / 100;
  const gives = inverter.isOn && !isConnecting && available >= STARTS_ABOVE_W;
  const acPower = gives ? Math.min(available * 0.976, cap) : 0;
  const yieldDay = (span.isNewDay ? 0 : inverter.yieldDay) + (acPower / 1_000) * span.hours;
  return {
    ...inverter,
    status: !inverter.isOn
      ? "stopped"
      : available < STARTS_ABOVE_W
        ? "night"
        : isConnecting
          ? "starting"
          : available * 0.976 > cap
            ? "throttled"
            : "running",
    limit,
    limitUntil: isLimited ? inverter.limitUntil : 0,
    dcPower: acPower / 0.976,
    acPower,
    heatsink: span.follow(inverter.heatsink, weather.temperature + 4 + (acPower / RATED_W) * 34, 0.35),
    moduleTemperature,
    yieldDay,
    yieldTotal: inverter.yieldTotal + (acPower / 1_000) * span.hours,
  };
}

export function switchInverter(inverter: Inverter, isOn: boolean, at: number): Inverter {
  return isOn === inverter.isOn ? inverter : { ...inverter, isOn, onSince: isOn ? at : inverter.onSince };
}

export function limitInverter(inverter: Inverter, limit: number, until: number): Inverter {
  return { ...inverter, limit: clamp(limit, 0, 100), limitUntil: until };
}
