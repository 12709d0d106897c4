// Turns rows into bytes. A renderer is named by data, so that one thread can choose it and another can run it, where
// the rows are. To add a format, write a file beside `csv.ts` and a line in RENDERERS.
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
