import { narrow } from "#core/access/caller.ts";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { requesterOf } from "#core/share/requester.ts";
import {
  type Aggregation,
  allowedAggregations,
  type ColumnType,
  columnKind,
  type ResolvedAggregation,
  resolveAggregation,
  resultType,
} from "#core/telemetry/aggregation.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { Calendar } from "#core/time/calendar.ts";
import type { FineTime } from "#core/time/instant.ts";
import type { Rows, SeriesRequest } from "#service/ports/telemetry-store.ts";
import type { Call } from "#service/ports.ts";
import { deviceAttributes, findAttribute, findDevice, type NowNeeds } from "#service/telemetry/read-now.ts";

/** One requested column, with settings already merged. */
export interface AskedSeries {
  /** Id or slug. */
  readonly device: string;
  readonly attribute: string;
  readonly aggregation: Aggregation;
  /** With a calendar, no bucket is shorter. */
  readonly granularityMs: number;
  readonly calendar: Calendar | undefined;
  readonly lookAroundMs: number | undefined;
  /** Places in the request, for problems: the item, and where its settings come from. */
  readonly pointer: string;
  readonly aggregationPointer: string;
  readonly granularityPointer: string;
}

const MAX_ROWS = 1_000_000;

export interface Timeseries {
  readonly columns: readonly {
    /** Index of the requested series. `min_max` gives a column of each. */
    readonly series: number;
    readonly aggregation: ResolvedAggregation;
    readonly type: ColumnType;
  }[];
  /** The rows as bytes. */
  readonly render: (rendering: Rendering) => Promise<Rows<Uint8Array>>;
}

export interface AskedTimeseries {
  readonly from: FineTime;
  readonly to: FineTime;
  readonly series: readonly AskedSeries[];
  /** Problems found so far. */
  readonly refusals: readonly Refusal[];
}

/** A refusal lists everything that is wrong at once. */
export async function readTimeseries(
  needs: NowNeeds,
  call: Call,
  { from, to, series, refusals: known }: AskedTimeseries,
): Promise<Timeseries> {
  const refusals = [...known];
  const items: SeriesRequest["items"][number][] = [];
  const columns: Timeseries["columns"][number][] = [];
  for (const [index, asked] of series.entries()) {
    const resolved = await resolve(needs, call, asked);
    if ("code" in resolved) refusals.push(resolved);
    else {
      for (const { item, type } of resolved) {
        items.push(item);
        columns.push({ series: index, aggregation: item.aggregation, type });
      }
    }
  }
  // A caller that may not read one of them learns that first.
  const [first, ...others] = refusals.sort((a, b) => Number(b.code === "forbidden") - Number(a.code === "forbidden"));
  if (first !== undefined) throw new AppError([first, ...others]);
  const requester = requesterOf(call.caller, call.remoteAddress).key;
  const request = { requester, from, to, items };
  const buckets = items.reduce((sum, { granularityMs }) => sum + (to - from) / granularityMs + 1, 0);
  // Few points over a long range give few rows, however fine the buckets: only then is counting worthwhile.
  if (buckets > MAX_ROWS && (await needs.telemetry.rowBound(request)) > MAX_ROWS) {
    const finest = series.reduce((a, b) => (b.granularityMs < a.granularityMs ? b : a));
    throw refuse("invalid_body", `more than ${MAX_ROWS} rows: take a coarser granularity or a shorter range`, {
      pointer: finest.granularityPointer,
    });
  }
  return { columns, render: (rendering) => needs.telemetry.query(request, rendering) };
}

async function resolve(
  needs: NowNeeds,
  call: Call,
  asked: AskedSeries,
): Promise<Refusal | readonly { readonly item: SeriesRequest["items"][number]; readonly type: ColumnType }[]> {
  const place = { device: asked.device, attribute: asked.attribute, pointer: asked.pointer };
  const device = await findDevice(needs, call, place);
  if ("code" in device) return device;
  const inside = { ...call, caller: narrow(call.caller, device.siteId) };
  const attribute = findAttribute(await deviceAttributes(needs, device), inside, place);
  if ("code" in attribute) return attribute;
  const aggregations = resolveAggregation(asked.aggregation, attribute.type);
  if (aggregations.length === 0) {
    return {
      code: "invalid_body",
      message: `${asked.attribute} is of type ${attribute.type}, which has no ${asked.aggregation}; it has ${allowedAggregations(attribute.type).join(", ")}`,
      details: { ...place, pointer: asked.aggregationPointer },
    };
  }
  return aggregations.map((aggregation) => ({
    item: {
      deviceId: device.id,
      attribute: attribute.id,
      kind: columnKind(attribute.type),
      aggregation,
      granularityMs: asked.granularityMs,
      calendar: asked.calendar,
      lookAroundMs: asked.lookAroundMs,
    },
    type: resultType(aggregation, attribute.type),
  }));
}
