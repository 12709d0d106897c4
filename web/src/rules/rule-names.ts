// What a rule of a site can name, and what it is called. Pure.
import type { RuleNamesOfDevice, RuleNamesVariable } from "#client/resources.ts";
import type { Direction } from "#core/energy/rates.ts";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";

type NamedAttribute = RuleNamesOfDevice["attributes"][number] & {
  /** Other names of the same attribute, as the manifest has them. */
  readonly aliases?: readonly string[];
};
export type NamedDevice = Omit<RuleNamesOfDevice, "attributes"> & { readonly attributes: readonly NamedAttribute[] };

export type RuleNames = {
  readonly devices: readonly NamedDevice[];
  readonly variables: readonly RuleNamesVariable[];
  readonly calendars: readonly string[];
  /** What the tariff has prices for. */
  readonly prices: readonly Direction[];
};

export const NO_NAMES: RuleNames = { devices: [], variables: [], calendars: [], prices: [] };

export const findDevice = ({ devices }: RuleNames, name: string): NamedDevice | undefined =>
  devices.find(({ id, slug }) => id === name || slug === name);

/** Also by an alias. */
export const findAttribute = (device: NamedDevice | undefined, name: string): NamedAttribute | undefined =>
  device?.attributes.find((one) => one.name === name) ??
  device?.attributes.find(({ aliases }) => aliases?.includes(name));

/** How a rule names a device: by its slug, which people can read. */
export const wordOf = ({ id, slug }: Pick<RuleNamesOfDevice, "id" | "slug">): string => (slug === "" ? id : slug);

/** As the checks of a rule take it. Arguments of commands are checked by the service alone. */
export function siteOfNames(names: RuleNames, hasLocation: boolean): RuleSite {
  const devices = new Map<string, RuleSiteDevice | undefined>();
  for (const device of names.devices) {
    const known = aboutDevice(device);
    devices.set(device.id, known);
    if (device.slug !== "") devices.set(device.slug, known);
  }
  return {
    devices,
    variables: new Set(names.variables.map(({ name }) => name)),
    calendars: new Set(names.calendars),
    prices: new Set(names.prices),
    hasLocation,
  };
}

/** Undefined if nobody knows what the device has. Aliases and arguments of commands, and alerts that any device may have, are
 * known to the service alone. */
function aboutDevice(device: NamedDevice): RuleSiteDevice | undefined {
  if (device.attributes.length === 0 && device.commands.length === 0) return undefined;
  return {
    attributes: new Map(
      device.attributes.flatMap(({ name, aliases = [], type, unit }) =>
        [...aliases, name].map((one) => [one, { type, unit: unit ?? undefined }] as const),
      ),
    ),
    controls: new Map(
      device.controls.map(({ name, unit, min, max }) => [
        name,
        { unit: unit ?? undefined, min: min ?? -Infinity, max: max ?? Infinity },
      ]),
    ),
    commands: undefined,
    alerts: undefined,
  };
}
