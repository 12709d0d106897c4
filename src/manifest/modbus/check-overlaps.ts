import { isBitKind, type MapPoint, type RegisterPlace } from "#core/modbus/modbus-map.ts";
import { registerCount } from "#core/modbus/register-value.ts";
import type { MapReport } from "./map-report.ts";

interface Placed {
  readonly point: MapPoint;
  readonly place: RegisterPlace;
  readonly end: number;
}

/** Two values may share their registers, for example as bits; values that overlap in part are a mistake. */
export function checkOverlaps(report: MapReport, points: readonly MapPoint[]): void {
  const tables = new Map<string, Placed[]>();
  for (const point of points) {
    const { place } = point;
    if (place.from !== "register" || isBitKind(place.kind)) continue;
    const key = `${place.unit ?? ""} ${place.kind}`;
    const end = place.address + registerCount(place.layout);
    tables.set(key, [...(tables.get(key) ?? []), { point, place, end }]);
  }
  for (const table of tables.values()) {
    const sorted = table.sort((a, b) => a.place.address - b.place.address || a.end - b.end);
    let widest = sorted[0];
    for (const one of sorted.slice(1)) {
      if (widest === undefined) break;
      const isSame = one.place.address === widest.place.address && one.end === widest.end;
      if (one.place.address < widest.end && !isSame) {
        const message = `${one.point.name} (${words(one)}) overlaps ${widest.point.name} (${words(widest)}). Check addresses and types.`;
        report([one.point.target, one.point.name], "conflicting_keys", message);
      }
      if (one.end > widest.end) widest = one;
    }
  }
}

function words({ place: { address }, end }: Placed): string {
  return end - address === 1 ? `register ${address}` : `registers ${address} to ${end - 1}`;
}
