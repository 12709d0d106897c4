import { renderInstant } from "#core/time/instant.ts";
import { renderAlert } from "#http/alert/alert-wire.ts";
import { renderExecution, renderMicros } from "#http/command/command-wire.ts";
import { renderRuntime } from "#http/device/runtime-wire.ts";
import { renderSnapshots } from "#http/telemetry/snapshot-wire.ts";
import type { PlacedEvent } from "#service/event/event-hub.ts";
import type { CurrentValue } from "#service/telemetry/read-now.ts";

/** As it is sent. */
export function renderEvent(event: PlacedEvent, id: string): Buffer {
  return Buffer.from(`id: ${id}\nevent: ${event.kind}\ndata: ${JSON.stringify(renderEventData(event))}\n\n`);
}

interface LiveTelemetry {
  readonly siteId: string;
  readonly deviceId: string;
  readonly values: ReadonlyMap<string, CurrentValue>;
}

/** Without an id: a client that reconnects resumes after the last event, and telemetry is not repeated. */
export function renderTelemetryEvent({ siteId, deviceId, values }: LiveTelemetry): Buffer {
  const data = JSON.stringify({ site_id: siteId, device_id: deviceId, telemetry: renderSnapshots(values) });
  return Buffer.from(`${TELEMETRY_START}${data}${EVENT_END}`);
}

const TELEMETRY_START = "event: telemetry\ndata: ";
const EVENT_END = "\n\n";

/** The JSON of a telemetry event, without a copy. */
export function telemetryData(text: Buffer): Buffer {
  return text.subarray(TELEMETRY_START.length, -EVENT_END.length);
}

/** The content of an event, wherever it is sent. */
export function renderEventData(event: PlacedEvent): object {
  return { site_id: event.siteId, device_id: event.deviceId, ...renderHappening(event) };
}

function renderHappening(event: PlacedEvent): object {
  switch (event.kind) {
    case "execution":
      return { execution: renderExecution(event.execution) };
    case "connectivity":
      return { connectivity: { status: event.status }, at: renderInstant(event.at) };
    case "runtime":
      return { runtime: renderRuntime(event.status), at: renderInstant(event.at) };
    case "alert":
      return { change: event.change, at: renderInstant(event.at), alert: renderAlert(event.alert) };
    case "log":
      return {
        log: { severity: event.entry.severity, message: event.entry.message },
        timestamp: renderInstant(event.entry.takenAt),
        received_at: renderMicros(event.entry.receivedAt),
      };
  }
}
