// Copies telemetry from one store to another, device by device. Chunks stay as they are: their bytes are packed already.
// Whatever is there and equal is left alone, so a move that was cut off goes on where it was.
import { createHash } from "node:crypto";
import type { SeriesDefinition } from "#store/series/batch.ts";
import type { StoredSegment, Summary } from "#store/series/chunk.ts";
import { packGrain } from "#store/series/held-parts.ts";
import type { TelemetrySide } from "./telemetry-sides.ts";

/** Bytes that one commit stores, about. */
const COMMIT_BYTES = 8 * 1024 * 1024;

export interface MovedTelemetry {
  devices: number;
  chunks: number;
  points: number;
  bytes: number;
}

export async function moveTelemetry(
  from: TelemetrySide,
  to: TelemetrySide,
  onProgress: (moved: Readonly<MovedTelemetry>) => void,
): Promise<MovedTelemetry> {
  const moved: MovedTelemetry = { devices: 0, chunks: 0, points: 0, bytes: 0 };
  for (let page = await from.devices(""); page.length > 0; page = await from.devices(page.at(-1) ?? "")) {
    for (const deviceId of page) {
      const series = await from.series(deviceId);
      const wanted = await fingerprint(from, series, moved);
      if ((await fingerprint(to, await to.series(deviceId))) !== wanted) {
        await copyDevice(from, to, series);
        const copied = await fingerprint(to, await to.series(deviceId));
        if (copied !== wanted) throw new Error(`the telemetry of device ${deviceId} is not the same after the move`);
      }
      moved.devices++;
      onProgress(moved);
    }
  }
  return moved;
}

async function copyDevice(from: TelemetrySide, to: TelemetrySide, series: readonly SeriesDefinition[]): Promise<void> {
  const defined = await to.define(series);
  const numbers = new Map(series.map((one, i) => [one.series, defined[i]?.series ?? 0]));
  const [source, target] = [series[0]?.device, defined[0]?.device];
  if (source === undefined || target === undefined) return;
  const numbered = ({ segment, chunks }: StoredSegment): StoredSegment => ({
    segment: { ...segment, device: target },
    chunks: chunks.map((chunk) => ({ ...chunk, series: numbers.get(chunk.series) ?? 0 })),
  });
  const latest = (await from.latest(source)).map((one) => ({ ...one, series: numbers.get(one.series) ?? 0 }));
  await to.put(target, [], latest);
  let waiting: StoredSegment[] = [];
  let bytes = 0;
  for (const stretch of await from.stretches(source)) {
    for (const one of await from.read(stretch)) {
      waiting.push(numbered(one));
      bytes += bytesOf(one);
    }
    if (bytes < COMMIT_BYTES) continue;
    await to.put(target, waiting, []);
    waiting = [];
    bytes = 0;
  }
  await to.put(target, waiting, []);
}

/** Of everything that is stored of a device, whatever its numbers are. Reading compares each piece with its checksum. */
async function fingerprint(
  side: TelemetrySide,
  series: readonly SeriesDefinition[],
  count?: MovedTelemetry,
): Promise<string> {
  const hash = createHash("sha256");
  const names = new Map(
    series.map(({ series: number, attribute, kind }) => [number, JSON.stringify([attribute, kind])]),
  );
  const nameOf = (number: number) => names.get(number) ?? "";
  const byName = (a: { readonly series: number }, b: { readonly series: number }) =>
    nameOf(a.series) < nameOf(b.series) ? -1 : 1;
  const device = series[0]?.device;
  hash.update([...names.values()].sort().join());
  if (device === undefined) return hash.digest("hex");
  for (const { series: number, at, value } of (await side.latest(device)).toSorted(byName)) {
    hash.update(JSON.stringify([nameOf(number), at, value]));
  }
  for (const stretch of await side.stretches(device)) {
    for (const { segment, chunks } of await side.read(stretch)) {
      hash.update(JSON.stringify([segment.start, segment.span, segment.rows, chunks.length])).update(segment.times);
      for (const { series: number, summary, grain, held, parts, presence, values } of chunks.toSorted(byName)) {
        hash.update(
          JSON.stringify([
            nameOf(number),
            ...numbersOf(summary),
            packGrain({ grain, held }),
            parts.length,
            presence.length,
          ]),
        );
        hash.update(parts).update(presence).update(values);
        if (count === undefined) continue;
        count.chunks++;
        count.points += summary.count;
        count.bytes += parts.length + presence.length + values.length;
      }
    }
  }
  return hash.digest("hex");
}

function bytesOf({ segment, chunks }: StoredSegment): number {
  return chunks.reduce(
    (sum, { parts, presence, values }) => sum + parts.length + presence.length + values.length,
    segment.times.length,
  );
}

/** Stores give the same summary with its fields in another order. */
function numbersOf({ count, firstAt, lastAt, first, last, sum, min, max }: Summary): readonly unknown[] {
  return [count, firstAt, lastAt, first, last, sum.high, sum.low, min, max];
}
