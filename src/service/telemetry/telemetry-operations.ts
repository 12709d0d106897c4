import { Readable } from "node:stream";
import { AppError, refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { EventStreams } from "#service/event/event-streams.ts";
import { webSocketMessages } from "#service/event/stream-format.ts";
import { DisposableAnswer, DisposableStream, RawAnswer, StreamAnswer } from "#service/operation/answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { duration, mapOf } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import type { Rows } from "#service/ports/telemetry-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { foldMissingSeries } from "#service/telemetry/fold-missing-series.ts";
import { type Now, type NowNeeds, readableAttributes, readNow } from "#service/telemetry/read-now.ts";
import { readTimeseries } from "#service/telemetry/read-timeseries.ts";
import { renderSnapshot, renderSnapshots } from "#service/telemetry/snapshot-wire.ts";
import { contentTypeOf, OTHER_TYPES, preferredForm, renderingOf } from "#service/telemetry/timeseries-form.ts";
import { parseTimeseries, timeseriesMistakes, timeseriesSchema } from "#service/telemetry/timeseries-wire.ts";

const tag = "Telemetry";
const snapshots = Type.Object(
  {},
  { additionalProperties: true, description: "Device to attribute to { value, timestamp }." },
);
const devices = {
  "devices[]": mapOf("devices[<device>]=<attribute>,<attribute>: the attributes to read of each device."),
};

const FORM_TYPES = ["text/csv", ...OTHER_TYPES];

/** The ecosystem's default. */
const RELEVANCE_MS = 30_000;

/** Refused items of one call that get into the audit log. */
const MAX_NOTED = 20;

export interface TelemetryNeeds extends NowNeeds, Pick<Needs, "now"> {
  readonly refusals: Pick<RefusalLog, "note">;
  readonly eventStreams: EventStreams;
}

export function telemetryOperations(needs: TelemetryNeeds): readonly Operation[] {
  const now = async (call: Call, asked: ReadonlyMap<string, readonly string[]> | undefined): Promise<Now> => {
    if (asked === undefined || asked.size === 0) {
      throw refuse("invalid_query", "name at least one device: devices[<device>]=<attribute>,<attribute>", {
        parameter: "devices",
      });
    }
    const found = await readNow(needs, call, asked);
    const { caller, operation: action, requestId, remoteAddress, door } = call;
    for (const item of found.refused.slice(0, MAX_NOTED)) {
      needs.refusals.note({ caller, action, requestId, remoteAddress, door, ...item });
    }
    return found;
  };
  return [
    operation({
      method: "GET",
      path: "/telemetry/v1/now",
      name: "getCurrentTelemetry",
      summary: "Get current telemetry values",
      description: "`errors` lists what cannot be read, beside what can.",
      tag,
      level: "readonly",
      query: devices,
      answer: Type.Object(
        { devices: snapshots, errors: Type.Array(Type.Object({}, { additionalProperties: true })) },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const { devices, errors } = await now(call, call.query["devices[]"]);
        return { devices: renderDevices(devices), errors };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/telemetry/latest",
      name: "getLatestTelemetry",
      summary: "Get current telemetry values, the ecosystem's way",
      description: "What cannot be read, or is older than the relevance interval, is an object with a warning.",
      tag,
      level: "readonly",
      query: { ...devices, relevance_interval: duration("How old a value may be. Default 30s.") },
      answer: Type.Object({ telemetry: snapshots }, { additionalProperties: false }),
      run: async (call) => {
        const asked = call.query["devices[]"];
        const found = await now(call, asked);
        const limit = needs.now() - (call.query.relevance_interval ?? RELEVANCE_MS);
        return { telemetry: renderLatest(asked ?? new Map(), found, limit) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/telemetry",
      name: "getDeviceTelemetry",
      summary: "Get all current telemetry values of a device",
      description:
        "Those that the token's level may read and that have a value. Live: the events of kind telemetry, or this path " +
        "as a WebSocket, which sends the newest values at most four times a second.",
      tag,
      level: "readonly",
      answer: Type.Object(
        {
          telemetry: Type.Object({}, { additionalProperties: true, description: "Attribute to { value, timestamp }." }),
        },
        { additionalProperties: false },
      ),
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const names = await readableAttributes(needs, call, device);
        const { devices } = await readNow(needs, call, new Map([[device.id, names]]));
        return { telemetry: renderSnapshots(devices.get(device.id) ?? new Map()) };
      },
      live: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const chosen = { "kind.in": ["telemetry"], "site_id.in": undefined, "device_id.in": [device.id] };
        const format = webSocketMessages(() => undefined);
        return needs.eventStreams.open(call, { chosen, lastEventId: undefined, format });
      },
    }),
    operation({
      method: "POST",
      path: "/telemetry/v1/timeseries",
      name: "getTimeseries",
      summary: "Get time series",
      description:
        "Answers CSV: a header row, then a row per bucket, in order of time. Accept chooses another form: " +
        "application/json, application/jsonl or application/vnd.apache.parquet.",
      tag,
      level: "readonly",
      body: timeseriesSchema,
      moreMistakes: timeseriesMistakes,
      headers: { Accept: { description: "The form of the answer.", schema: { type: "string", enum: FORM_TYPES } } },
      answer: {
        contentType: "text/csv",
        otherTypes: OTHER_TYPES,
        description: "The rows.",
        headers: {
          "{prefix}-Timeseries-Data-Types": {
            description:
              "The type of each column after the first, separated by commas: float, integer, string or boolean.",
            schema: { type: "string" },
          },
        },
      },
      run: async (call) => {
        const input = parseTimeseries(call.body);
        const { columns, render } = await readTimeseries(needs, call, input).catch((error: unknown) => {
          const isOurs = !(error instanceof AppError) || call.headerPrefix() === "X-Service";
          throw isOurs ? error : foldMissingSeries(error, "unprocessable_entity");
        });
        const form = preferredForm(call.header("accept"));
        const rows = await render(renderingOf(form, input, columns));
        const headers = { ...renderDataTypes(call.headerPrefix(), columns), Vary: "Accept" };
        const { value: first } = await rows.next();
        // A short answer is sent in one piece: a stream costs more than everything else of a small answer.
        if (first.isLast) {
          const Answer = first.isOwn === true ? DisposableAnswer : RawAnswer;
          return new Answer(contentTypeOf(form), first.piece, headers);
        }
        const Answer = first.isOwn === true ? DisposableStream : StreamAnswer;
        return new Answer(contentTypeOf(form), Readable.from(bytesOf(first.piece, rows)), headers);
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

/** One line, as the interface says. The clients of other families read one line for each column. */
function renderDataTypes(prefix: string, columns: readonly { readonly type: string }[]) {
  const types = columns.map((column) => column.type);
  return { [`${prefix}-Timeseries-Data-Types`]: prefix === "X-Service" ? types.join(",") : types };
}

/** Every requested attribute has its object, never null. Without a value or a fresh one it says why, and has no timestamp. */
function renderLatest(asked: ReadonlyMap<string, readonly string[]>, { devices, errors }: Now, oldest: number): object {
  const problems = new Map(
    errors.map(({ message, details }) => [keyOf(details?.["device"], details?.["attribute"]), message]),
  );
  const rendered: Record<string, object> = Object.create(null);
  for (const [device, names] of asked) {
    const values: Record<string, object> = Object.create(null);
    for (const name of names) {
      const snapshot = devices.get(device)?.get(name);
      if (snapshot === undefined)
        values[name] = { warning: problems.get(keyOf(device.slice(0, 100), name)) ?? "it has no value" };
      else if (snapshot.at >= oldest) values[name] = renderSnapshot(snapshot);
      else
        values[name] = {
          warning: `the latest value is of ${renderInstant(snapshot.at)}, older than relevance_interval`,
        };
    }
    rendered[device] = values;
  }
  return rendered;
}

function keyOf(device: unknown, attribute: unknown): string {
  return JSON.stringify([device, attribute]);
}

function renderDevices(devices: Now["devices"]): object {
  const rendered: Record<string, object> = Object.create(null);
  for (const [device, attributes] of devices) rendered[device] = renderSnapshots(attributes);
  return rendered;
}
