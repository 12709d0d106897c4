// What a tile is called, and whether what it shows is there.
import type { DashboardTile } from "#client/resources.ts";
import type { Attribute, Command, Manifest } from "#web/data/manifest.ts";

type Device = { readonly name: string; readonly hasManifest: boolean; readonly manifest: Manifest };
export type FindDevice<Found extends Device = Device> = (idOrSlug: string) => Found | undefined;

export type Missing =
  | { readonly what: "device"; readonly name: string }
  | { readonly what: "attribute"; readonly name: string }
  | { readonly what: "command"; readonly name: string };

/** What a tile needs and the site does not have, or this person does not see. Undefined when all is there. */
export function missingIn(tile: DashboardTile, find: FindDevice): Missing | undefined {
  if (tile.kind === "command" || tile.kind === "control") {
    const device = find(tile.device ?? "");
    if (device === undefined) return { what: "device", name: tile.device ?? "" };
    // Which controls there are, the server says: profiles bring some that no manifest names.
    if (tile.kind === "control" || !device.hasManifest || commandOf(device, tile) !== undefined) return undefined;
    return { what: "command", name: tile.command ?? "" };
  }
  // A curve of several shows those that are there, as Explore does.
  if (tile.kind !== "value") return undefined;
  for (const { device: name, attribute } of tile.series ?? []) {
    const device = find(name);
    if (device === undefined) return { what: "device", name };
    if (device.hasManifest && attributeOf(device, attribute) === undefined)
      return { what: "attribute", name: attribute };
  }
  return undefined;
}

export function attributeOf({ manifest }: Pick<Device, "manifest">, name: string): Attribute | undefined {
  return manifest.telemetry.get(name) ?? [...manifest.telemetry.values()].find(({ aliases }) => aliases.includes(name));
}

export function commandOf({ manifest }: Pick<Device, "manifest">, tile: DashboardTile): Command | undefined {
  return manifest.commands.get(tile.command ?? "");
}

type Words = Readonly<Record<"flow" | "energy" | "energyWeek" | "energyMonth" | "energyYear" | "text", string>>;

const ENERGY_WORDS: ReadonlyMap<string | undefined, "energyWeek" | "energyMonth" | "energyYear"> = new Map([
  ["week", "energyWeek"],
  ["month", "energyMonth"],
  ["year", "energyYear"],
]);

/** What energies of the current day, week, month or year are called. */
export function energyName(range: string | undefined, words: Omit<Words, "flow" | "text">): string {
  return words[ENERGY_WORDS.get(range) ?? "energy"];
}

export function tileName(tile: DashboardTile, find: FindDevice, words: Words): string {
  if (tile.title !== undefined) return tile.title;
  if (tile.kind === "flow") return words.flow;
  if (tile.kind === "energy") return energyName(tile.range, words);
  if (tile.kind === "text") return (tile.text ?? "").trim().split("\n")[0]?.slice(0, 40) || words.text;
  if (tile.kind === "command") {
    const device = find(tile.device ?? "");
    return (device && commandOf(device, tile)?.displayName) ?? tile.command ?? "";
  }
  if (tile.kind === "control") return tile.control ?? "";
  const [first, ...others] = tile.series ?? [];
  const device = find(first?.device ?? "");
  const name = (device && attributeOf(device, first?.attribute ?? "")?.displayName) ?? first?.attribute ?? "";
  return others.length === 0 ? name : `${name} +${others.length}`;
}
