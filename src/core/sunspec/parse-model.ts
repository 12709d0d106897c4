// The notation of the tables: `A,AphA:uint16*A_SF` are two points of that type whose scale factor is the point A_SF. A
// number behind `string` is its registers. A point without a type is a scale factor.
import { MODEL_TABLES } from "./model-tables.ts";

export type PointType =
  | "int16"
  | "uint16"
  | "uint32"
  | "uint64"
  | "acc32"
  | "acc64"
  | "enum16"
  | "bitfield16"
  | "bitfield32"
  | "float32"
  | "string"
  | "count"
  | "sunssf"
  | "pad";

export interface ModelPoint {
  readonly name: string;
  readonly type: PointType;
  /** Registers from the beginning of the block that it belongs to. */
  readonly offset: number;
  readonly count: number;
  /** The name of the point that holds its scale factor. */
  readonly scaleFactor: string | undefined;
}

interface Block {
  readonly points: readonly ModelPoint[];
  readonly count: number;
}

export interface SunSpecModel extends Block {
  readonly id: number;
  readonly label: string;
  readonly group: (Block & { readonly name: string }) | undefined;
}

const WIDTH: Readonly<Record<Exclude<PointType, "string">, number>> = {
  int16: 1,
  uint16: 1,
  enum16: 1,
  bitfield16: 1,
  count: 1,
  sunssf: 1,
  pad: 1,
  uint32: 2,
  acc32: 2,
  bitfield32: 2,
  float32: 2,
  uint64: 4,
  acc64: 4,
};

const parsed = new Map<number, SunSpecModel>();

/** The model with this number, if Busbar knows it. */
export function sunSpecModel(id: number): SunSpecModel | undefined {
  const known = parsed.get(id);
  const table = MODEL_TABLES.get(id);
  if (known !== undefined || table === undefined) return known;
  const group = table.group && { name: table.group.name, ...parseBlock(table.group.points) };
  const model = { id, label: table.label, ...parseBlock(table.points), group };
  parsed.set(id, model);
  return model;
}

function parseBlock(text: string): Block {
  const points: ModelPoint[] = [];
  let offset = 0;
  for (const item of text.trim().split(/\s+/)) {
    const [names = "", rest = "sunssf"] = item.split(":");
    const [written = "", scaleFactor] = rest.split("*");
    const [, length] = /^string(\d+)$/.exec(written) ?? [];
    const type = length === undefined ? (written as Exclude<PointType, "string">) : "string";
    const count = type === "string" ? Number(length) : WIDTH[type];
    for (const name of names.split(",")) {
      points.push({ name, type, offset, count, scaleFactor });
      offset += count;
    }
  }
  return { points, count: offset };
}

interface FoundPoint {
  readonly point: ModelPoint;
  /** Registers from the beginning of the model's data. */
  readonly offset: number;
}

/** Where a point is, by its name or as `module[1].DCW`; undefined when the model has none of that name. */
export function findModelPoint(model: SunSpecModel, name: string): FoundPoint | undefined {
  const [, group, index, inner] = /^(\w+)\[([1-9]\d{0,3})\]\.(\w+)$/.exec(name) ?? [];
  if (group === undefined) {
    const point = model.points.find((one) => one.name === name && one.type !== "pad");
    return point && { point, offset: point.offset };
  }
  if (model.group?.name !== group) return undefined;
  const point = model.group.points.find((one) => one.name === inner);
  return point && { point, offset: model.count + (Number(index) - 1) * model.group.count + point.offset };
}

/** Names of the points, for messages; those of a group with its first index. */
export function modelPointNames(model: SunSpecModel): readonly string[] {
  const own = model.points.filter(({ type }) => type !== "pad" && type !== "sunssf").map(({ name }) => name);
  return [...own, ...(model.group?.points ?? []).map(({ name }) => `${model.group?.name}[1].${name}`)];
}
