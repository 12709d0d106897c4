import { AppError, type Refusal } from "#core/app-error.ts";
import {
  type Aggregation,
  allowedAggregations,
  type ColumnType,
  columnKind,
  type ResolvedAggregation,
  resolveAggregation,
  resultType,
} from "#core/telemetry/aggregation.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Call, SeriesRequest } from "#service/ports.ts";
import { deviceAttributes, findAttribute, findDevice, type NowNeeds, notFound } from "#service/telemetry/read-now.ts";

/** One column as asked, settings already merged. */
export interface AskedSeries {
  /** Id or slug. */
  readonly device: string;
  readonly attribute: string;
  readonly aggregation: Aggregation;
  readonly granularityMs: number;
  readonly lookAroundMs: number | undefined;
  /** Where in the request it stands, for problems. */
  readonly pointer: string;
}

export interface Timeseries {
  readonly columns: readonly { readonly aggregation: ResolvedAggregation; readonly type: ColumnType }[];
  readonly rows: AsyncIterable<Uint8Array>;
}

/** Refuses with everything that is wrong at once. */
export async function readTimeseries(
  needs: NowNeeds,
  call: Call,
  { from, to, series }: { readonly from: Instant; readonly to: Instant; readonly series: readonly AskedSeries[] },
): Promise<Timeseries> {
  const refusals: Refusal[] = [];
  const items: SeriesRequest["items"][number][] = [];
  const columns: Timeseries["columns"][number][] = [];
  for (const asked of series) {
    const resolved = await resolve(needs, call, asked);
    if ("code" in resolved) refusals.push(resolved);
    else {
      items.push(resolved.item);
      columns.push(resolved.column);
    }
  }
  const [first, ...others] = refusals;
  if (first !== undefined) throw new AppError([first, ...others]);
  return { columns, rows: await needs.telemetry.query({ from, to, items }) };
}

async function resolve(
  needs: NowNeeds,
  call: Call,
  asked: AskedSeries,
): Promise<
  Refusal | { readonly item: SeriesRequest["items"][number]; readonly column: Timeseries["columns"][number] }
> {
  const device = await findDevice(needs, call, asked.device);
  if (device === undefined) return notFound(asked.device);
  const place = { device: asked.device, attribute: asked.attribute };
  const attribute = findAttribute(await deviceAttributes(needs, device), call, place);
  if ("code" in attribute) return attribute;
  const aggregation = resolveAggregation(asked.aggregation, attribute.type);
  if (aggregation === undefined) {
    return {
      code: "invalid_body",
      message: `${asked.attribute} is of type ${attribute.type}, which has no ${asked.aggregation}; it has ${allowedAggregations(attribute.type).join(", ")}`,
      details: { pointer: `${asked.pointer}/aggregation`, ...place },
    };
  }
  return {
    item: {
      deviceId: device.id,
      attribute: attribute.id,
      kind: columnKind(attribute.type),
      aggregation,
      granularityMs: asked.granularityMs,
      lookAroundMs: asked.lookAroundMs,
    },
    column: { aggregation, type: resultType(aggregation, attribute.type) },
  };
}
