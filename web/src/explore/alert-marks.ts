// Alerts in a chart: a line where each began, and a shade as long as it lasted.
import type uPlot from "uplot";
import type { Alert } from "#client/resources.ts";
import { faded } from "./colors.ts";

export function drawAlerts(u: uPlot, alerts: readonly Alert[], color: (variable: string) => string): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const right = bbox.left + bbox.width;
  const place = (at: number) => u.valToPos(at, "x", true);
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { severity, raised_at: raised, cleared_at: cleared } of alerts) {
    const begin = place(Date.parse(raised));
    const end = cleared === undefined ? right : Math.min(place(Date.parse(cleared)), right);
    if (begin > right || end < bbox.left) continue;
    const from = Math.max(begin, bbox.left);
    ctx.fillStyle = faded(color(`--${severity}`), 0.06);
    ctx.fillRect(from, bbox.top, Math.max(end - from, 0), bbox.height);
    if (begin < bbox.left) continue;
    ctx.strokeStyle = faded(color(`--${severity}`), 0.8);
    ctx.beginPath();
    ctx.moveTo(begin, bbox.top);
    ctx.lineTo(begin, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

type Mark<Item> = { readonly left: number; readonly items: readonly [Item, ...Item[]] };

/** What begins at nearly the same place shares one mark: fingers and eyes need room. */
export function groupByPlace<Item>(
  items: readonly Item[],
  leftOf: (item: Item) => number,
  distance: number,
): readonly Mark<Item>[] {
  const marks: { left: number; items: [Item, ...Item[]] }[] = [];
  for (const item of items) {
    const left = leftOf(item);
    const last = marks.at(-1);
    if (last !== undefined && left - last.left < distance) last.items.push(item);
    else marks.push({ left, items: [item] });
  }
  return marks;
}

/** Alerts by the place where they began. */
export function groupMarks(alerts: readonly Alert[], place: (at: number) => number, distance: number) {
  const marks = groupByPlace(alerts, ({ raised_at }) => place(Date.parse(raised_at)), distance);
  return marks.map(({ left, items }) => ({ left, alerts: items }));
}
