// What the views of each kind hold, as it is written in the interface.
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { CALENDAR_UNITS } from "#core/time/calendar.ts";
import { MAX_VIEW_BYTES, type ViewKind } from "#core/view/view.ts";
import { compileField } from "#service/operation/body.ts";
import { type Schema, type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, oneOf, strict } from "#service/operation/wire.ts";

const LONGEST_QUERY = 8_000;
const LONGEST_TEXT = 2_000;
const MAX_TILES = 40;
const MAX_SERIES = 10;

const query = Type.String({
  maxLength: LONGEST_QUERY,
  pattern: "^[^\\u0000-\\u001f\\u007f]*$",
  description: "The query of the screen's address, without its question mark.",
});

export const exploreSchema = described("ExploreView", "A chart of Explore.", { query });
export const deviceFilterSchema = described("DeviceFilterView", "A filter of the list of devices.", { query });

const TILE_KINDS = ["value", "curve", "states", "command", "control", "flow", "energy", "text"] as const;

const ENERGY_RANGES: readonly string[] = CALENDAR_UNITS;

const seriesSchema = strict("TileSeries", {
  device: id("Id or slug."),
  attribute: Type.String({ minLength: 1, maxLength: 200 }),
});

const tileSchema = strict("DashboardTile", {
  id: Type.String({
    minLength: 1,
    maxLength: 40,
    pattern: "^[A-Za-z0-9_-]+$",
    description: "letters, digits, _ and -",
  }),
  kind: oneOf(TILE_KINDS, {
    description:
      "value, curve, states: of `series`. command, control: `command` or `control` of `device`. flow: the site's energy flow. energy: of the day or `range`. text: `text`.",
  }),
  width: Type.Integer({ minimum: 1, maximum: 4, description: "In columns of four." }),
  height: Type.Integer({ minimum: 1, maximum: 4, description: "In rows." }),
  title: Type.Optional(name("Instead of the name of what it shows.", 80)),
  series: Type.Optional(Type.Array(seriesSchema, { minItems: 1, maxItems: MAX_SERIES })),
  range: Type.Optional(
    Type.String({
      maxLength: 60,
      pattern: "^[0-9a-zA-Z:.+-]+$",
      description: `a range of Explore; of energy ${ENERGY_RANGES.join(", ")}, each the current one`,
    }),
  ),
  device: Type.Optional(id("Id or slug.")),
  command: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  control: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  text: Type.Optional(Type.String({ maxLength: LONGEST_TEXT })),
});

export const dashboardSchema = described("DashboardView", "A dashboard: its tiles, in the order of reading.", {
  tiles: Type.Array(tileSchema, { maxItems: MAX_TILES }),
});

const SCHEMAS: Readonly<Record<ViewKind, Schema>> = {
  explore: exploreSchema,
  dashboard: dashboardSchema,
  device_filter: deviceFilterSchema,
};

export type ViewContent =
  | Static<typeof exploreSchema>
  | Static<typeof dashboardSchema>
  | Static<typeof deviceFilterSchema>;

/** What a tile of each kind cannot be without. */
const NEEDED: Readonly<Record<string, readonly ("series" | "device" | "command" | "control" | "text")[]>> = {
  value: ["series"],
  curve: ["series"],
  states: ["series"],
  command: ["device", "command"],
  control: ["device", "control"],
  text: ["text"],
};

const checks = new Map(Object.entries(SCHEMAS).map(([kind, schema]) => [kind, compileField("content", schema)]));

/** Everything that is wrong with the content of a view. */
export function contentProblems(kind: ViewKind, content: unknown): readonly Refusal[] {
  const problems = checks.get(kind)?.(content) ?? [];
  if (problems.length > 0 || kind !== "dashboard") return problems;
  return tileProblems((content as Static<typeof dashboardSchema>).tiles);
}

/** The content as it is stored. Throws everything that is wrong with it. */
export function storedContent(kind: ViewKind, content: unknown): string {
  const [first, ...others] = contentProblems(kind, content);
  if (first !== undefined) throw new AppError([first, ...others]);
  const text = JSON.stringify(content);
  if (Buffer.byteLength(text) > MAX_VIEW_BYTES) {
    throw refuse("invalid_body", `content is larger than ${MAX_VIEW_BYTES} bytes`, { pointer: "/content" });
  }
  return text;
}

/** Undefined where the stored text is damaged. */
export function readContent(kind: ViewKind, text: string): ViewContent | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return contentProblems(kind, content).length === 0 ? (content as ViewContent) : undefined;
  } catch {
    return undefined;
  }
}

function tileProblems(tiles: Static<typeof dashboardSchema>["tiles"]): readonly Refusal[] {
  const seen = new Set<string>();
  return tiles.flatMap((tile, index) => {
    const at = `/content/tiles/${index}`;
    const bad = (field: string, message: string): Refusal => ({
      code: "invalid_body",
      message,
      details: { pointer: `${at}/${field}` },
    });
    const problems = (NEEDED[tile.kind] ?? [])
      .filter((field) => tile[field] === undefined)
      .map((field) => bad(field, `a tile of kind ${tile.kind} needs ${field}`));
    if (tile.kind === "energy" && tile.range !== undefined && !ENERGY_RANGES.includes(tile.range)) {
      problems.push(bad("range", `the range of energy is one of ${ENERGY_RANGES.join(", ")}`));
    }
    if (seen.has(tile.id)) problems.push(bad("id", `another tile has the id ${tile.id}`));
    seen.add(tile.id);
    return problems;
  });
}
