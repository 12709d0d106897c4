import type { CatalogueCard, CatalogueSource } from "#core/blueprint/catalogue-entry.ts";
import type { ExecutionState, ResponseState } from "#core/command/execution.ts";
import type { LogSeverity } from "#core/device/device-message.ts";

/** The resources in the spelling of the wire. Unknown fields that a newer server adds are ignored. */

export type AccessLevel = "readonly" | "user" | "owner" | "installer" | "vendor" | "system";
type AuthorizedRole = Uppercase<AccessLevel>;

export type Location = {
  readonly name: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
};

export type Site = {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly version: "V3";
  readonly authorized_role: AuthorizedRole;
  readonly location?: Location | null;
  readonly created_at?: string;
  readonly updated_at?: string;
};

export type Device = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly site_id: string;
  readonly blueprint_id: string | null;
  /** LUA, STANDALONE, GATEWAY, CHILD and the like. */
  readonly type: string;
  readonly parent_id?: string | null;
  readonly child_type?: string | null;
  readonly authorized_role: AuthorizedRole;
  readonly created_at: string;
  readonly updated_at: string;
  /** From here on: present when `expand` asks for it. */
  /** Compiled; empty without a blueprint. */
  readonly manifest?: JsonObject;
  readonly properties?: JsonObject;
  readonly connectivity?: { readonly status: ConnectivityStatus };
  readonly communication?: JsonObject | null;
  readonly raised_alert_names?: readonly string[];
  readonly site?: Site;
};

type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

export type Expansion = "manifest" | "properties" | "connectivity" | "communication" | "raised_alert_names" | "site";

export type CommunicationConfig = {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol: MqttProtocol;
  /** Name and password for MQTT; key, certificate and CA chain for MQTTS. Shown this once. */
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
  readonly time_sync_protocol: string;
  readonly time_sync_host: string;
  readonly time_sync_port: number;
};

export type MqttProtocol = "MQTT" | "MQTTS";

export type Blueprint = {
  readonly id: string;
  readonly created_at: string;
  readonly display_name?: string;
  readonly version?: number;
  readonly digest?: string;
  readonly size?: number;
  readonly implements?: readonly string[];
};

export type Diagnostic = {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the manifest, or the path of a file in the package. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line?: number;
  readonly end_column?: number;
};

/** What another blueprint changes for a device. */
export type BlueprintChange = {
  readonly kind: string;
  readonly path: string;
  /** What worked before may stop working. */
  readonly breaking: boolean;
  readonly message: string;
};

export type Validation = {
  readonly validation_errors?: readonly string[];
  readonly diagnostics?: readonly Diagnostic[];
};

/** A run of a command. */
export type Execution = {
  readonly id: string;
  readonly device_id: string;
  readonly state: ExecutionState;
  readonly ephemeral: boolean;
  readonly created_at: string;
  readonly request: {
    /** As sent: the manifest name or an alias. */
    readonly name: string;
    /** Effective ones, defaults filled in; sensitive ones read `***`. */
    readonly arguments: JsonObject;
    readonly manifest_name: string;
  };
  /** The latest one; absent while the device has not answered. */
  readonly response?: CommandResponse;
  /** All responses, newest first; present when `expand` asks for it. */
  readonly log?: readonly CommandResponse[];
};

export type CommandResponse = {
  readonly state: ResponseState;
  readonly payload?: JsonObject;
  /** With microseconds; strictly rises within one execution. */
  readonly received_at: string;
};

export type DeviceLogEntry = {
  /** By the device's clock. */
  readonly timestamp: string;
  /** With microseconds; strictly rises. */
  readonly received_at: string;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
};

/** One raising of an alert by one source of a device; active while it has no `cleared_at`. */
export type Alert = {
  readonly id: string;
  readonly device_id: string;
  readonly site_id: string;
  readonly severity: "info" | "warning" | "error";
  readonly state: "SOFT" | "HARD" | "UNCONFIRMED";
  readonly display_name: string;
  readonly description?: string;
  readonly code?: string;
  readonly troubleshooting?: readonly string[];
  readonly components?: readonly string[];
  readonly conditions?: readonly string[];
  readonly telemetry?: readonly string[];
  readonly raised_at: string;
  readonly hardens_at?: string;
  readonly hardened_at?: string;
  /** When a list named an UNCONFIRMED alert for the last time. */
  readonly not_confirmed_since?: string;
  readonly cleared_at?: string;
  /** What the device said about it. */
  readonly details?: string | Readonly<Record<string, unknown>>;
  /** The telemetry attribute that lists it. */
  readonly source: string;
  readonly declared: boolean;
};

/** An address that receives events. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  /** Null for all. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
};

/** A gateway that has joined a cloud. */
export type Gateway = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly connected: boolean;
  readonly site_ids: readonly string[];
  /** The device that stands for it in its first site. */
  readonly device_id: string | null;
  /** What it told last; null before its first report. */
  readonly report: GatewayReport | null;
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly revoked_at: string | null;
};

