import type { Device } from "#core/device/device.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { itemAt } from "#core/item-at.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { Call, Needs } from "#service/ports.ts";

export type Cells = readonly { readonly at: number; readonly value: number }[];

/** Reads a number of one device, as buckets that have a value. */
export function createReader(
  { telemetry }: Pick<Needs, "telemetry">,
  call: Call,
  { device, range }: { readonly device: Device; readonly range: Period },
) {
  const requester = requesterOf(call.caller, call.remoteAddress).key;
  return async (
    attribute: string,
    aggregation: ResolvedAggregation,
    { granularityMs }: { readonly granularityMs: number },
  ): Promise<Cells> => {
    const item = { deviceId: device.id, attribute, kind: "number", aggregation, granularityMs } as const;
    const cells: { at: number; value: number }[] = [];
    const request = { requester, ...range, items: [{ ...item, lookAroundMs: undefined }] };
    for await (const { piece } of await telemetry.query(request)) {
      const [column] = piece.columns;
      for (let row = 0; row < piece.count; row++) {
        if (column?.presence[row] === 1)
          cells.push({ at: itemAt(piece.times, row), value: Number(column.values[row]) });
      }
    }
    return cells;
  };
}
