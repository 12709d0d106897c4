import { renderInstant } from "#core/time/instant.ts";
import { renderExecution, renderMicros } from "#http/command/command-wire.ts";
import { renderAlert } from "#http/telemetry/alert-wire.ts";
import type { LiveEvent } from "#service/event/event-hub.ts";

export interface Chosen {
  readonly "kind.in": readonly string[] | undefined;
  readonly "site_id.in": readonly string[] | undefined;
  readonly "device_id.in": readonly string[] | undefined;
}

export function choosesEvent(chosen: Chosen, event: LiveEvent): boolean {
  return (
    (chosen["kind.in"]?.includes(event.kind) ?? true) &&
    (chosen["site_id.in"]?.includes(event.siteId) ?? true) &&
    (chosen["device_id.in"]?.includes(event.deviceId) ?? true)
  );
}

export function renderEvent(event: LiveEvent, runId: string): string {
  const data = JSON.stringify({ site_id: event.siteId, device_id: event.deviceId, ...renderHappening(event) });
  return `id: ${runId}:${event.sequence}\nevent: ${event.kind}\ndata: ${data}\n\n`;
}

function renderHappening(event: LiveEvent): object {
  switch (event.kind) {
    case "execution":
      return { execution: renderExecution(event.execution) };
    case "connectivity":
      return { connectivity: { status: event.status }, at: renderInstant(event.at) };
    case "alert":
      return { change: event.change, at: renderInstant(event.at), alert: renderAlert(event.alert) };
    case "log":
      return {
        log: { severity: event.entry.severity, message: event.entry.message },
        timestamp: event.entry.takenAt / 1000,
        received_at: renderMicros(event.entry.receivedAt),
      };
  }
}
