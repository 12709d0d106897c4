// How tiles are arranged. Their order is the order of reading, and the grid fills itself from it, so nothing can overlap and a
// phone shows the same in one column.
import type { DashboardTile } from "#client/resources.ts";

const MOST_COLUMNS = 4;
const MOST_ROWS = 4;
/** As the server allows. */
export const MOST_TILES = 40;

export type Tiles = readonly DashboardTile[];

/** The tile takes another place. What lies between moves on by one. */
export function moveTile(tiles: Tiles, id: string, to: number): Tiles {
  const from = tiles.findIndex((tile) => tile.id === id);
  const tile = tiles[from];
  const place = Math.min(Math.max(to, 0), tiles.length - 1);
  if (tile === undefined || place === from) return tiles;
  const others = tiles.filter((one) => one !== tile);
  return [...others.slice(0, place), tile, ...others.slice(place)];
}

export function resizeTile(tiles: Tiles, id: string, by: { readonly width?: number; readonly height?: number }): Tiles {
  const clamp = (value: number, most: number) => Math.min(Math.max(value, 1), most);
  return tiles.map((tile) => {
    if (tile.id !== id) return tile;
    const width = clamp(tile.width + (by.width ?? 0), MOST_COLUMNS);
    const height = clamp(tile.height + (by.height ?? 0), MOST_ROWS);
    return width === tile.width && height === tile.height ? tile : { ...tile, width, height };
  });
}

export function removeTile(tiles: Tiles, id: string): Tiles {
  return tiles.filter((tile) => tile.id !== id);
}

/** What is pinned: a tile without its id and its size. */
export type Pin = Omit<DashboardTile, "id" | "width" | "height">;

export type NamedPin = { readonly name: string; readonly pin: Pin };

const SIZES: Readonly<Record<DashboardTile["kind"], { readonly width: number; readonly height: number }>> = {
  value: { width: 1, height: 1 },
  curve: { width: 2, height: 2 },
  states: { width: 2, height: 1 },
  command: { width: 1, height: 1 },
  control: { width: 1, height: 1 },
  flow: { width: 2, height: 3 },
  energy: { width: 2, height: 2 },
  text: { width: 1, height: 1 },
};

/** At the end, in the size that suits its kind. */
export function addTile(tiles: Tiles, pin: Pin): Tiles {
  const taken = new Set(tiles.map(({ id }) => id));
  let number = tiles.length + 1;
  while (taken.has(`t${number}`)) number += 1;
  return [...tiles, { id: `t${number}`, ...SIZES[pin.kind], ...pin }];
}

export type Arranging = { readonly kind: "move" | "width" | "height"; readonly by: 1 | -1 };

/** What a key means on the handle of a tile: arrows move it, with Shift they change its size. */
export function arrangingOf(key: string, hasShift: boolean): Arranging | undefined {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key] as 1 | -1 | undefined;
  if (by === undefined) return undefined;
  if (!hasShift) return { kind: "move", by };
  return { kind: key === "ArrowLeft" || key === "ArrowRight" ? "width" : "height", by };
}

export function arrange(tiles: Tiles, id: string, { kind, by }: Arranging): Tiles {
  if (kind === "move") return moveTile(tiles, id, tiles.findIndex((tile) => tile.id === id) + by);
  return resizeTile(tiles, id, { [kind]: by });
}
