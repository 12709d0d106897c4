import { styleText } from "node:util";
import { describeRuntime } from "#cli/describe-runtime.ts";
import { renderPayload } from "#cli/execution/render-payload.ts";
import { renderValue } from "#cli/render-value.ts";
import type { LiveEvent } from "#client/live-event.ts";
import type { Control } from "#client/resources.ts";
import { printable } from "#core/text/printable.ts";
import { renderAlertDetails } from "./render-alert-details.ts";

export type Happening = Extract<LiveEvent, { readonly site_id: string }>;

/** What an event of a site is about. */
export const sourceOf = (event: Extract<Happening, { readonly kind: "rule" | "notification" }>): string =>
  event.kind === "rule" ? event.slug : event.source.slug;

/** One line; `name` is what to call the device. */
export function renderEvent(event: Happening, name: string, colour: boolean): string {
  const head = `${timeOf(event)}  ${event.kind.padEnd("configuration".length)}  ${printable(name)}`;
  return `${colour ? styleText("dim", head, { validateStream: false }) : head}  ${printable(textOf(event))}`;
}

/** What to say where events are missing. */
export function missed({ kinds }: Extract<LiveEvent, { readonly kind: "gap" }>): string {
  return `some events were missed${kinds === undefined ? "" : ` (${printable(kinds.join(", "))})`}`;
}

function timeOf(event: Happening): string {
  switch (event.kind) {
    case "execution":
      return event.execution.response?.received_at ?? event.execution.created_at;
    case "connectivity":
    case "control":
    case "runtime":
    case "alert":
    case "notification":
    case "device":
    case "change":
    case "bulk":
    case "configuration":
      return event.at;
    case "rule":
      return event.last_run?.at ?? event.explanation?.at ?? "";
    case "log":
      return event.received_at;
    case "telemetry":
      return newestTime(Object.values(event.telemetry));
  }
}

function newestTime(snapshots: readonly { readonly timestamp: number }[]): string {
  return new Date(Math.max(0, ...snapshots.map(({ timestamp }) => timestamp)) * 1000).toISOString();
}

function textOf(event: Happening): string {
  switch (event.kind) {
    case "execution": {
      const { request, state, id, response } = event.execution;
      return `${request.name} ${state} ${renderPayload(response?.payload)} (${id})`.replace("  ", " ");
    }
    case "connectivity":
      return event.connectivity.status;
    case "control":
      return describeControl(event.control);
    case "runtime":
      return describeRuntime(event.runtime);
    case "alert": {
      const { id, display_name, severity, state } = event.alert;
      const details = renderAlertDetails(event.alert);
      const more = details === undefined ? "" : `: ${details}`;
      return `${event.change} ${severity} ${state} ${display_name} (${id})${more}`;
    }
    case "notification":
      return `${event.severity}: ${event.title === null ? "" : `${event.title}: `}${event.text}`;
    case "rule":
      return `${event.state}${event.last_run === null ? "" : `, ${event.last_run.outcome}: ${event.last_run.why}`}`;
    case "device":
      return event.change;
    case "change":
      return `${event.change.operation} ${event.change.state} (${event.change.id})`;
    case "bulk":
      return event.bulk.has_ended
        ? `bulk command ${event.bulk.id} ended: ${event.bulk.state}`
        : `${event.device.state} ${event.device.message ?? ""} (${event.bulk.id})`.replace("  ", " ");
    case "configuration":
      return `${event.bucket} changed`;
    case "log":
      return `${event.log.severity}: ${event.log.message}`;
    case "telemetry":
      return Object.entries(event.telemetry)
        .map(([name, { value }]) => `${name}=${renderValue(value)}`)
        .join(" ");
  }
}

function describeControl({ id, value, unit, winner, until, follow }: Control): string {
  if (value === null) return `${id}: nobody controls it`;
  const by = winner === null ? "limits" : winner.class;
  const why = winner === null || winner.reason === "" ? "" : ` (${winner.reason})`;
  return `${id} ${value}${unit === null ? "" : ` ${unit}`} by ${by}${why} until ${until ?? "?"}, ${follow}`;
}
