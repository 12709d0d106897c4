// Where the nodes of the energy flow stand, and the curves between them. Pixels.
import type { FlowKind } from "./energy-flow.ts";

export type Place = {
  readonly x: number;
  readonly y: number;
  /** Where curves leave and arrive, and their direction there. */
  readonly anchor: { readonly x: number; readonly y: number; readonly dx: number; readonly dy: number };
  readonly label: "below" | "beside";
};

export const RADIUS = 34;
export const HEIGHT = 284;

const TOP: readonly FlowKind[] = ["solar", "wind", "generator"];
const BOTTOM: readonly FlowKind[] = ["load", "hydrogen", "vehicle"];

/** Producers above, the grid to the left, batteries to the right, the building and other loads below. */
export function flowLayout(kinds: readonly FlowKind[], width: number): ReadonlyMap<FlowKind, Place> {
  const places = new Map<FlowKind, Place>();
  const middle = width / 2;
  const side = Math.max(RADIUS + 10, Math.min(86, width * 0.14));
  const top = kinds.filter((kind) => TOP.includes(kind));
  const bottom = kinds.filter((kind) => BOTTOM.includes(kind));
  for (const [index, kind] of top.entries()) {
    const x = middle + (index - (top.length - 1) / 2) * Math.min(150, width * 0.26);
    places.set(kind, {
      x,
      y: 40,
      anchor: { x, y: 40 + RADIUS, dx: 0, dy: 1 },
      label: top.length === 1 ? "beside" : "below",
    });
  }
  places.set("grid", atSide(side, 90, 1));
  places.set("battery", atSide(width - side, 90, -1));
  places.set("rest", atSide(side, 210, 1));
  // The building has the left corner; the others fill the line up to the right one.
  const gap = (width - 2 * side) / Math.max(2, bottom.length);
  for (const [index, kind] of bottom.entries()) {
    const x = bottom.length === 1 ? middle : side + gap * (index + 1);
    const isCorner = bottom.length > 1 && index === bottom.length - 1;
    places.set(
      kind,
      isCorner
        ? atSide(width - side, 210, -1)
        : { x, y: 210, anchor: { x, y: 210 - RADIUS, dx: 0, dy: -1 }, label: "below" },
    );
  }
  return new Map(kinds.flatMap((kind) => (places.has(kind) ? [[kind, places.get(kind) as Place]] : [])));
}

function atSide(x: number, y: number, dx: 1 | -1): Place {
  return { x, y, anchor: { x: x + dx * RADIUS, y, dx, dy: 0 }, label: "below" };
}

/** A curve that leaves one node and arrives at the other in their own directions. */
export function curve(from: Place, to: Place): string {
  const [a, b] = [from.anchor, to.anchor];
  const length = Math.max(36, Math.hypot(b.x - a.x, b.y - a.y) * 0.45);
  // A bend to the side must not swing out further than the other node stands.
  const bendOf = ({ dx }: Place["anchor"]) =>
    dx === 0 ? length : Math.max(24, Math.min(length, Math.abs(b.x - a.x) * 0.6));
  const [leave, arrive] = [bendOf(a), bendOf(b)];
  const point = (x: number, y: number) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
  return `M${point(a.x, a.y)}C${point(a.x + a.dx * leave, a.y + a.dy * leave)} ${point(b.x + b.dx * arrive, b.y + b.dy * arrive)} ${point(b.x, b.y)}`;
}
