import type { Device } from "#core/device/device.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { itemAt } from "#core/item-at.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { Call, Needs } from "#service/ports.ts";

export type Cells = readonly { readonly at: number; readonly value: number }[];

export interface Column {
  readonly attribute: string;
  readonly aggregation: ResolvedAggregation;
  readonly granularityMs: number;
}

interface Place {
  readonly device: Device;
  readonly range: Period;
}

/** Reads a number of one device, as buckets that have a value. */
export function createReader(needs: Pick<Needs, "telemetry">, call: Call, place: Place) {
  const read = createColumnReader(needs, call, place);
  return async (
    attribute: string,
    aggregation: ResolvedAggregation,
    { granularityMs }: { readonly granularityMs: number },
  ): Promise<Cells> => {
    const [{ times, values } = NOTHING] = await read([{ attribute, aggregation, granularityMs }]);
    return times.map((at, n) => ({ at, value: itemAt(values, n) }));
  };
}

/** The starts of the buckets that have a value, and the values. A year of quarters as objects would cost as much as reading it. */
export interface ColumnCells {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

export const NOTHING: ColumnCells = { times: [], values: [] };

/** Reads several columns of one device in one query: that takes a fraction of the time of a query for each. */
export function createColumnReader({ telemetry }: Pick<Needs, "telemetry">, call: Call, { device, range }: Place) {
  const requester = requesterOf(call.caller, call.remoteAddress).key;
  return async (columns: readonly Column[]): Promise<readonly ColumnCells[]> => {
    const found = columns.map(() => ({ times: [] as number[], values: [] as number[] }));
    if (columns.length === 0) return found;
    const items = columns.map((column) => ({
      deviceId: device.id,
      kind: "number" as const,
      lookAroundMs: undefined,
      ...column,
    }));
    for await (const { piece } of await telemetry.query({ requester, ...range, items })) {
      for (const [n, { presence, values }] of piece.columns.entries()) {
        const cells = itemAt(found, n);
        for (let row = 0; row < piece.count; row++) {
          if (presence[row] !== 1) continue;
          cells.times.push(Number(piece.times[row]));
          cells.values.push(Number(values[row]));
        }
      }
    }
    return found;
  };
}