type GatewayReport = {
  readonly at: string;
  readonly uptime_seconds: number;
  /** What the cloud had not confirmed at that time. */
  readonly backlog: {
    readonly changes: number;
    readonly messages: number;
    readonly points: number;
    readonly bytes: number;
    readonly hours: number;
    readonly age_seconds: number;
  };
  readonly dropped: { readonly expired: number; readonly unreadable: number };
  readonly cpu_percent: number;
  readonly memory_bytes: number;
  readonly disk_free_bytes: number;
};

/** A blueprint that many devices get, in stages. */
export type Rollout = {
  readonly id: string;
  readonly name: string;
  readonly blueprint_id: string;
  readonly state: "RUNNING" | "PAUSED" | "HALTED" | "DONE" | "ABORTED";
  readonly reason: string | null;
  /** From 1. */
  readonly stage: number;
  /** How many devices have the blueprint after each stage. */
  readonly stages: readonly number[];
  readonly watch_seconds: number;
  readonly timeout_seconds: number;
  readonly max_failures: number;
  readonly devices: {
    readonly total: number;
    readonly waiting: number;
    readonly assigning: number;
    readonly watched: number;
    readonly done: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type RolloutDevice = {
  readonly device_id: string;
  readonly site_id: string;
  readonly stage: number;
  readonly state: "WAITING" | "ASSIGNING" | "WATCHED" | "DONE" | "FAILED" | "SKIPPED";
  readonly since: string;
  readonly reason: string | null;
  readonly former_blueprint_id: string | null;
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
  readonly last_error: string | null;
};

export type WebhookKind = "alert" | "connectivity" | "execution";

export type Delivery = {
  readonly id: string;
  readonly webhook_id: string;
  readonly kind: WebhookKind;
  readonly occurred_at: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly queued_at: string;
  readonly next_attempt_at?: string;
  readonly finished_at?: string;
  /** HTTP status of the last answer. */
  readonly status?: number;
  readonly error?: string;
};

/** DEAD: given up. It can be retried. */
export type DeliveryState = "PENDING" | "DELIVERED" | "DEAD";

/** What becomes of the next command of a simulated device. */
type NextCommand = {
  readonly kind: "fail" | "slow" | "silent";
  /** Only this command; without it any. */
  readonly command?: string | null;
  readonly times?: number;
  readonly message?: string | null;
  /** A duration. */
  readonly delay?: string;
  readonly progress?: boolean;
};

/** What a simulated device is doing, and what was changed about it. */
export type Simulation = {
  readonly seed: number;
  readonly speed: number;
  readonly paused: boolean;
  /** A duration. */
  readonly interval: string;
  readonly simulated_at: string;
  /** Held values. */
  readonly telemetry: JsonObject;
  readonly properties: JsonObject;
  /** Held alerts: true is raised, false is cleared. */
  readonly alerts: Readonly<Record<string, boolean>>;
  readonly next_command: NextCommand | null;
  /** What commands have set. */
  readonly written: JsonObject;
  readonly stopped: boolean;
  readonly current: {
    readonly telemetry: JsonObject;
    readonly properties: JsonObject;
    readonly alerts: readonly string[];
  };
};

/** What is not given stays; a null among values and alerts gives back what was held. */
export type SimulationChange = {
  /** Gives back as a whole, before anything else. */
  readonly release?: readonly ("telemetry" | "properties" | "alerts" | "next_command" | "written")[];
  readonly seed?: number;
  readonly speed?: number;
  /** What time it is for the device from now on. */
  readonly simulated_at?: string;
  readonly paused?: boolean;
  readonly interval?: string;
  readonly telemetry?: JsonObject;
  readonly properties?: JsonObject;
  readonly alerts?: Readonly<Record<string, boolean | null>>;
  readonly next_command?: NextCommand;
};

/** How the script or model of a device that runs on the server does. */
export type DeviceRuntime = {
  readonly state: "STARTING" | "RUNNING" | "OVERRUNNING" | "QUARANTINED" | "FAILED" | "STOPPED";
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
  | { readonly kind: "gap" /** Of which kinds; all, if it does not say. */; readonly kinds?: readonly string[] }
  | Happening<"execution", { readonly execution: Execution }>
  | Happening<"connectivity", { readonly connectivity: { readonly status: ConnectivityStatus }; readonly at: string }>
  | Happening<"device", { readonly change: "created" | "updated" | "deleted"; readonly at: string }>
  /** The values of a bucket were replaced. */
  | Happening<"configuration", { readonly bucket: string; readonly at: string }>
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

/** What a token may do, as it is told to the token itself. */
export type OwnToken = Pick<Token, "id" | "name" | "level" | "site_ids">;

export type Token = {
  readonly id: string;
  readonly name: string;
  readonly level: AccessLevel;
  /** null: all sites. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
};

/** A blueprint that the catalogue offers. */
export type CatalogueEntry = {
  readonly id: string;
  readonly source: CatalogueSource;
  /** null: not uploaded yet. */
  readonly blueprint_id: string | null;
  readonly display_name: string;
  readonly description: string;
  readonly category: string | null;
  readonly icon: string | null;
  readonly author: string | null;
  readonly contributors: readonly string[];
  readonly support: { readonly url: string | null; readonly email: string | null };
  readonly license: string | null;
  readonly runtime: CatalogueCard["runtime"];
  readonly requires: readonly string[];
  readonly offers: CatalogueCard["offers"];
};

export type CataloguePage = Page<"entries", CatalogueEntry> & {
  readonly categories: readonly { readonly category: string | null; readonly count: number }[];
};

/** A sign-in of the page. It stands for a token. */
export type Session = {
  readonly id: string;
  readonly token_id: string;
  readonly token_name: string;
  readonly level: AccessLevel;
  /** null: all sites. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string;
};

export type ListedSession = Session & {
  readonly last_used_at: string;
  /** The address that signed in. */
  readonly from: string;
  readonly user_agent: string;
  /** Whether it is the session of this call. */
  readonly current: boolean;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: string;
  /** How many calls the entry counts, from `at` to `last_at`: repeated refusals are one entry. */
  readonly count: number;
  readonly last_at: string;
  /** null: no valid token came with the call, or Busbar itself acted. */
  readonly actor: { readonly token_id: string; readonly name: string } | null;
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  readonly outcome: "OK" | "REFUSED";
  readonly code?: string | null;
  readonly request_id: string;
  readonly remote_address: string;
  readonly details: JsonObject;
};

export type ErrorItem = {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
};

export type JsonObject = { readonly [key: string]: unknown };

/** One page of a list: the items under their plural, and how many there are in all. */
export type Page<Key extends string, Item> = { readonly [K in Key]: readonly Item[] } & {
  readonly total_count: number;
};

/** Which part of a list; what is absent is the server's choice. */
export type Window = { readonly limit?: number | undefined; readonly offset?: number | undefined };

/** Energies in Wh, powers in W. What is not known is null. */
export type SiteEnergy = {
  readonly site_id: string;
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  readonly total: Readonly<
    Record<
      | "produced"
      | "used"
      | "self_used"
      | "from_grid"
      | "to_grid"
      | "charged"
      | "discharged"
      | "self_consumption"
      | "self_sufficiency",
      number | null
    >
  >;
  readonly peak_from_grid: { readonly power: number; readonly at: string } | null;
  readonly devices: readonly {
    readonly device_id: string;
    readonly name: string;
    readonly slug: string;
    readonly role: "production" | "battery" | "grid" | "load";
    readonly energy: number | null;
    readonly energy_back: number | null;
    readonly basis: "counter" | "power" | null;
    readonly hours_known: number;
    readonly hours: number;
    readonly power: number | null;
  }[];
  readonly now: Readonly<Record<"production" | "battery" | "grid" | "load", number | null>>;
};

/** How long a site's telemetry is kept: durations, or `unlimited`. */
export type SiteRetention = {
  /** null: the installation's default holds. */
  readonly default: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly installation_default: string;
};

/** How the node that answered does. */
export type System = {
  readonly version: string;
  readonly role: string;
  readonly started_at: string;
  readonly nodes: number;
  readonly process: {
    readonly node: string;
    readonly platform: string;
    readonly memory_bytes: number;
    /** 0 to 1, since the figure was read before. */
    readonly main_thread_busy: number;
    readonly event_loop_delay_ms: number;
    /** null where the system does not tell. */
    readonly threads: readonly { readonly name: string; readonly count: number; readonly cpu_seconds: number }[] | null;
  };
  readonly storage: {
    readonly kind: string;
    readonly files: readonly { readonly name: string; readonly bytes: number }[];
    readonly free_bytes: number;
    readonly retention: string;
  };
  readonly broker: {
    readonly kind: string;
    readonly mqtt_port: number | null;
    readonly mqtts_port: number | null;
    /** null with an outside broker. */
    readonly connections: number | null;
  };
  readonly hosted_devices: Readonly<Record<string, number>>;
  readonly telemetry_values: { readonly kept: number; readonly left_out: number };
  readonly buffers: readonly { readonly name: string; readonly used_bytes: number; readonly limit_bytes: number }[];
  readonly shares: readonly {
    readonly name: string;
    readonly inside: number;
    readonly waiting: number;
    readonly refused: number;
  }[];
};

export type SystemLogLine = {
  readonly at: string;
  readonly level: string;
  readonly subject: string | null;
  readonly message: string;
  /** JSON. */
  readonly details: string;
};
