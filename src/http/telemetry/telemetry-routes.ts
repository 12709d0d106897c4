import { Readable } from "node:stream";
import { refuse } from "#core/app-error.ts";
import { duration, mapOf } from "#http/query.ts";
import { RawAnswer, type Route, route, StreamAnswer } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { renderSnapshot, renderSnapshots } from "#http/telemetry/snapshot-wire.ts";
import { parseTimeseries, renderHeader, timeseriesSchema } from "#http/telemetry/timeseries-wire.ts";
import type { Rows } from "#service/ports/telemetry-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type Now, type NowNeeds, readNow } from "#service/telemetry/read-now.ts";
import { readTimeseries } from "#service/telemetry/read-timeseries.ts";

const tag = "Telemetry";
const snapshots = Type.Object(
  {},
  { additionalProperties: true, description: "Device to attribute to { value, timestamp }." },
);
const devices = {
  "devices[]": mapOf("devices[<device>]=<attribute>,<attribute>: the attributes to read of each device."),
};

export interface TelemetryNeeds extends NowNeeds, Pick<Needs, "now"> {
  /** First part of the name of the answer's own header. */
  readonly headerPrefix: string;
}

export function telemetryRoutes(needs: TelemetryNeeds): readonly Route[] {
  const now = (call: Call, asked: ReadonlyMap<string, readonly string[]> | undefined): Promise<Now> => {
    if (asked === undefined || asked.size === 0) {
      throw refuse("invalid_query", "name at least one device: devices[<device>]=<attribute>,<attribute>", {
        parameter: "devices",
      });
    }
    return readNow(needs, call, asked);
  };
  return [
    route({
      method: "GET",
      path: "/telemetry/v1/now",
      operation: "getCurrentTelemetry",
      summary: "Get current telemetry values",
      description: "What cannot be read is told in errors beside what can.",
      tag,
      access: "readonly",
      query: devices,
      answer: Type.Object(
        { devices: snapshots, errors: Type.Array(Type.Object({}, { additionalProperties: true })) },
        { additionalProperties: false },
      ),
      handle: async (call) => {
        const { devices, errors } = await now(call, call.query["devices[]"]);
        return { devices: renderDevices(devices), errors };
      },
    }),
    route({
      method: "GET",
      path: "/v3/telemetry/latest",
      operation: "getLatestTelemetry",
      summary: "Get current telemetry values, the ecosystem's way",
      description: "What cannot be read is an empty object.",
      tag,
      access: "readonly",
      query: { ...devices, relevance_interval: duration("Leaves out what is older than this.") },
      answer: Type.Object({ telemetry: snapshots }, { additionalProperties: false }),
      handle: async (call) => {
        const asked = call.query["devices[]"];
        const { devices } = await now(call, asked);
        const limit = needs.now() - (call.query.relevance_interval ?? Number.POSITIVE_INFINITY);
        return { telemetry: renderLatest(asked ?? new Map(), devices, (at) => at >= limit) };
      },
    }),
    route({
      method: "POST",
      path: "/telemetry/v1/timeseries",
      operation: "getTimeseries",
      summary: "Get time series",
      description: "Answers CSV: a header row, then a row per bucket, in order of time.",
      tag,
      access: "readonly",
      body: timeseriesSchema,
      answer: { contentType: "text/csv", description: "The rows." },
      handle: async (call) => {
        const input = parseTimeseries(call.body);
        const { columns, render } = await readTimeseries(needs, call, input);
        const rows = await render({ renderer: "csv", settings: { header: renderHeader(input, columns) } });
        const headers = {
          [`${needs.headerPrefix}-Timeseries-Data-Types`]: columns.map((column) => column.type).join(","),
        };
        const { value: first } = await rows.next();
        // A short answer is sent in one piece: a stream costs more than everything else of a small answer.
        if (first.isLast) return new RawAnswer("text/csv", first.piece, headers);
        return new StreamAnswer("text/csv", Readable.from(bytesOf(first.piece, rows)), headers);
      },
    }),
  ];
}

/**
 * Not a generator: a generator that has not begun, or that waits for its next piece, does not pass `return` on at once.
 */
function bytesOf(first: Uint8Array, rows: Rows<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  let ready: Uint8Array | undefined = first;
  const bytes: AsyncIterableIterator<Uint8Array> = {
    async next() {
      for (;;) {
        const piece = ready;
        ready = undefined;
        if (piece !== undefined && piece.length > 0) return { done: false, value: piece };
        const { done, value } = await rows.next();
        if (done) return { done, value: undefined };
        ready = value.piece;
      }
    },
    async return() {
      await rows.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => bytes,
  };
  return bytes;
}

/** Every requested attribute has its object; it is empty when there is no value. */
function renderLatest(
  asked: ReadonlyMap<string, readonly string[]>,
  found: Now["devices"],
  isRelevant: (at: number) => boolean,
): object {
  const rendered: Record<string, object> = Object.create(null);
  for (const [device, names] of asked) {
    const values: Record<string, object> = Object.create(null);
    for (const name of names) {
      const snapshot = found.get(device)?.get(name);
      values[name] = snapshot !== undefined && isRelevant(snapshot.at) ? renderSnapshot(snapshot) : {};
    }
    rendered[device] = values;
  }
  return rendered;
}

function renderDevices(devices: Now["devices"]): object {
  const rendered: Record<string, object> = Object.create(null);
  for (const [device, attributes] of devices) rendered[device] = renderSnapshots(attributes);
  return rendered;
}
