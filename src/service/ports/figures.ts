import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { DroppedHistory } from "#core/link/gateway-figures.ts";
import type { Instant } from "#core/time/instant.ts";

/** What the installation counts when somebody asks. What only this node knows says so. */
export interface Figures {
  /** `unknown`: not heard of since the start of this node. */
  readonly devices: Readonly<Record<"online" | "offline" | "unknown", number>>;
  /** Active ones. */
  readonly alerts: ReadonlyMap<AlertSeverity, number>;
  /** Of this node. */
  readonly openExecutions: number;
  /** Of this node; undefined with an external broker, which does not report it. */
  readonly mqtt: { readonly connections: number; readonly signIns: SignInCounts } | undefined;
  /** Deliveries that wait for their first or next attempt. */
  readonly waitingDeliveries: number;
  readonly notifications: NotificationFigures;
  /** What the cloud has not confirmed; undefined where this gateway has joined none. */
  readonly uplink: UplinkFigures | undefined;
  /** Gateways that are connected to this cloud. */
  readonly connectedGateways: number | undefined;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number };
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  /** Sealed chunks of telemetry. */
  readonly chunks: number;
  /** When the certificate of each server with TLS ends. */
  readonly certificates: ReadonlyMap<"http" | "mqtt", Instant>;
  /** Since the start; undefined where nobody collects them. */
  readonly spans: { readonly sent: number; readonly dropped: number } | undefined;
}

/** Messages to people, by kind of channel. */
export interface NotificationFigures {
  /** Of this node, since its start. Failed are those that were given up, and those of which nobody knows. */
  readonly sent: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, number>;
  readonly waiting: readonly { readonly kind: string; readonly count: number; readonly oldestMs: number }[];
}

/** Since the start. */
export interface SignInCounts {
  readonly accepted: number;
  readonly refused: number;
}

interface UplinkFigures {
  readonly isConnected: boolean;
  readonly changes: number;
  readonly messages: number;
  readonly hours: number;
  /** What the cloud never gets, since joining. */
  readonly dropped: DroppedHistory;
}
