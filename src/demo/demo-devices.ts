import type { Payload } from "#core/command/execution.ts";
import { batteryAttributes } from "#demo/devices/battery-frames.ts";
import { chargerAttributes } from "#demo/devices/charger-unit.ts";
import { electrolyserAttributes } from "#demo/devices/electrolyser-unit.ts";
import { inverterAttributes } from "#demo/devices/inverter-unit.ts";
import { PLANT_HOST } from "#demo/devices/listen-locally.ts";
import { meterAttributes } from "#demo/devices/meter-unit.ts";
import type { Attributes } from "#demo/devices/register-map.ts";
import type { PlantServer } from "#demo/devices/start-plant.ts";
import { weatherAttributes } from "#demo/devices/weather-api.ts";
import type { PlantSite } from "#demo/plant/site.ts";

export interface DemoDevice {
  /** Folder of its blueprint among the examples. */
  readonly example: string;
  readonly name: string;
  readonly slug: string;
  readonly attributes: Attributes;
  /** The server of the plant that the device may reach. */
  readonly server: PlantServer | undefined;
  /** How its script finds that server. */
  readonly connection: (port: number) => Payload;
  /** Further values that its installer has configured, by bucket. */
  readonly configuration: Readonly<Record<string, Payload>>;
}

const modbus = (port: number): Payload => ({ address: PLANT_HOST, port, unit_id: 1 });

/** One device per example blueprint. */
export function demoDevices(site: PlantSite): readonly DemoDevice[] {
  return [
    {
      example: "pv-inverter",
      name: "Roof inverter",
      slug: "roof-inverter",
      attributes: inverterAttributes,
      server: "inverter",
      connection: modbus,
      configuration: {},
    },
    {
      example: "battery",
      name: "Battery rack A",
      slug: "battery-rack-a",
      attributes: batteryAttributes,
      server: undefined,
      connection: () => ({}),
      configuration: { limits: { soc_min: 5, soc_max: 100, grid_charging: true } },
    },
    {
      example: "grid-meter",
      name: "Grid meter",
      slug: "grid-meter",
      attributes: meterAttributes(site),
      server: undefined,
      connection: () => ({}),
      configuration: {},
    },
    {
      example: "electrolyser",
      name: "Electrolyser",
      slug: "electrolyser",
      attributes: electrolyserAttributes,
      server: "electrolyser",
      connection: modbus,
      configuration: { safety: { pressure_limit: 30, technician_pin: "2468" } },
    },
    {
      example: "ev-charger",
      name: "Wallbox",
      slug: "wallbox",
      attributes: chargerAttributes,
      server: "charger",
      connection: modbus,
      configuration: { site: { fuse: 16, meter: "grid-meter" } },
    },
    {
      example: "weather-station",
      name: "Weather station",
      slug: "weather-station",
      attributes: weatherAttributes,
      server: "weather",
      connection: (port) => ({ url: `http://${PLANT_HOST}:${port}` }),
      configuration: { place: { latitude: site.latitude, longitude: site.longitude, altitude: 120 } },
    },
  ];
}
