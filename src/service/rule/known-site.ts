// What the site of a rule has: for the check of its text, and for editors that offer names.
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { pricedDirections } from "#core/energy/price-book.ts";
import type { RuleSite, RuleSiteDevice } from "#core/rule/rule-site.ts";
import { allPages } from "#service/all-pages.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { Controls } from "#service/control/controls.ts";
import type { Needs } from "#service/ports.ts";
import { RULE_LEVEL } from "./rule-caller.ts";

export interface KnownSiteNeeds extends Pick<Needs, "calendars" | "devices" | "rules" | "sites" | "tariffs"> {
  readonly catalog: BlueprintCatalog;
  readonly controlling: Pick<Controls, "controlsOfDevice">;
}

/** Of a site with more devices, only the text of a rule is checked. */
const MOST_DEVICES = 10_000;
/** Alerts of Busbar itself, which any device may have. */
const OWN_ALERTS = ["control_not_followed", "control_contradicted"];

export async function knownSite(needs: KnownSiteNeeds, siteId: string): Promise<RuleSite | undefined> {
  const devices = new Map<string, RuleSiteDevice | undefined>();
  const byBlueprint = new Map<string, RuleSiteDevice | undefined>();
  const list = (page: { readonly limit: number; readonly offset: number }) =>
    needs.devices.list({ scope: new Set([siteId]) }, page);
  for await (const device of allPages(list)) {
    if (devices.size >= 2 * MOST_DEVICES) return undefined;
    const { blueprintId = "" } = device;
    if (!byBlueprint.has(blueprintId)) byBlueprint.set(blueprintId, await aboutDevice(needs, device));
    const about = byBlueprint.get(blueprintId);
    devices.set(device.id, about).set(device.slug, about);
  }
  const variables = new Set((await needs.rules.variables(siteId)).map(({ name }) => name));
  const calendars = new Set((await needs.calendars.ofSite(siteId)).map(({ name }) => name));
  const prices = new Set(pricedDirections((await needs.tariffs.find(siteId))?.tariff));
  const { latitude, longitude } = (await needs.sites.find(siteId))?.location ?? {};
  return { devices, variables, calendars, prices, hasLocation: latitude !== undefined && longitude !== undefined };
}

/** Undefined without a blueprint: nobody knows what the device has. */
async function aboutDevice(needs: KnownSiteNeeds, device: Device): Promise<RuleSiteDevice | undefined> {
  const blueprint = await deviceBlueprint(needs, device);
  if (blueprint === undefined) return undefined;
  const controls = await needs.controlling.controlsOfDevice(device);
  return {
    attributes: named(readableAttributes(blueprint, RULE_LEVEL), ({ type, unit }) => ({ type, unit })),
    controls: new Map([...controls.values()].map(({ id, unit, min, max }) => [id, { unit, min, max }])),
    commands: named(blueprint.commands.values(), (command) => command),
    // A device may send alerts that it does not declare.
    alerts: blueprint.alerts.size === 0 ? undefined : new Set([...blueprint.alerts.keys(), ...OWN_ALERTS]),
  };
}

export const readableAttributes = ({ telemetry }: Blueprint, level: AccessLevel) =>
  [...telemetry.values()].filter(({ accessLevel }) => allows(level, accessLevel));

interface Named {
  readonly id: string;
  readonly aliases: readonly string[];
}

/** By id and by alias; ids win. */
function named<Item extends Named, About>(
  items: Iterable<Item>,
  aboutOf: (item: Item) => About,
): ReadonlyMap<string, About> {
  const all = [...items];
  const aliases = all.flatMap((item) => item.aliases.map((alias) => [alias, aboutOf(item)] as const));
  return new Map([...aliases, ...all.map((item) => [item.id, aboutOf(item)] as const)]);
}
