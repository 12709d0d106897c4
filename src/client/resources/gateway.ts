import type { JsonObject } from "./json.ts";

/** A gateway that has joined a cloud. */
export type Gateway = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly connected: boolean;
  readonly site_ids: readonly string[];
  /** The device that stands for it in its first site. */
  readonly device_id: string | null;
  /** How many of its records the cloud does not take. */
  readonly refused_count: number;
  /** Not in lists. */
  readonly refused?: readonly RefusedRecord[];
  /** Sites of other gateways that it may take over and has not. Not in lists. */
  readonly granted_site_ids?: readonly string[];
  /** What it told last; null before its first report. */
  readonly report: GatewayReport | null;
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly revoked_at: string | null;
};

/** A record that the cloud does not take from a gateway. */
export type RefusedRecord = { readonly kind: string; readonly id: string; readonly reason: string };

export type GatewayReport = {
  readonly at: string;
  readonly uptime_seconds: number;
  /** What the cloud had not confirmed at that time. */
  readonly backlog: {
    readonly changes: number;
    readonly messages: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
    /** Stored history was being told, after joining or a restore of the cloud. */
    readonly history: boolean;
    readonly age_seconds: number;
  };
  readonly dropped: { readonly expired: number; readonly unreadable: number };
  readonly cpu_percent: number;
  readonly memory_bytes: number;
  readonly disk_free_bytes: number;
};

/** All gateways of a cloud in numbers. */
export type Fleet = {
  readonly gateways: number;
  readonly connected: number;
  readonly away: number;
  readonly revoked: number;
  readonly versions: readonly { readonly version: string; readonly gateways: number; readonly connected: number }[];
  readonly with_backlog: number;
  readonly with_loss: number;
  readonly backlog: {
    readonly changes: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
    readonly oldest_seconds: number;
  };
};

/** A code with which a gateway can still join, without the code itself. */
export type OpenJoinCode = {
  readonly id: string;
  readonly name: string | null;
  /** The gateway whose sites the new one may take over. */
  readonly replaces: string | null;
  readonly site_ids: readonly string[];
  /** The token with which it was made. */
  readonly made_by: { readonly token_id: string; readonly name: string };
  readonly created_at: string;
  readonly expires_at: string;
};

/** The link of a gateway to its cloud. */
export type Uplink = {
  readonly url: string;
  readonly gateway_id: string;
  readonly joined_at: string;
  readonly connected: boolean;
  readonly since: string;
  /** Changes that the cloud has not confirmed. */
  readonly backlog: number;
  /** What the cloud has not confirmed. */
  readonly telemetry: {
    readonly messages: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
    readonly oldest_at: string | null;
    readonly history_before: string | null;
  };
  /** Hours, days and pieces of telemetry that the cloud never gets. */
  readonly dropped: { readonly expired: number; readonly unreadable: number };
  /** Records that the cloud does not take. */
  readonly refused: readonly RefusedRecord[];
  readonly last_error: string | null;
};

/** In a cloud, of an answer: the gateway of the site is away, and the change waits for it. The rest of the answer is what is there now. */
export type MayWait = { readonly pending_change?: GatewayChange };

/** A change of a joined site, which its gateway is asked for. */
export type GatewayChange = {
  readonly id: string;
  readonly operation: string;
  readonly gateway_id: string;
  readonly site_id: string;
  readonly device_id: string | null;
  readonly state: "PENDING" | "DONE" | "REFUSED" | "OVERRULED" | "WITHDRAWN";
  readonly asked: JsonObject;
  readonly asked_by: { readonly token_id: string; readonly name: string };
  readonly created_at: string;
  readonly settled_at: string | null;
  readonly errors: readonly { readonly code: string; readonly message: string; readonly details?: JsonObject }[];
  readonly overruled: readonly string[];
};
