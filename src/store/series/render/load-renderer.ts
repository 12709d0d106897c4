import type { Renderer } from "#core/telemetry/render/renderer.ts";
import { createRenderer, type Rendering } from "#core/telemetry/render/renderers.ts";

/** The library of Parquet is loaded with the first answer that needs it, in the thread that makes the answer. */
export async function loadRenderer(rendering: Rendering): Promise<Renderer> {
  if (rendering.renderer !== "parquet") return createRenderer(rendering);
  const { parquetRenderer } = await import("./parquet.ts");
  return parquetRenderer(rendering.settings);
}
