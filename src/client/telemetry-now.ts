import type { ErrorItem } from "./errors.ts";
import { callOf } from "./perform.ts";
import type { Snapshot } from "./resources.ts";
import type { Transport } from "./transport.ts";

export type Now = {
  /** Device to attribute to value, by the names as asked. */
  readonly devices: Readonly<Record<string, Readonly<Record<string, Snapshot>>>>;
  readonly errors: readonly ErrorItem[];
};

/** The newest values of attributes, by device. */
export const currentTelemetry = ({ json }: Transport, devices: Readonly<Record<string, readonly string[]>>) =>
  json<Now>(callOf("getCurrentTelemetry", { query: { devices } }));

/** All values that the device has and the caller may read, by attribute. */
export const deviceTelemetry = ({ json }: Transport, device_id: string) =>
  json<{ readonly telemetry: Readonly<Record<string, Snapshot>> }>(
    callOf("getDeviceTelemetry", { params: { device_id } }),
  );
