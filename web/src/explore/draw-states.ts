// Draws stretches of states on a canvas.
import type { Range } from "./range.ts";
import type { Stretch } from "./state-bands.ts";
import type { StateLook } from "./state-look.ts";

type Strip = {
  readonly stretches: readonly Stretch[];
  readonly look: (value: Stretch["value"]) => StateLook;
  readonly color: (variable: string) => string;
  readonly range: Range;
  /** In CSS pixels: where the plot of the chart begins, and how wide it is. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
};

export function drawStates(
  canvas: HTMLCanvasElement,
  { stretches, look, color, range, left, width, height }: Strip,
): void {
  const ratio = devicePixelRatio;
  const total = canvas.clientWidth;
  canvas.width = Math.round(total * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null || width <= 0) return;
  context.scale(ratio, ratio);
  context.font = '500 11.5px "IBM Plex Sans", system-ui, sans-serif';
  context.textBaseline = "middle";
  context.fillStyle = color("--sunken");
  context.fillRect(left, 0, width, height);
  const place = (at: number) => left + ((at - range.from) / (range.to - range.from)) * width;
  const right = left + width;
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (const { from, to, value, isFilled } of stretches) {
    const begin = Math.max(place(from), left);
    const end = Math.min(place(to), right);
    // What lies within a pixel that is drawn already would not be seen.
    if (end <= begin || end <= drawnTo) continue;
    const { text, background, ink } = look(value);
    const size = Math.max(end - begin, 1);
    context.globalAlpha = isFilled ? 0.4 : 1;
    context.fillStyle = color(background);
    context.fillRect(begin, 0, size, height);
    context.globalAlpha = 1;
    if (isFilled) dashAround(context, begin, size, height, color("--muted"));
    if (end < right) {
      context.fillStyle = color("--surface");
      context.fillRect(end - 0.5, 0, size > 4 ? 1 : 0, height);
    }
    if (size > 28) writeText(context, text, { begin, size, height, ink: color(isFilled ? "--text" : ink) });
    drawnTo = Math.floor(begin) + 1 > end ? Math.floor(begin) + 1 : end;
  }
}

function dashAround(
  context: CanvasRenderingContext2D,
  left: number,
  width: number,
  height: number,
  color: string,
): void {
  context.save();
  context.strokeStyle = color;
  context.setLineDash([4, 3]);
  context.strokeRect(left + 0.5, 0.5, Math.max(width - 1, 0), height - 1);
  context.restore();
}

/** As much of the text as fits. */
function writeText(
  context: CanvasRenderingContext2D,
  text: string,
  {
    begin,
    size,
    height,
    ink,
  }: { readonly begin: number; readonly size: number; readonly height: number; readonly ink: string },
): void {
  const room = size - 12;
  let shown = text.slice(0, 200);
  if (context.measureText(shown).width > room) {
    while (shown.length > 1 && context.measureText(`${shown}…`).width > room)
      shown = shown.slice(0, Math.max(1, Math.floor(shown.length * 0.8)));
    shown = shown.length > 1 ? `${shown}…` : "";
  }
  context.fillStyle = ink;
  context.fillText(shown, begin + 6, height / 2 + 0.5);
}
