// What a gateway that has joined a cloud reports about itself, as telemetry of the device that stands for it.
import { type Instant, instant } from "#core/time/instant.ts";

export interface GatewayFigures {
  readonly isConnected: boolean;
  readonly version: string;
  readonly uptimeMs: number;
  /** What the cloud has not confirmed. */
  readonly backlog: LinkBacklog;
  /** All telemetry before this time has yet to be uploaded, too. It may lie ahead. */
  readonly historyBefore: Instant | undefined;
  /** Hours or days of devices that the cloud never gets, since joining. */
  readonly dropped: DroppedHistory;
  readonly load: {
    /** Share of time, 0 to 1, in which the main thread worked. */
    readonly mainThread: number;
    readonly memoryBytes: number;
    readonly freeBytes: number;
  };
}

export interface LinkBacklog {
  readonly changes: number;
  /** New messages, with their points, and about how many bytes these take. */
  readonly messages: number;
  readonly points: number;
  readonly bytes: number;
  /** Device-hours that are uploaded as a whole. */
  readonly hours: number;
  /** The time of the oldest telemetry among them. */
  readonly oldestAt: Instant | undefined;
}

export interface DroppedHistory {
  /** They were deleted before they were uploaded: because of their age, or to make room. */
  readonly expired: number;
  /** They cannot be read. */
  readonly unreadable: number;
}

export const NOTHING_DROPPED: DroppedHistory = { expired: 0, unreadable: 0 };

type Value = number | string | boolean;

/** By attribute of the manifest. */
export function renderFigures(figures: GatewayFigures, now: number): ReadonlyMap<string, Value> {
  const { backlog, historyBefore, dropped, load } = figures;
  const age = Math.max(0, now - (backlog.oldestAt ?? now), now - (historyBefore ?? now));
  return new Map<string, Value>([
    ["status", figures.isConnected ? "connected" : "disconnected"],
    ["version", figures.version],
    ["uptime", Math.round(figures.uptimeMs / 1_000)],
    ["backlog_changes", backlog.changes],
    ["backlog_messages", backlog.messages],
    ["backlog_points", backlog.points],
    ["backlog_bytes", backlog.bytes],
    ["backlog_hours", backlog.hours],
    ["backlog_history", historyBefore !== undefined],
    ["backlog_age", Math.round(age / 1_000)],
    ["history_expired", dropped.expired],
    ["history_unreadable", dropped.unreadable],
    ["cpu_load", Math.round(load.mainThread * 1_000) / 10],
    ["memory_used", load.memoryBytes],
    ["disk_free", load.freeBytes],
  ]);
}

/** What the gateway reported last, by the newest values of its device. */
export interface ReportedFigures {
  readonly at: Instant;
  readonly uptimeSeconds: number;
  readonly backlog: Omit<LinkBacklog, "oldestAt"> & {
    /** Stored history has yet to be uploaded, of which nobody has counted the hours. */
    readonly history: boolean;
    readonly ageSeconds: number;
  };
  readonly dropped: DroppedHistory;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly freeBytes: number;
}

type NewestValues = ReadonlyMap<string, { readonly at: number; readonly value: unknown }>;

/** Undefined when it has reported nothing yet. What it has not reported is 0 or false. */
export function readFigures(newest: NewestValues): ReportedFigures | undefined {
  const at = newest.get("status")?.at;
  if (at === undefined) return undefined;
  const number = (name: string) => {
    const value = newest.get(name)?.value;
    return typeof value === "number" ? value : 0;
  };
  return {
    at: instant(at),
    uptimeSeconds: number("uptime"),
    backlog: {
      changes: number("backlog_changes"),
      messages: number("backlog_messages"),
      points: number("backlog_points"),
      bytes: number("backlog_bytes"),
      hours: number("backlog_hours"),
      history: newest.get("backlog_history")?.value === true,
      ageSeconds: number("backlog_age"),
    },
    dropped: { expired: number("history_expired"), unreadable: number("history_unreadable") },
    cpuPercent: number("cpu_load"),
    memoryBytes: number("memory_used"),
    freeBytes: number("disk_free"),
  };
}

/** Blueprints of this name are replaced when the program brings another one. */
export const GATEWAY_BLUEPRINT_NAME = "Busbar gateway";

/** Declares what `renderFigures` gives. */
export const GATEWAY_MANIFEST = `blueprint_spec: device/3.0

display_name: ${GATEWAY_BLUEPRINT_NAME}
description: The gateway itself. It reports the state of its link to the cloud, and its load.
category: networking
icon: router-wireless
author: busbar
license: Apache-2.0

runtime:
  type: embedded

telemetry:
  status:
    type: string
    display_name: Link to the cloud
    enum:
      connected:
        display_name: Connected
        color: green
      disconnected:
        display_name: Not connected
        color: red
  version:
    type: string
    display_name: Version
  uptime:
    type: integer
    unit: s
    display_name: Time since the start
  backlog_changes:
    type: integer
    display_name: Changes to upload
    description: Changes of records, and states of executions, that the cloud has not confirmed.
  backlog_messages:
    type: integer
    display_name: Messages to upload
    description: New messages of devices that the cloud has not confirmed.
  backlog_points:
    type: integer
    display_name: Points in these messages
  backlog_bytes:
    type: integer
    unit: By
    display_name: Size of these messages
  backlog_hours:
    type: integer
    display_name: Hours to upload
    description: Hours of devices of which the cloud lacks points. They are read from the store when it is their turn.
  backlog_history:
    type: boolean
    display_name: Stored history to upload
    description: After joining, or when the cloud was restored, all stored telemetry is uploaded, the newest first.
  backlog_age:
    type: integer
    unit: s
    display_name: Age of the oldest telemetry to upload
    description: While stored history is uploaded, there may be older telemetry to upload.
  history_expired:
    type: integer
    display_name: History deleted before it was uploaded
    description: Hours or days of devices since joining. They were deleted on the gateway, because of their age or for room.
  history_unreadable:
    type: integer
    display_name: History that cannot be read
    description: Pieces of stored telemetry since joining that are damaged on the gateway.
  cpu_load:
    type: float
    unit: "%"
    display_name: Load of the main thread
  memory_used:
    type: integer
    unit: By
    display_name: Memory in use
  disk_free:
    type: integer
    unit: By
    display_name: Free space on the disk
`;
