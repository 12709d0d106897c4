import { createProfileLibrary, type ProfileLibrary } from "#core/blueprint/profile.ts";
import { profileOf } from "./profile-data.ts";

// Written by scripts/profiles.mjs from src/manifest/profiles. Change the YAML, not this file.
export const STARTER_PROFILES = [
  profileOf("device", {
    displayName: "Device",
    description: "What every device of a site should report about itself.",
    implements: ["device.nameplate", "device.status", "device.alerts"],
  }),
  profileOf("device.alerts", {
    displayName: "Alerts",
    description: "IDs of the alerts that are active now.",
    telemetry: { alerts: { type: "alerts", displayName: "Alerts" } },
  }),
  profileOf("device.firmware", {
    displayName: "Firmware",
    description: "Which software runs on the device.",
    properties: { firmware_version: { type: "string", displayName: "Firmware version" } },
  }),
  profileOf("device.nameplate", {
    displayName: "Nameplate",
    description: "Who made the device, and which one it is.",
    properties: {
      vendor: { type: "string", displayName: "Vendor" },
      model: { type: "string", displayName: "Model" },
      serial_number: { type: "string", displayName: "Serial number" },
    },
  }),
  profileOf("device.relay", {
    displayName: "Relay",
    description: "A contact that can be closed and opened from afar.",
    telemetry: { relay_closed: { type: "boolean", displayName: "Contact is closed" } },
    commands: {
      set_relay: {
        displayName: "Set relay",
        arguments: { closed: { type: "boolean", displayName: "Close the contact", required: true } },
      },
    },
    controls: {
      relay: {
        command: "set_relay",
        argument: "closed",
        reads: "relay_closed",
        settleMs: 10000,
        intervalMs: 1000,
        safe: "zero",
        fallback: { kind: "value", value: 0 },
      },
    },
  }),
  profileOf("device.start_stop", {
    displayName: "Start and stop",
    description: "The device can be started and stopped from afar.",
    commands: { start: { displayName: "Start" }, stop: { displayName: "Stop" } },
  }),
  profileOf("device.status", {
    displayName: "Status",
    description: "One word for what the device is doing. The device says which words it knows by an enum.",
    telemetry: { status: { type: "string", displayName: "Status" } },
  }),
  profileOf("energy.ac.energy", {
    displayName: "AC energy",
    description: "Energy through the AC terminals since the device was made. It never decreases.",
    telemetry: { ac_energy_total: { type: "float", unit: "kWh", displayName: "Total energy" } },
  }),
  profileOf("energy.ac.frequency", {
    displayName: "AC frequency",
    telemetry: { ac_frequency: { type: "float", unit: "Hz", displayName: "Grid frequency" } },
  }),
  profileOf("energy.ac.power", {
    displayName: "AC power",
    description:
      "Active power at the AC terminals. Producers count what they give as positive, consumers what they take.",
    telemetry: { ac_power: { type: "float", unit: "W", displayName: "AC power" } },
  }),
  profileOf("energy.ac.three_phase", {
    displayName: "Three phases",
    description: "Voltage (to neutral), current and active power of each phase.",
    telemetry: {
      ac_l1_voltage: { type: "float", unit: "V", displayName: "Voltage L1" },
      ac_l2_voltage: { type: "float", unit: "V", displayName: "Voltage L2" },
      ac_l3_voltage: { type: "float", unit: "V", displayName: "Voltage L3" },
      ac_l1_current: { type: "float", unit: "A", displayName: "Current L1" },
      ac_l2_current: { type: "float", unit: "A", displayName: "Current L2" },
      ac_l3_current: { type: "float", unit: "A", displayName: "Current L3" },
      ac_l1_power: { type: "float", unit: "W", displayName: "Power L1" },
      ac_l2_power: { type: "float", unit: "W", displayName: "Power L2" },
      ac_l3_power: { type: "float", unit: "W", displayName: "Power L3" },
    },
  }),
  profileOf("energy.ac.voltage", {
    displayName: "AC voltage",
    description: "Voltage at the AC terminals, phase to neutral.",
    telemetry: { ac_voltage: { type: "float", unit: "V", displayName: "AC voltage" } },
  }),
  profileOf("energy.battery", {
    displayName: "Battery",
    description: "A battery that reports its state of charge and the power in and out.",
    implements: ["device", "energy.battery.state_of_charge", "energy.battery.power", "energy.battery.capacity"],
  }),
  profileOf("energy.battery.capacity", {
    displayName: "Battery capacity",
    properties: { battery_capacity: { type: "float", unit: "kWh", displayName: "Nominal capacity" } },
  }),
  profileOf("energy.battery.control", {
    displayName: "Battery control",
    description:
      "Somebody outside decides whether the battery is charged or discharged. The set point has the sign of the battery power.",
    commands: {
      set_battery_power: {
        displayName: "Set power",
        arguments: { power: { type: "float", unit: "W", displayName: "Power, positive to discharge", required: true } },
      },
    },
    controls: {
      battery_power: {
        command: "set_battery_power",
        argument: "power",
        reads: "energy.battery.power.battery_power",
        unit: "W",
        settleMs: 30000,
        intervalMs: 1000,
        safe: "zero",
        fallback: { kind: "value", value: 0 },
      },
    },
  }),
  profileOf("energy.battery.electrical", {
    displayName: "Battery voltage and current",
    description:
      "Measured at the battery terminals. The current has the sign of the power, positive while the battery is discharged.",
    implements: ["energy.battery.power"],
    telemetry: {
      battery_voltage: { type: "float", unit: "V", displayName: "Battery voltage" },
      battery_current: { type: "float", unit: "A", displayName: "Battery current" },
    },
  }),
  profileOf("energy.battery.limits", {
    displayName: "Battery limits",
    description: "What the battery can take and give right now.",
    telemetry: {
      battery_max_charge_power: { type: "float", unit: "W", displayName: "Charge power available" },
      battery_max_discharge_power: { type: "float", unit: "W", displayName: "Discharge power available" },
    },
  }),
  profileOf("energy.battery.power", {
    displayName: "Battery power",
    description:
      "Positive while the battery is discharged (power delivered to the system), negative while it is charged.",
    telemetry: { battery_power: { type: "float", unit: "W", displayName: "Battery power" } },
  }),
  profileOf("energy.battery.state_of_charge", {
    displayName: "State of charge",
    telemetry: { battery_soc: { type: "float", unit: "%", displayName: "State of charge" } },
  }),
  profileOf("energy.battery.state_of_health", {
    displayName: "State of health",
    description: "Usable capacity compared with the capacity of a new battery.",
    telemetry: { battery_soh: { type: "float", unit: "%", displayName: "State of health" } },
  }),
  profileOf("energy.battery.temperature", {
    displayName: "Battery temperature",
    telemetry: { battery_temperature: { type: "float", unit: "Cel", displayName: "Battery temperature" } },
  }),
  profileOf("energy.dc", {
    displayName: "DC side",
    description: "Voltage, current and power at the DC terminals.",
    telemetry: {
      dc_voltage: { type: "float", unit: "V", displayName: "DC voltage" },
      dc_current: { type: "float", unit: "A", displayName: "DC current" },
      dc_power: { type: "float", unit: "W", displayName: "DC power" },
    },
  }),
  profileOf("energy.electrolyser", {
    displayName: "Electrolyser",
    implements: ["device", "device.start_stop", "energy.electrolyser.production", "energy.electrolyser.stack"],
    telemetry: { outlet_pressure: { type: "float", unit: "bar", displayName: "Hydrogen outlet pressure" } },
  }),
  profileOf("energy.electrolyser.control", {
    displayName: "Production rate",
    description: "The electrolyser can run at part load.",
    telemetry: { production_rate: { type: "float", unit: "%", displayName: "Production rate" } },
    commands: {
      set_production_rate: {
        displayName: "Set production rate",
        arguments: { production_rate: { type: "float", unit: "%", displayName: "Production rate", required: true } },
      },
    },
    controls: {
      production_rate: {
        command: "set_production_rate",
        argument: "production_rate",
        reads: "production_rate",
        unit: "%",
        settleMs: 300000,
        intervalMs: 10000,
        safe: "min",
        fallback: { kind: "value", value: "max" },
      },
    },
  }),
  profileOf("energy.electrolyser.production", {
    displayName: "Hydrogen production",
    telemetry: {
      hydrogen_flow: { type: "float", unit: "m3/h", displayName: "Hydrogen flow at normal conditions" },
      hydrogen_total: { type: "float", unit: "m3", displayName: "Hydrogen produced, at normal conditions" },
    },
  }),
  profileOf("energy.electrolyser.stack", {
    displayName: "Electrolyser stack",
    telemetry: {
      stack_voltage: { type: "float", unit: "V", displayName: "Stack voltage" },
      stack_current: { type: "float", unit: "A", displayName: "Stack current" },
      stack_temperature: { type: "float", unit: "Cel", displayName: "Stack temperature" },
    },
  }),
  profileOf("energy.ev_charger", {
    displayName: "EV charger",
    implements: ["device", "energy.ac.power", "energy.ev_charger.connector", "energy.ev_charger.session"],
    commands: { start_charging: { displayName: "Start charging" }, stop_charging: { displayName: "Stop charging" } },
  }),
  profileOf("energy.ev_charger.connector", {
    displayName: "Connector",
    description: "Whether a car is plugged in.",
    telemetry: { ev_connected: { type: "boolean", displayName: "Car plugged in" } },
  }),
  profileOf("energy.ev_charger.current_limit", {
    displayName: "Current limit",
    description: "The current of each phase can be limited.",
    telemetry: { current_limit: { type: "float", unit: "A", displayName: "Current limit" } },
    commands: {
      set_current_limit: {
        displayName: "Set current limit",
        arguments: { current_limit: { type: "float", unit: "A", displayName: "Current per phase", required: true } },
      },
    },
    controls: {
      current_limit: {
        command: "set_current_limit",
        argument: "current_limit",
        reads: "current_limit",
        unit: "A",
        tolerance: 1,
        settleMs: 30000,
        intervalMs: 1000,
        safe: "min",
        fallback: { kind: "value", value: "max" },
      },
    },
  }),
  profileOf("energy.ev_charger.session", {
    displayName: "Charging session",
    telemetry: {
      session_energy: { type: "float", unit: "kWh", displayName: "Energy of this session" },
      session_duration: { type: "integer", unit: "s", displayName: "Length of this session" },
    },
  }),
  profileOf("energy.grid_meter", {
    displayName: "Grid meter",
    description: "The meter at the connection point, which measures what the whole site imports and exports.",
    implements: ["device", "energy.meter.grid", "energy.meter.grid_energy", "energy.ac.frequency"],
  }),
  profileOf("energy.heat_pump", { displayName: "Heat pump", implements: ["device", "energy.ac.power"] }),
  profileOf("energy.heat_pump.power_limit", {
    displayName: "Heat pump power limit",
    description: "The electrical power of the heat pump can be limited. Without a limit it runs as it needs.",
    telemetry: { heat_pump_power_limit: { type: "float", unit: "W", displayName: "Power limit" } },
    commands: {
      set_heat_pump_power_limit: {
        displayName: "Set power limit",
        arguments: {
          power_limit: { type: "float", unit: "W", displayName: "Electrical power at most", required: true },
        },
      },
    },
    controls: {
      heat_pump_power_limit: {
        command: "set_heat_pump_power_limit",
        argument: "power_limit",
        reads: "heat_pump_power_limit",
        unit: "W",
        min: 0,
        settleMs: 300000,
        intervalMs: 60000,
        safe: "min",
        fallback: { kind: "value", value: "max" },
      },
    },
  }),
  profileOf("energy.inverter", {
    displayName: "Inverter",
    description: "Turns DC into AC. Further profiles describe the DC side.",
    implements: ["device", "energy.ac.power", "energy.ac.frequency"],
    properties: { rated_power: { type: "float", unit: "W", displayName: "Rated AC power" } },
  }),
  profileOf("energy.inverter.hybrid", {
    displayName: "Hybrid inverter",
    description: "A PV inverter that also charges and discharges a battery.",
    implements: ["energy.inverter.pv", "energy.battery.state_of_charge", "energy.battery.power", "energy.meter.grid"],
  }),
  profileOf("energy.inverter.power_limit", {
    displayName: "Power limit",
    description: "The power of the inverter can be limited.",
    telemetry: { power_limit: { type: "float", unit: "%", displayName: "Power limit" } },
    commands: {
      set_power_limit: {
        displayName: "Set power limit",
        arguments: {
          power_limit: { type: "float", unit: "%", displayName: "Share of the rated power", required: true },
        },
      },
    },
    controls: {
      power_limit: {
        command: "set_power_limit",
        argument: "power_limit",
        reads: "power_limit",
        unit: "%",
        min: 0,
        max: 100,
        tolerance: 1,
        settleMs: 30000,
        intervalMs: 1000,
        safe: "min",
        fallback: { kind: "value", value: "max" },
      },
    },
  }),
  profileOf("energy.inverter.pv", {
    displayName: "PV inverter",
    implements: ["energy.inverter", "energy.pv.power", "energy.pv.energy"],
  }),
  profileOf("energy.meter", {
    displayName: "Power meter",
    implements: ["device", "energy.ac.power", "energy.ac.energy"],
  }),
  profileOf("energy.meter.grid", {
    displayName: "Power at the grid connection",
    description: "Positive while the site takes from the grid, negative while it gives.",
    telemetry: { grid_power: { type: "float", unit: "W", displayName: "Grid power" } },
  }),
  profileOf("energy.meter.grid_energy", {
    displayName: "Energy at the grid connection",
    description: "Two counters that never decrease.",
    telemetry: {
      grid_energy_import: { type: "float", unit: "kWh", displayName: "Energy taken" },
      grid_energy_export: { type: "float", unit: "kWh", displayName: "Energy given" },
    },
  }),
  profileOf("energy.pv.energy", {
    displayName: "PV energy",
    telemetry: {
      pv_energy_today: { type: "float", unit: "kWh", displayName: "Energy today" },
      pv_energy_total: { type: "float", unit: "kWh", displayName: "Energy since commissioning" },
    },
  }),
  profileOf("energy.pv.power", {
    displayName: "PV power",
    description: "DC power of all strings together.",
    telemetry: { pv_power: { type: "float", unit: "W", displayName: "PV power" } },
  }),
  profileOf("sensor.air_pressure", {
    displayName: "Air pressure",
    telemetry: { air_pressure: { type: "float", unit: "hPa", displayName: "Air pressure" } },
  }),
  profileOf("sensor.air_temperature", {
    displayName: "Air temperature",
    telemetry: { air_temperature: { type: "float", unit: "Cel", displayName: "Air temperature" } },
  }),
  profileOf("sensor.humidity", {
    displayName: "Relative humidity",
    telemetry: { relative_humidity: { type: "float", unit: "%", displayName: "Relative humidity" } },
  }),
  profileOf("sensor.irradiance", {
    displayName: "Solar irradiance",
    description: "Global irradiance in the plane of the sensor.",
    telemetry: { solar_irradiance: { type: "float", unit: "W/m2", displayName: "Solar irradiance" } },
  }),
  profileOf("sensor.rain", {
    displayName: "Rain",
    telemetry: { rain_rate: { type: "float", unit: "mm/h", displayName: "Rain rate" } },
  }),
  profileOf("sensor.temperature", {
    displayName: "Temperature sensor",
    telemetry: { temperature: { type: "float", unit: "Cel", displayName: "Temperature" } },
  }),
  profileOf("sensor.weather_station", {
    displayName: "Weather station",
    implements: [
      "device",
      "sensor.air_temperature",
      "sensor.humidity",
      "sensor.air_pressure",
      "sensor.irradiance",
      "sensor.wind",
    ],
  }),
  profileOf("sensor.wind", {
    displayName: "Wind",
    telemetry: {
      wind_speed: { type: "float", unit: "m/s", displayName: "Wind speed" },
      wind_direction: { type: "float", unit: "deg", displayName: "Wind direction, from north clockwise" },
    },
  }),
];

let library: ProfileLibrary | undefined;

/** Busbar's own profiles for energy devices. */
export function starterLibrary(): ProfileLibrary {
  library ??= createProfileLibrary(STARTER_PROFILES);
  return library;
}
