import type { AuthorizedRole } from "./access.ts";
import type { JsonObject } from "./json.ts";
import type { Site } from "./site.ts";

export type Device = {
  readonly id: string;
  /** The same again, only below /assets/v1. */
  readonly device_id?: string;
  readonly name: string;
  readonly slug: string;
  readonly site_id: string;
  /** Without a blueprint of its own: one that is built in, see `hasOwnBlueprint`. */
  readonly blueprint_id: string;
  /** LUA, STANDALONE, GATEWAY, CHILD and the like. */
  readonly type: string;
  readonly parent_id: string | null;
  readonly child_type: string | null;
  readonly authorized_role: AuthorizedRole;
  readonly created_at: string;
  readonly updated_at: string;
  /** From here on: present when `expand` asks for it. */
  /** Compiled; empty without a blueprint. */
  readonly manifest?: JsonObject;
  readonly properties?: JsonObject;
  readonly connectivity?: { readonly status: ConnectivityStatus };
  readonly communication?: Communication | null;
  readonly raised_alert_names?: readonly string[];
  readonly site?: Site;
};

/** How a device communicates; see docs/device-protocol.md. */
export type Communication = {
  readonly type: "MQTT_V1_PLAINTEXT" | "MQTT_V1_TLS" | "MQTT_V1_LOCALHOST" | "UCM_LUA" | "UCM_EMBEDDED" | "LINK";
  /** The device over which this one is reached. */
  readonly upstream_id?: string;
  readonly hardware_id?: string;
  readonly channel_id?: string;
};

export type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

export type Expansion = "manifest" | "properties" | "connectivity" | "communication" | "raised_alert_names" | "site";

export type CommunicationConfig = {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol: MqttProtocol;
  /** Name and password for MQTT; key, certificate and CA chain for MQTTS. Shown this once. */
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
  readonly time_sync_protocol: "HTTP";
  readonly time_sync_host: string;
  readonly time_sync_port: number;
};

export type MqttProtocol = "MQTT" | "MQTTS";

export type DeviceLogEntry = {
  /** By the device's clock. */
  readonly timestamp: string;
  /** With microseconds; strictly rises. */
  readonly received_at: string;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
};

/** How the script or model of a device that runs on the server does. */
export type DeviceRuntime = {
  readonly state:
    | "STARTING"
    | "RUNNING"
    | "NOT_CONFIGURED"
    | "COMMUNICATION_FAILED"
    | "OVERRUNNING"
    | "QUARANTINED"
    | "FAILED"
    | "STOPPED";
  readonly since: string;
  readonly start_count: number;
  /** What an OVERRUNNING script does, and where it was when this was noticed. */
  readonly overrun: {
    readonly activity: "main" | "command" | "configuration" | "connection" | "job";
    readonly command: string | null;
    readonly file: string | null;
    readonly line: number | null;
  } | null;
  readonly last_error: {
    readonly message: string;
    readonly file: string | null;
    readonly line: number | null;
    readonly at: string;
  } | null;
  readonly restart_at: string | null;
  readonly memory_bytes: number | null;
};

export type LogSeverity = "debug" | "info" | "warning" | "error";
