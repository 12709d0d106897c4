import type { Category } from "#core/blueprint/vocabulary.ts";

/** What `init` offers: a kind of device with the profiles that suit it. */
export const DEVICE_KINDS: Readonly<Record<string, DeviceKind>> = {
  battery: { about: "Battery", category: "battery-systems", profiles: ["energy.battery", "energy.battery.control"] },
  "pv-inverter": {
    about: "PV inverter",
    category: "solar-generators",
    profiles: ["energy.inverter.pv", "energy.inverter.power_limit"],
  },
  "hybrid-inverter": { about: "Hybrid inverter", category: "solar-generators", profiles: ["energy.inverter.hybrid"] },
  "grid-meter": { about: "Meter at the grid connection", category: "power-meters", profiles: ["energy.grid_meter"] },
  meter: { about: "Any other power meter", category: "power-meters", profiles: ["energy.meter"] },
  electrolyser: {
    about: "Electrolyser",
    category: "electrolysers",
    profiles: ["energy.electrolyser", "energy.electrolyser.control"],
  },
  "ev-charger": {
    about: "EV charger",
    category: "electric-vehicles",
    profiles: ["energy.ev_charger", "energy.ev_charger.current_limit"],
  },
  "weather-station": { about: "Weather station", category: "sensors", profiles: ["sensor.weather_station"] },
  "temperature-sensor": {
    about: "Temperature sensor",
    category: "sensors",
    profiles: ["device", "sensor.temperature"],
  },
  other: { about: "Something else", category: undefined, profiles: [] },
};

export type DeviceKind = {
  readonly about: string;
  readonly category: Category | undefined;
  readonly profiles: readonly string[];
};
