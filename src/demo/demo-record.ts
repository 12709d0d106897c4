// What the demo site remembers in addition to the records: its plant, its devices and how much history it has. One
// small JSON file; without it the demo starts from scratch.
import { constants, promises } from "node:fs";
import { dirname } from "node:path";
import { newPlant, type PlantMemory } from "#demo/plant/plant.ts";
import { DAY_MS, type PlantSite } from "#demo/plant/site.ts";

export interface DemoRecord {
  readonly siteId: string;
  readonly plantSite: PlantSite;
  /** By example. If a device has an id here but is gone, somebody deleted it, and it is not created again. */
  readonly devices: Readonly<Record<string, { readonly id: string; readonly blueprintId: string }>>;
  /** Where the plant's servers last listened. */
  readonly ports: Readonly<Record<string, number>>;
  readonly history: DemoHistory;
  readonly plant: PlantMemory;
}

/**
 * Unix milliseconds. History is generated from `from` to `to`, newest first; the part from `storedFrom` to `to` is
 * stored.
 */
export interface DemoHistory {
  /** Where the simulation of the plant begins. */
  readonly origin: number;
  readonly from: number;
  readonly to: number;
  readonly storedFrom: number;
}

const FORMAT = 1;
const LONGEST_MS = 2 * 366 * DAY_MS;

/** Undefined when there is no file. Throws when its content makes no sense. */
export async function readDemoRecord(file: string, now: number): Promise<DemoRecord | undefined> {
  const text = await promises.readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  return text === undefined ? undefined : parseDemoRecord(JSON.parse(text), now);
}

/** The file is complete or absent, never half written, and on the disk when this resolves. */
export async function writeDemoRecord(file: string, record: DemoRecord): Promise<void> {
  const draft = `${file}.new`;
  await using handle = await promises.open(draft, "w", constants.S_IRUSR | constants.S_IWUSR);
  await handle.writeFile(JSON.stringify({ format: FORMAT, ...record }, undefined, 1));
  await handle.sync();
  await promises.rename(draft, file);
  await using folder = await promises.open(dirname(file), "r");
  await folder.sync();
}

function parseDemoRecord(value: unknown, now: number): DemoRecord {
  const site = { seed: 0, latitude: 0, longitude: 0 };
  const { weather: _, grid: _grid, loads: _loads, ...plant } = newPlant(site, 0);
  const shape = {
    format: FORMAT,
    siteId: "",
    plantSite: site,
    devices: {},
    ports: {},
    history: { origin: 0, from: 0, to: 0, storedFrom: 0 },
    plant,
  };
  if (!hasShape(shape, value)) throw new Error("it is not of this version");
  const record = value as DemoRecord;
  const { origin, from, to, storedFrom } = record.history;
  const isOrdered = origin <= from && from <= storedFrom && storedFrom <= to && from < to;
  // The plant is simulated step by step: over centuries that would never end.
  if (!isOrdered || to - origin > LONGEST_MS || Math.abs(now - record.plant.at) > LONGEST_MS) {
    throw new Error("its times make no sense");
  }
  return record;
}

/** Whether a value has every field of an example with the same types, recursively. */
function hasShape(example: unknown, value: unknown): boolean {
  if (typeof example !== "object" || example === null) {
    return typeof example === typeof value && (typeof value !== "number" || Number.isFinite(value));
  }
  if (typeof value !== "object" || value === null) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(example).every(([name, field]) => hasShape(field, fields.get(name)));
}
