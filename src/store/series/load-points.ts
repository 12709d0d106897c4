// Large amounts of points at once: an import, or history that comes over the link.
import { itemAt } from "#core/item-at.ts";
import { isLater } from "#core/telemetry/latest-value.ts";
import { instant } from "#core/time/instant.ts";
import type { LoadedColumn, Snapshot, TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { SeriesDefinition } from "./batch.ts";
import { valueAt } from "./column.ts";
import { parsePacked } from "./packed-points.ts";
import type { SeriesParts } from "./series-parts.ts";

export function loadPoints(parts: SeriesParts): Pick<TelemetryStore, "load" | "pack" | "loadPacked"> {
  const { index, thread, intake, current, isShared, clock } = parts;

  /** The series of these columns, in their order, and those among them that the load has to define. */
  async function seriesFor(
    deviceId: string,
    columns: readonly Pick<LoadedColumn, "attribute" | "kind">[],
  ): Promise<{ readonly series: readonly SeriesDefinition[]; readonly definitions: readonly SeriesDefinition[] }> {
    if (isShared) {
      const unknown = columns.filter(({ attribute, kind }) => index.find(deviceId, attribute, kind) === undefined);
      index.learn(await thread.define(unknown.map(({ attribute, kind }) => ({ deviceId, attribute, kind }))));
    }
    const series = columns.map(
      ({ attribute, kind }) => index.find(deviceId, attribute, kind) ?? index.define(deviceId, attribute, kind),
    );
    return { series, definitions: series.filter((one) => !index.isStored(one)) };
  }

  function noteNewest(deviceId: string, newest: Iterable<Snapshot & { readonly attribute: string }>): void {
    const at = clock();
    for (const { attribute, ...snapshot } of newest)
      current.note({ deviceId, attribute }, { snapshot, at, fits: isLater });
  }

  const orNamed = (error: unknown): never => {
    throw parts.named(error);
  };

  return {
    load: (deviceId, columns) =>
      intake.alone(async () => {
        const { series, definitions } = await seriesFor(deviceId, columns);
        const [first] = series;
        if (first === undefined) return;
        const newest = columns.flatMap(newestOf);
        const numbered = columns.map((column, i) => [itemAt(series, i).series, column] as const);
        await thread.load({ device: first.device, definitions, columns: numbered }).catch(orNamed);
        index.noteStored(definitions);
        noteNewest(deviceId, newest);
      }),
    async pack(deviceId, from, to) {
      await parts.learnSeries([deviceId]);
      const series = index.ofDevice(deviceId);
      const [first] = series;
      if (first === undefined) return [];
      return await thread.pack({ device: first.device, series, from, to }).catch(orNamed);
    },
    async loadPacked(deviceId, piece, refused) {
      const packed = parsePacked(piece).chunks;
      const leftOut = await refused?.(packed.map(({ attribute }) => attribute));
      const chunks = packed.filter(({ attribute }) => leftOut?.has(attribute) !== true);
      return await intake.alone(async () => {
        const { series, definitions } = await seriesFor(deviceId, chunks);
        const [first] = series;
        if (first === undefined) return 0;
        const numbers = new Map(chunks.map((chunk, i) => [chunk, itemAt(series, i).series]));
        const load = { device: first.device, definitions, series: packed.map((chunk) => numbers.get(chunk)) };
        const last = await thread.loadPacked({ load, piece }).catch(orNamed);
        index.noteStored(definitions);
        const names = new Map(series.map((one) => [one.series, one.attribute]));
        noteNewest(
          deviceId,
          last.map(({ series: one, at, value }) => ({ attribute: names.get(one) ?? "", at: instant(at), value })),
        );
        return chunks.reduce((sum, { count }) => sum + count, 0);
      });
    },
  };
}

/** The last of the newest values, in the form that `note` needs. */
function newestOf(column: LoadedColumn) {
  let newest = 0;
  for (let i = 1; i < column.count; i++) if (itemAt(column.times, i) >= itemAt(column.times, newest)) newest = i;
  if (column.count === 0) return [];
  return [{ attribute: column.attribute, at: instant(itemAt(column.times, newest)), value: valueAt(column, newest) }];
}
