import type { Alert } from "./alert.ts";
import type { ConnectivityStatus, DeviceLogEntry, DeviceRuntime } from "./device.ts";
import type { Execution } from "./execution.ts";
import type { GatewayChange } from "./gateway.ts";

/** What happened, and to what. */
type Happening<Kind extends string, What> = { readonly kind: Kind } & {
  readonly site_id: string;
  readonly device_id: string;
} & What;

export type LiveEvent =
  /** Connected, for the first time or again. */
  | { readonly kind: "open" }
  /** The connection is lost; another one is tried. */
  | { readonly kind: "lost" }
  /** Some events could not be kept: state that was built from events must be read again. */
  | { readonly kind: "gap"; readonly kinds?: readonly EventKind[] }
  | Happening<"execution", { readonly execution: Execution }>
  | Happening<"connectivity", { readonly connectivity: { readonly status: ConnectivityStatus }; readonly at: string }>
  | Happening<"device", { readonly change: "created" | "updated" | "deleted"; readonly at: string }>
  /** The values of a bucket were replaced. */
  | Happening<"configuration", { readonly bucket: string; readonly at: string }>
  /** A change that the gateway of the device was asked for is settled. */
  | Happening<"change", { readonly change: GatewayChange; readonly at: string }>
  | Happening<"runtime", { readonly runtime: DeviceRuntime; readonly at: string }>
  /** The newest value of attributes that changed, at most four times a second; never repeated. */
  | Happening<
      "telemetry",
      {
        readonly telemetry: Readonly<
          Record<string, { readonly value: string | number | boolean | readonly string[]; readonly timestamp: number }>
        >;
      }
    >
  | Happening<
      "alert",
      {
        readonly change: "raised" | "hardened" | "unconfirmed" | "confirmed" | "cleared";
        readonly at: string;
        readonly alert: Alert;
      }
    >
  | Happening<
      "log",
      { readonly log: Pick<DeviceLogEntry, "severity" | "message"> } & Pick<DeviceLogEntry, "timestamp" | "received_at">
    >;

export type EventKind = Extract<LiveEvent, { readonly device_id: string }>["kind"];
