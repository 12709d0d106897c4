// Every point of devices in a period, a device after the other, as bytes that come while they are read. Nothing is
// collected, so there is no limit of rows.
import { refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { requesterOf } from "#core/share/requester.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import type { PointShape, PointTime } from "#core/telemetry/render/points.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { Instant } from "#core/time/instant.ts";
import type { SeriesRequest } from "#service/ports/telemetry-store.ts";
import type { Call } from "#service/ports.ts";
import { deviceAttributes, findAttribute, type NowNeeds, readableAttributes } from "#service/telemetry/read-now.ts";

export interface AskedExport {
  readonly from: Instant;
  readonly to: Instant;
  /** Ids or aliases; undefined means all that the caller may read. */
  readonly attributes: readonly string[] | undefined;
  readonly form: "csv" | "jsonl" | "parquet";
  readonly shape: PointShape;
  readonly time: PointTime;
  readonly timezone: string;
}

/** A bucket of one millisecond holds one point: points have times in whole milliseconds. */
const ONE_POINT = { aggregation: "last", granularityMs: 1, lookAroundMs: undefined } as const;

/** Refuses before the first byte. Devices that have none of the attributes are passed over, unless all are. */
export async function exportTelemetry(
  needs: NowNeeds,
  call: Call,
  { devices, asked }: { readonly devices: readonly Device[]; readonly asked: AskedExport },
): Promise<AsyncIterable<Uint8Array>> {
  if (asked.form === "parquet" && (asked.shape === "long" || devices.length !== 1)) {
    throw refuse("invalid_query", "Parquet exports one device per file, in the wide shape", { parameter: "form" });
  }
  if (asked.shape === "wide" && devices.length !== 1) {
    throw refuse("invalid_query", "a wide table has the attributes of one device; take the shape long", {
      parameter: "shape",
    });
  }
  const plans: ExportPlan[] = [];
  for (const device of devices) {
    const plan = await planDevice(needs, call, { device, asked, isOnly: devices.length === 1 });
    if (plan.attributes.length > 0) plans.push(plan);
  }
  return bytesOf(needs, { asked, plans, requester: requesterOf(call.caller, call.remoteAddress).key });
}

interface ExportPlan {
  readonly device: Device;
  /** As they are named in the file. */
  readonly attributes: readonly string[];
  readonly items: SeriesRequest["items"];
}

async function planDevice(
  needs: NowNeeds,
  call: Call,
  { device, asked, isOnly }: { readonly device: Device; readonly asked: AskedExport; readonly isOnly: boolean },
): Promise<ExportPlan> {
  const known = await deviceAttributes(needs, device);
  const wanted = asked.attributes ?? (await readableAttributes(needs, call, device));
  const found = wanted.flatMap((name) => {
    const attribute = findAttribute(known, call, { device: device.slug, attribute: name });
    if (!("code" in attribute)) return [{ name, attribute }];
    if (isOnly || attribute.code === "forbidden") throw refuse(attribute.code, attribute.message, attribute.details);
    return [];
  });
  return {
    device,
    attributes: found.map(({ name }) => name),
    items: found.map(({ attribute: { id, type } }) => ({
      deviceId: device.id,
      attribute: id,
      kind: columnKind(type),
      ...ONE_POINT,
    })),
  };
}

async function* bytesOf(
  { telemetry }: NowNeeds,
  { asked, plans, requester }: { asked: AskedExport; plans: readonly ExportPlan[]; requester: string },
): AsyncGenerator<Uint8Array> {
  const { from, to } = asked;
  for (const [index, plan] of plans.entries()) {
    const request = { requester, from, to, items: plan.items };
    for await (const { piece } of await telemetry.query(request, renderingOf(asked, plan, index === 0))) {
      if (piece.length > 0) yield piece;
    }
  }
}

function renderingOf(asked: AskedExport, { device, attributes, items }: ExportPlan, isFirst: boolean): Rendering {
  const { form, shape, time, timezone } = asked;
  if (form !== "parquet") {
    return { renderer: "points", settings: { form, shape, time, timezone, device: device.slug, attributes, isFirst } };
  }
  const columns = attributes.map((name, i) => ({ name, kind: items[i]?.kind ?? "text" }));
  return { renderer: "parquet", settings: { columns, notes: { device: device.slug } } };
}
