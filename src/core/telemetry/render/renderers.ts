// How rows become bytes. Which renderer makes them is data, so that it can be said on one thread and run on another: where the rows are.
// Another format is a file beside `csv.ts` and a line in RENDERERS.
import { csvRenderer } from "./csv.ts";
import type { Renderer } from "./renderer.ts";

/** Settings are plain data: they travel between threads. */
const RENDERERS = { csv: csvRenderer } satisfies Readonly<Record<string, (settings: never) => Renderer>>;

type Renderers = typeof RENDERERS;

export type Rendering = {
  [Name in keyof Renderers]: { readonly renderer: Name; readonly settings: Parameters<Renderers[Name]>[0] };
}[keyof Renderers];

export function createRenderer({ renderer, settings }: Rendering): Renderer {
  return RENDERERS[renderer](settings);
}
