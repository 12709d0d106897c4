// Messages of devices, already parsed, whatever carried them. Their values are not yet checked against the blueprint.
import type { Payload, ResponseState } from "#core/command/execution.ts";
import type { FineTime } from "#core/time/instant.ts";

/** Telemetry and properties have the same form. */
export interface ValuesMessage {
  /** When the values were taken, by the device's clock; undefined means now. Fractions of a millisecond are kept. */
  readonly takenAt: FineTime | undefined;
  /** Name to value, the reserved `alerts` of telemetry included. */
  readonly values: ReadonlyMap<string, unknown>;
}

export const LOG_SEVERITIES = ["debug", "info", "warning", "error"] as const;
export type LogSeverity = (typeof LOG_SEVERITIES)[number];

/** In any case, and with `warn`, which published scripts write for warning. Undefined for every other word. */
export function parseSeverity(text: string): LogSeverity | undefined {
  const word = text.toLowerCase();
  return word === "warn" ? "warning" : LOG_SEVERITIES.find((severity) => severity === word);
}

export interface LogMessage {
  readonly takenAt: FineTime | undefined;
  readonly severity: LogSeverity;
  readonly text: string;
  /** Kept for the retention of logs; the others are only shown live and for a short while. */
  readonly persist: boolean;
}

export interface ResponseMessage {
  readonly executionId: string;
  readonly state: ResponseState;
  readonly payload: Payload | undefined;
  /** The carrier says that it may have delivered this before. */
  readonly repeated: boolean;
}
