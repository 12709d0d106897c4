// Parameters that several controllers have. They have the same name, the same meaning and the same suggestions everywhere.
import type { Parameter } from "./controller.ts";

export const METER: Parameter = {
  name: "meter",
  displayName: "Grid meter",
  description: "The meter at the connection to the grid, by its id or slug.",
  kind: "device",
  required: true,
  suggests: { profiles: ["energy.grid_meter", "energy.meter.grid"], categories: ["power-meters"] },
};

export const METER_POWER: Parameter = {
  name: "meter_power",
  displayName: "Power of the grid",
  description: "Its telemetry attribute with the power in W, positive while the site takes from the grid.",
  kind: "attribute",
  of: "meter",
  default: "grid_power",
};

export const BATTERY: Parameter = {
  name: "battery",
  displayName: "Battery",
  description: "The battery, by its id or slug.",
  kind: "device",
  required: true,
  suggests: { profiles: ["energy.battery.control", "energy.battery"], categories: ["battery-systems"] },
};

/** For controllers that also work without one. */
export const MAYBE_BATTERY: Parameter = {
  name: "battery",
  displayName: "Battery",
  description:
    "If there is one, what it charges counts as surplus, and what it discharges does not. By its id or slug.",
  kind: "device",
  suggests: { profiles: ["energy.battery"], categories: ["battery-systems"] },
};

export const BATTERY_POWER: Parameter = {
  name: "battery_power",
  displayName: "Power of the battery",
  description: "Its telemetry attribute with the power in W, positive while it discharges.",
  kind: "attribute",
  of: "battery",
  default: "battery_power",
};

export const BATTERY_CONTROL: Parameter = {
  name: "battery_control",
  displayName: "Control of the battery",
  description: "Its control for the power in W, positive while it discharges.",
  kind: "control",
  of: "battery",
  default: "battery_power",
};

export const BATTERY_SOC: Parameter = {
  name: "battery_soc",
  displayName: "Charge of the battery",
  description: "Its telemetry attribute with the charge in %.",
  kind: "attribute",
  of: "battery",
  default: "battery_soc",
};

export const BATTERY_ABOVE: Parameter = {
  name: "battery_above",
  displayName: "Battery first up to",
  description: "It waits until the battery has this charge. Without it, the battery gets what is left over.",
  kind: "number",
  unit: "%",
  min: 0,
  max: 100,
};

export const PHASES: Parameter = {
  name: "phases",
  displayName: "Phases",
  description: "On how many phases it runs. Only for a control in A, to know what an ampere is in W at 230 V.",
  kind: "integer",
  min: 1,
  max: 3,
  default: 3,
};

export const WINDOW: Parameter = {
  name: "window",
  displayName: "Window",
  description: "The time over which the grid operator takes the average. It begins at the full hour.",
  kind: "choice",
  choices: ["15m", "30m", "60m"],
  default: "15m",
};

export const watts = (name: string, displayName: string, description: string): Parameter => ({
  name,
  displayName,
  description,
  kind: "number",
  unit: "W",
  min: 0,
  max: 100_000_000,
});

export const lasting = (name: string, displayName: string, description: string, standard: string): Parameter => ({
  name,
  displayName,
  description,
  kind: "duration",
  default: standard,
});
