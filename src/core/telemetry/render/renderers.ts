// Turns rows into bytes. A renderer is named by data, so that one thread can choose it and another can run it, where
// the rows are. To add a format, write a file beside `csv.ts` and a line in RENDERERS. Parquet needs a library, so the
// store loads it when somebody asks for it.
import { csvRenderer } from "./csv.ts";
import { jsonLinesRenderer, jsonRenderer } from "./json.ts";
import { pointRenderer } from "./points.ts";
import type { Renderer } from "./renderer.ts";

/** Settings are plain data: they travel between threads. */
const RENDERERS = {
  csv: csvRenderer,
  json: jsonRenderer,
  jsonl: jsonLinesRenderer,
  points: pointRenderer,
} satisfies Readonly<Record<string, (settings: never) => Renderer>>;

type Renderers = typeof RENDERERS;

export type PlainRendering = {
  [Name in keyof Renderers]: { readonly renderer: Name; readonly settings: Parameters<Renderers[Name]>[0] };
}[keyof Renderers];

export interface ParquetSettings {
  readonly columns: readonly { readonly name: string; readonly kind: "number" | "boolean" | "text" }[];
  /** Texts about the whole table, by their keys. */
  readonly notes: Readonly<Record<string, string>>;
}

export type Rendering = PlainRendering | { readonly renderer: "parquet"; readonly settings: ParquetSettings };

export function createRenderer(rendering: PlainRendering): Renderer {
  // Name and settings belong together, which a lookup by name cannot express.
  const create = RENDERERS[rendering.renderer] as (settings: PlainRendering["settings"]) => Renderer;
  return create(rendering.settings);
}
