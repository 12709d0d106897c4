// Pieces of rules that several controllers write.
import type { RuleSite } from "#core/rule/rule-site.ts";
import type { Given, RuleDocument, RuleNode } from "./controller.ts";

const VOLTS = 230;

/** A value in a sum. */
export const reading = (device: string, attribute: string, more: RuleDocument = {}): RuleDocument => ({
  device,
  attribute,
  ...more,
});

/**
 * What the site has left over for a device: what the device takes already, less what comes from the grid, and less what a battery
 * gives. What a battery charges may go to the device instead.
 */
export function surplusFor(
  given: Given,
  own: { readonly device: string; readonly power: string },
  average: string,
): RuleNode[] {
  return [
    reading(own.device, own.power, { average }),
    reading(given.text("meter"), given.text("meter_power"), { average, times: -1 }),
    ...(given.has("battery")
      ? [reading(given.text("battery"), given.text("battery_power"), { average, times: -1 })]
      : []),
  ];
}

/** After so long without a value of the meter, a rule that depends on it does what is safe. */
const SILENT_FOR = "2m";
/** A claim outlives the time until the meter counts as silent. */
export const LEASE = "3m";

export const silent = (given: Given): RuleDocument => ({
  device: given.text("meter"),
  attribute: given.text("meter_power"),
  stale_for: SILENT_FOR,
});

export const batteryIsCharged = (given: Given): readonly RuleDocument[] =>
  given.has("battery") && given.has("battery_above")
    ? [
        {
          device: given.text("battery"),
          attribute: given.text("battery_soc"),
          above: given.number("battery_above"),
          hysteresis: 5,
        },
      ]
    : [];

interface Named {
  readonly device: string;
  readonly control: string;
}

/** Watts of one unit of a control. 1: it is in W, or nobody knows. */
export function wattsPerUnit(site: RuleSite | undefined, { device, control }: Named, phases: number): number {
  const known = site?.devices.get(device)?.controls.get(control);
  if (known === undefined) return control.includes("current") ? VOLTS * phases : 1;
  if (known.unit === "A") return VOLTS * phases;
  return known.unit === "kW" ? 1_000 : 1;
}

/** A control that only switches. */
export function isSwitch(site: RuleSite | undefined, { device, control }: Named): boolean {
  const known = site?.devices.get(device)?.controls.get(control);
  return known !== undefined && known.unit === undefined && known.min === 0 && known.max === 1;
}

/** Four digits are enough for a factor, and more are hard to read. */
export const factor = (value: number): number => Number(value.toPrecision(4));

/** What a control of a device can have at most, for so many watts. */
export const wholeUnits = (watts: number, perUnit: number): number =>
  perUnit === 1 ? watts : Math.floor(factor(watts / perUnit) + 0.05);

interface LimitUnits {
  readonly phases: number;
  /** Of a control in watts. */
  readonly step: number;
  /** Watts while nobody knows what is left. */
  readonly unknown: number;
}

/** How watts become a limit of a control: in its unit, rounded down, and between nothing and the most of the device. */
export function limitOf(
  site: RuleSite | undefined,
  of: Named & { readonly most: number },
  { phases, step, unknown }: LimitUnits,
): RuleDocument {
  const known = site?.devices.get(of.device)?.controls.get(of.control);
  const whole = isSwitch(site, of) ? 1 : known?.unit === "%" ? 100 : undefined;
  if (whole !== undefined) {
    const left = Math.floor(Math.min(1, unknown / of.most) * whole);
    return { times: whole === 1 ? 1 / of.most : factor(whole / of.most), step: 1, min: 0, max: whole, unknown: left };
  }
  const perUnit = wattsPerUnit(site, of, phases);
  const unit = perUnit === 1 ? { step } : { times: factor(1 / perUnit), step: 1 };
  return { ...unit, min: 0, max: wholeUnits(of.most, perUnit), unknown: wholeUnits(unknown, perUnit) };
}
