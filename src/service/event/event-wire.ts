import { type EventKind, NO_DEVICE } from "#core/event/event.ts";
import { type EventFilter, selectsKind } from "#core/event/event-filter.ts";
import { renderInstant } from "#core/time/instant.ts";
import { renderAlert } from "#service/alert/alert-wire.ts";
import { renderMember } from "#service/bulk/bulk-wire.ts";
import { renderExecution, renderMicros } from "#service/command/command-wire.ts";
import { renderRuntime } from "#service/device/runtime-wire.ts";
import type { Happening, PublishedEvent } from "#service/event/happening.ts";
import { renderGatewayChange } from "#service/link/change-wire.ts";
import { renderNotification } from "#service/notification/notification-wire.ts";
import type { CurrentValue } from "#service/telemetry/read-now.ts";
import { renderSnapshots } from "#service/telemetry/snapshot-wire.ts";

/** As it is sent. Without an id a client that reconnects does not resume after it. */
export function renderEvent(event: PublishedEvent, id?: string): Buffer {
  const data = "data" in event ? event.data : JSON.stringify(renderHappening(event));
  return Buffer.from(`${id === undefined ? "" : `id: ${id}\n`}event: ${event.kind}\ndata: ${data}\n\n`);
}

/** Says that some events of these kinds are missing; undefined when the listener does not ask for any of them. */
export function renderGap(filter: EventFilter, among: readonly EventKind[]): Buffer | undefined {
  const kinds = among.filter((kind) => selectsKind(filter, kind));
  return kinds.length === 0 ? undefined : Buffer.from(`event: gap\ndata: ${JSON.stringify({ kinds })}\n\n`);
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
export function renderHappening(happening: Happening): object {
  const { siteId, deviceId } = happening;
  const place = deviceId === NO_DEVICE ? { site_id: siteId } : { site_id: siteId, device_id: deviceId };
  return { ...place, ...renderContent(happening) };
}

function renderContent(happening: Happening): object {
  switch (happening.kind) {
    case "execution":
      return { execution: renderExecution(happening.execution) };
    case "connectivity":
      return { connectivity: { status: happening.status }, at: renderInstant(happening.at) };
    case "runtime":
      return { runtime: renderRuntime(happening.status), at: renderInstant(happening.at) };
    case "control":
      return { control: happening.control, at: renderInstant(happening.at) };
    case "rule":
      return happening.rule;
    case "notification":
      return renderNotification(happening.notification);
    case "alert":
      return { change: happening.change, at: renderInstant(happening.at), alert: renderAlert(happening.alert) };
    case "device":
      return { change: happening.change, at: renderInstant(happening.at) };
    case "change":
      return { change: renderGatewayChange(happening.change), at: renderInstant(happening.at) };
    case "bulk": {
      const { bulk, member, at } = happening;
      const { state, endedAt } = bulk;
      return {
        bulk: { id: bulk.id, state, has_ended: endedAt !== undefined },
        device: renderMember(member),
        at: renderInstant(at),
      };
    }
    case "configuration":
      return { bucket: happening.bucket, at: renderInstant(happening.at) };
    case "log":
      return {
        log: { severity: happening.entry.severity, message: happening.entry.message },
        timestamp: renderInstant(happening.entry.takenAt),
        received_at: renderMicros(happening.entry.receivedAt),
      };
  }
}
