import { createRenderer } from "#core/telemetry/render/renderers.ts";
import type { SeriesRequest, TelemetryStore } from "#service/ports/telemetry-store.ts";

const CSV = { renderer: "csv", settings: { header: "" } } as const;

/** The whole answer as CSV without a header, rendered where the store makes it. */
export async function readCsv(store: TelemetryStore, request: SeriesRequest): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const { piece } of await store.query(request, CSV)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** The same out of values. */
export async function readValuesAsCsv(store: TelemetryStore, request: SeriesRequest): Promise<string> {
  const renderer = createRenderer(CSV);
  const pieces: Uint8Array[] = [];
  for await (const { piece, isLast } of await store.query(request)) pieces.push(renderer.render(piece, isLast));
  return Buffer.concat(pieces).toString();
}
