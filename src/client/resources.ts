// Written by `npm run client-types`. Change the schemas of the operations, not this file.

export type JsonObject = { readonly [key: string]: unknown };

export type AccessLevel = "readonly" | "user" | "owner" | "installer" | "vendor" | "system";

export type AuthorizedRole = "READONLY" | "USER" | "OWNER" | "INSTALLER" | "VENDOR" | "SYSTEM";

export type ConnectivityStatus = "ONLINE" | "OFFLINE" | "UNKNOWN";

export type CorrectionKind = "counter_replaced" | "value_wrong" | "accept";

export type DeliveryState = "PENDING" | "DELIVERED" | "DEAD";

export type ErrorCode =
  | "invalid_json"
  | "invalid_body"
  | "invalid_query"
  | "invalid_request"
  | "request_timeout"
  | "invalid_arguments"
  | "invalid_configuration"
  | "invalid_blueprint"
  | "unauthorized"
  | "forbidden"
  | "foreign_origin"
  | "not_found"
  | "command_not_found"
  | "device_not_found"
  | "attribute_not_found"
  | "telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND"
  | "unprocessable_entity"
  | "no_data"
  | "route_not_found"
  | "conflict"
  | "interlocked"
  | "slug_taken"
  | "slug_ambiguous"
  | "not_cancellable"
  | "idempotency_conflict"
  | "body_too_large"
  | "too_many_wrong_tokens"
  | "too_many_sign_ins"
  | "too_many_streams"
  | "queue_full"
  | "too_many_calls"
  | "overloaded"
  | "storage_full"
  | "storage_unavailable"
  | "storage_damaged"
  | "shutting_down"
  | "owned_by_gateway"
  | "gateway_unreachable"
  | "overruled"
  | "cloud_unreachable"
  | "provider_unreachable"
  | "not_available"
  | "internal";

export type EventKind =
  | "execution"
  | "alert"
  | "connectivity"
  | "configuration"
  | "device"
  | "change"
  | "bulk"
  | "notification"
  | "control"
  | "runtime"
  | "log"
  | "rule"
  | "telemetry";

export type ExecutionState = "NEW" | "IN_PROGRESS" | "SUCCESS" | "ERROR" | "TIMEOUT" | "UNSYNC";

export type Expansion = "manifest" | "properties" | "connectivity" | "communication" | "raised_alert_names" | "site";

export type LogSeverity = "debug" | "info" | "warning" | "error";

export type MqttProtocol = "MQTT" | "MQTTS";

export type ResponseState = "STARTED" | "IN_PROGRESS" | "SUCCEEDED" | "ERROR";

export type ViewKind = "explore" | "dashboard" | "device_filter";

export type WebhookKind = "alert" | "connectivity" | "execution" | "notification";

export type AcceptedInvitation = {
  /** Of the link. */
  readonly code: string;
  /** At least 10 characters, and none of those that everybody tries first. */
  readonly password: string;
};

/** A person who can sign in to the page. */
export type Account = {
  /** Account identifier. Sessions and the audit log name it as their token. */
  readonly id: string;
  readonly name: string;
  readonly mail: string;
  readonly level: AccessLevel;
  /** The sites that the person sees; null for all. */
  readonly site_ids: readonly string[] | null;
  /** Where the level is higher than `level`. Only people have this. */
  readonly site_levels: readonly SiteLevel[];
  /** Null: as the browser says. */
  readonly language: "en" | "de" | null;
  /** Null: as is usual in the language. */
  readonly time_format: "24h" | "12h" | null;
  /** Without one, nobody can sign in as this person. */
  readonly has_password: boolean;
  /** Whether sign-in asks for a code of an app, too. */
  readonly has_second_factor: boolean;
  /** The issuer by which alone the person signs in; level and sites follow from the groups there. */
  readonly provider: string | null;
  readonly created_at: string;
  readonly suspended_at: string | null;
  readonly last_used_at: string | null;
};

export type AccountChange = {
  /** Name of the person. */
  readonly name?: string | undefined;
  /** Two people never have the same. */
  readonly mail?: string | undefined;
  readonly level?: AccessLevel | undefined;
  /** Null for all sites. */
  readonly site_ids?: readonly string[] | null | undefined;
  /** Replaces all of them. `level` without it ends them: the person has one level everywhere. */
  readonly site_levels?: readonly SiteLevel[] | undefined;
  /** Null: as the browser says. */
  readonly language?: "en" | "de" | null | undefined;
  /** Null: as is usual in the language. */
  readonly time_format?: "24h" | "12h" | null | undefined;
  /** Ends all sessions of the person. */
  readonly password?: string | undefined;
  /** True ends all sessions of the person and revokes the person's tokens. False lets the person sign in again. */
  readonly suspended?: boolean | undefined;
};

export type AccountProof = {
  readonly current_password: string;
  /** Of a person with a second factor. */
  readonly code?: string | undefined;
};

export type AcknowledgeAlert = {
  /** What is done about it, for the others. */
  readonly comment?: string | undefined;
  /** The telemetry attribute that lists it. Default: all that do. */
  readonly source?: string | undefined;
};

export type AcknowledgedBy = {
  readonly token_id: string;
  /** Of the token, as it was then. */
  readonly name: string;
};

export type Acknowledgement = {
  readonly at: string;
  readonly by: AcknowledgedBy;
  readonly comment: string | null;
  /** How it came, as in the audit log. */
  readonly door: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar" | null;
};

/** One raising of an alert. It is active while it has no cleared_at. */
export type Alert = {
  /** Alert id, as the device lists it. */
  readonly id: string;
  readonly device_id: string;
  readonly site_id: string;
  readonly severity: "info" | "warning" | "error";
  /**
   * SOFT until it has lasted its grace period, then HARD. UNCONFIRMED while the device sends telemetry without
   * repeating the list.
   */
  readonly state: "SOFT" | "HARD" | "UNCONFIRMED";
  readonly display_name: string;
  readonly description?: string;
  /** The vendor's own code. */
  readonly code?: string;
  readonly troubleshooting?: readonly string[];
  readonly components?: readonly string[];
  readonly conditions?: readonly string[];
  readonly telemetry?: readonly string[];
  readonly raised_at: string;
  /** When an active SOFT alert turns HARD, if it lasts. */
  readonly hardens_at?: string;
  /** When it turned HARD. */
  readonly hardened_at?: string;
  /** When a list named an UNCONFIRMED alert for the last time. */
  readonly not_confirmed_since?: string;
  readonly cleared_at?: string;
  readonly acknowledgement?: Acknowledgement;
  /** Only in lists of active alerts: a maintenance window holds notifications back until then. */
  readonly silenced_until?: string;
  /** What the device said about it in alert_details: a text or an object. */
  readonly details?: string | JsonObject;
  /** The telemetry attribute that lists it. */
  readonly source: string;
  /** Whether the blueprint declares it. If not, and if it is not one that Busbar knows, it counts as an error. */
  readonly declared: boolean;
};

export type AlertEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly change: "raised" | "hardened" | "unconfirmed" | "confirmed" | "cleared" | "acknowledged" | "unacknowledged";
  readonly at: string;
  readonly alert: Alert;
};

export type AppliedCounterCorrection = {
  readonly device_id: string;
  readonly slug: string;
  /** Correction identifier. */
  readonly id: string;
  readonly attribute: string;
  /** The value before the step, as it was sent. */
  readonly before: number;
  readonly before_at: string;
  /** The value after the step. */
  readonly value: number;
  readonly at: string;
  /**
   * counter_replaced: another counter counts from the step on. value_wrong: what the step counted never flowed.
   * accept: the step is right.
   */
  readonly kind: CorrectionKind;
  readonly new_start: number | null;
  readonly note: string | null;
  readonly author: CorrectionAuthor;
  readonly created_at: string;
  /** Wh that it adds. Null: the points of the step are gone, or have other values now, so it adds nothing. */
  readonly adjustment: number | null;
};

export type AssignBlueprint = {
  /** Blueprint identifier. */
  readonly blueprint_id: string;
};

export type AuditActor = {
  readonly token_id: string;
  readonly name: string;
  /** The person, in the page or with a token of that person. */
  readonly account_id: string | null;
};

export type AuditEntry = {
  /** Entry identifier. */
  readonly id: string;
  readonly at: string;
  /** How many calls the entry stands for. Repeated refusals are one entry. */
  readonly count: number;
  readonly last_at: string;
  readonly actor: AuditActor | null;
  /**
   * How the call came: page with the cookie of a session, token with a token, cli if the program with the token
   * says that it is the command line. Null: it is not known.
   */
  readonly door: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar" | null;
  /**
   * The gateway that reported the entry to this cloud: actor, address and everything else are as the gateway
   * says. Null: this server wrote it.
   */
  readonly reported_by: string | null;
  /** The operation, such as createSite. */
  readonly action: string;
  readonly target: AuditTarget;
  readonly outcome: "OK" | "REFUSED";
  /** Error code of a refused call. */
  readonly code?: string;
  readonly request_id: string;
  readonly remote_address: string;
  readonly details: JsonObject;
};

export type AuditTarget = {
  readonly site_id?: string;
  readonly device_id?: string;
  readonly blueprint_id?: string;
  readonly token_id?: string;
};

export type Blueprint = {
  /** Blueprint identifier. */
  readonly id: string;
  readonly display_name: string;
  /** Counts the uploads under the same display name. */
  readonly version: number;
  /** SHA-256 of the package, in hexadecimal. */
  readonly digest: string;
  /** Bytes of the package. */
  readonly size: number;
  /** Profiles as the manifest lists them, drafts included. */
  readonly implements: readonly string[];
  readonly created_at: string;
  readonly uploaded_by: BlueprintUploader | null;
  /** Part of Busbar, the same everywhere; devices without another one name it. */
  readonly built_in: boolean;
};

/** What another blueprint changes for a device. */
export type BlueprintChange = {
  readonly kind: "added" | "removed" | "renamed" | "retyped" | "access" | "changed" | "text";
  /** JSON pointer into the new manifest; for what is gone, into the former one. */
  readonly path: string;
  /** What worked before may stop working. */
  readonly breaking: boolean;
  readonly message: string;
};

/**
 * Who uploaded it first. As with the audit log, owners of all sites learn it, and whoever did it. Null:
 * others, and where it is not known.
 */
export type BlueprintUploader = {
  /** The token or the session. */
  readonly token_id: string;
  /** As it was then. */
  readonly name: string;
  /** The person, in the page or with a token of that person. */
  readonly account_id: string | null;
  /** How the call came, as in the audit log. */
  readonly door: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar" | null;
  /** The gateway that says so. Null: it was uploaded to this server. */
  readonly reported_by: string | null;
};

/** One command for many devices. */
export type BulkCommand = {
  /** Identifier; executions name it as bulk_id. */
  readonly id: string;
  /** Of the command, as sent. */
  readonly name: string;
  /** Sensitive ones read ***. */
  readonly arguments: JsonObject;
  readonly rate: number;
  readonly parallel: number;
  readonly stop_after: number | null;
  /** STOPPED: by itself. Devices that had begun go on until `ended_at`. */
  readonly state: "RUNNING" | "DONE" | "STOPPED" | "CANCELLED";
  /** Why it stopped. */
  readonly reason: string | null;
  /** Name of the token. */
  readonly created_by: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  /** The schedule that began it. */
  readonly schedule_id: string | null;
  readonly devices: BulkCounts;
};

export type BulkCounts = {
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  readonly success: number;
  readonly failed: number;
  readonly refused: number;
  readonly skipped: number;
};

/** What became of one device of a bulk command. */
export type BulkDevice = {
  /** As it was named. */
  readonly device: string;
  /** null: there is no such device for the caller. */
  readonly device_id: string | null;
  readonly state: "WAITING" | "RUNNING" | "SUCCESS" | "FAILED" | "REFUSED" | "SKIPPED";
  readonly execution_id: string | null;
  readonly begun_at: string | null;
  /** The state of the execution, or the code of the refusal. */
  readonly code: string | null;
  readonly message: string | null;
};

export type BulkDevices = {
  /** Ids or slugs. Without a filter. */
  readonly device_ids?: readonly string[] | undefined;
  /** Devices of these sites. */
  readonly site_ids?: readonly string[] | undefined;
  /** Devices that implement all of these profiles. */
  readonly profiles?: readonly string[] | undefined;
  /** Devices that have one of these blueprints. */
  readonly blueprint_ids?: readonly string[] | undefined;
};

/** What would become of one device. */
export type BulkDryRun = {
  readonly device: string;
  readonly device_id: string | null;
  readonly dry_run: CommandDryRun | null;
  /** The code of the refusal. */
  readonly code: string | null;
  readonly message: string | null;
};

/** A device of a bulk command has begun or is done, or all of them are. */
export type BulkEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly bulk: BulkHead;
  readonly device: BulkDevice;
  readonly at: string;
};

export type BulkHead = {
  readonly id: string;
  readonly state: "RUNNING" | "DONE" | "STOPPED" | "CANCELLED";
  /** No device waits or runs any more. */
  readonly has_ended: boolean;
};

/** When something is on, for rules and schedules of a site. */
export type Calendar = {
  readonly name: string;
  readonly kind: "weekly" | "ical";
  /** Null: that of the site. */
  readonly timezone: string | null;
  readonly plan: WeeklyPlan | null;
  /** Of kind ical, where one calendar is read. */
  readonly text?: string;
  readonly except: readonly string[];
  readonly state: CalendarState | null;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type CalendarEntry = {
  readonly from: string;
  readonly to: string;
  /** What holds during the range, such as a set point. All values of a plan have one type. */
  readonly value: string | number | boolean | null;
  readonly title: string | null;
};

export type CalendarPreview = {
  readonly problems: readonly CalendarProblem[];
  readonly entries: readonly CalendarEntry[];
};

export type CalendarProblem = {
  readonly message: string;
  /** Where, in the body. */
  readonly pointer: string;
  /** Of the text. */
  readonly line: number | null;
};

export type CalendarState = {
  readonly on: boolean;
  /** What holds during the range, such as a set point. All values of a plan have one type. */
  readonly value: string | number | boolean | null;
  /** Of the entry that began last. */
  readonly title: string | null;
  /** Null: for more than a year, or nobody knows. */
  readonly since: string | null;
  /** Null: for a year at least. */
  readonly until: string | null;
};

export type CatalogueCategory = {
  readonly category: string | null;
  /** How many entries match the words. */
  readonly count: number;
};

/** A blueprint that the catalogue offers. */
export type CatalogueEntry = {
  /** Entry identifier. */
  readonly id: string;
  /** examples: comes with Busbar; folder: from the operator's folder; upload: was uploaded. */
  readonly source: "examples" | "folder" | "upload";
  /** The uploaded blueprint; null if it is not uploaded yet. */
  readonly blueprint_id: string | null;
  readonly display_name: string;
  readonly description: string;
  readonly category: string | null;
  readonly icon: string | null;
  readonly author: string | null;
  readonly contributors: readonly string[];
  readonly support: CatalogueSupport;
  readonly license: string | null;
  /** lua: Busbar talks to the device; embedded: the device connects. */
  readonly runtime: "lua" | "embedded";
  /** What the author says that it needs, and the rocks of its scripts. */
  readonly requires: readonly string[];
  readonly offers: CatalogueOffers;
};

export type CatalogueOffers = {
  /** Profiles that it implements. */
  readonly profiles: readonly string[];
  /** How many properties. */
  readonly properties: number;
  /** How many telemetry attributes. */
  readonly telemetry: number;
  /** How many commands. */
  readonly commands: number;
  /** How many alerts. */
  readonly alerts: number;
  /** How many configuration buckets. */
  readonly configuration: number;
};

export type CataloguePage = {
  readonly entries: readonly CatalogueEntry[];
  /** How many match, on all pages. */
  readonly total_count: number;
  /** What else the words would find. */
  readonly categories: readonly CatalogueCategory[];
};

export type CatalogueSupport = {
  readonly url: string | null;
  readonly email: string | null;
};

export type ChangeAsker = {
  readonly token_id: string;
  readonly name: string;
};

export type ChangeError = {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
};

/** A change that the gateway of the device was asked for is settled. */
export type ChangeEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly change: GatewayChange;
  readonly at: string;
};

/** What somebody wants of a control, and until when. */
export type Claim = {
  /** Claim identifier. */
  readonly id: string;
  /** A wanted value, or a limit of what others want. */
  readonly kind: "target" | "min" | "max";
  /** In the unit of the control. null, as if left out, says nothing now; unlimited is for min and max. */
  readonly value: number | "unlimited" | null;
  /** The first of the list counts most. */
  readonly class: "interlock" | "grid" | "person" | "rule" | "plan" | "default";
  /** Who claims, such as token:ID. */
  readonly source: string;
  /** The name of the token or of the interlock, while it is known. */
  readonly source_name: string | null;
  readonly reason: string;
  readonly lease_until: string;
  readonly created_at: string;
  /** What led to it, such as execution:ID. */
  readonly cause: string | null;
  /** How it came, as in the audit log. */
  readonly door: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar" | null;
};

export type ClaimRenewal = {
  /** From now on. Default: as for a new claim. */
  readonly lease?: string | undefined;
};

/** What an execution of the command would be now. */
export type CommandDryRun = {
  readonly device_id: string;
  /** As sent. */
  readonly name: string;
  /** As declared in the manifest. */
  readonly manifest_name: string;
  /** Effective arguments, defaults filled in; sensitive ones read ***. */
  readonly arguments: JsonObject;
  /** Whether the device would get the command at once. */
  readonly is_reachable: boolean;
  /** For each control that the command sets; `control` is how it would be then. */
  readonly claims: readonly ForeseenClaim[];
};

/** A run of a command. */
export type Execution = {
  /** Execution identifier. */
  readonly id: string;
  readonly device_id: string;
  readonly state: ExecutionState;
  readonly ephemeral: boolean;
  readonly created_at: string;
  readonly request: CommandRequest;
  readonly requested_by?: ExecutionCaller;
  /** The bulk command that it belongs to. */
  readonly bulk_id?: string;
  readonly response?: CommandResponse;
  /** All responses, newest first. */
  readonly log?: readonly CommandResponse[];
};

export type CommandInput = {
  /** Command name: the manifest's, or an alias. */
  readonly name: string;
  /** Argument name to value. */
  readonly arguments?: JsonObject | undefined;
  /** Hidden from lists by default, deleted after 24 hours. */
  readonly ephemeral?: boolean | undefined;
};

export type CommandRequest = {
  /** As sent. */
  readonly name: string;
  /** Effective arguments, defaults filled in; sensitive ones read ***. */
  readonly arguments: JsonObject;
  /** As declared in the manifest. */
  readonly manifest_name: string;
};

export type CommandResponse = {
  readonly state: ResponseState;
  /** Depends on the state; an error has a text message. */
  readonly payload?: JsonObject;
  /** With microseconds. It strictly rises within one execution. */
  readonly received_at: string;
};

/** A command that runs at a time or by a schedule. */
export type CommandSchedule = {
  /** Schedule identifier. */
  readonly id: string;
  readonly name: string;
  /** Name of the token whose rights it has: of the one who changed it last. */
  readonly owner: string;
  readonly is_enabled: boolean;
  /** Whose sun and calendars count. Null: it has neither. */
  readonly site_id: string | null;
  readonly at: string | null;
  readonly cron: string | null;
  readonly daily: ShownScheduleDaily | null;
  readonly except: readonly string[];
  readonly only: readonly string[];
  readonly timezone: string;
  readonly missed: "skip" | "run_late";
  readonly late_within_seconds: number;
  readonly next_at: string | null;
  /** What it runs; sensitive arguments read ***. */
  readonly bulk: JsonObject;
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type CommandScheduleChange = {
  /** The one that was read: another one is refused. */
  readonly revision: number;
  /** For people. */
  readonly name?: string | undefined;
  readonly bulk?: NewBulkCommand | undefined;
  /** Once, at this time. Or cron. */
  readonly at?: string | null | undefined;
  /** Five fields: minute, hour, day, month, weekday. Or at. */
  readonly cron?: string | null | undefined;
  readonly daily?: ScheduleDaily | null | undefined;
  /** Calendars of the site: a time while one of them is on is left out. */
  readonly except?: readonly string[] | undefined;
  /** Calendars of the site: only times while one of them is on count. */
  readonly only?: readonly string[] | undefined;
  /** Of cron and daily. Default: that of the first device's site. */
  readonly timezone?: string | undefined;
  /** What becomes of a time at which nothing ran. Default: skip. */
  readonly missed?: "skip" | "run_late" | undefined;
  /** run_late: for so long, up to 7d. Default: 1h. */
  readonly late_within?: string | undefined;
  /** Default: true. */
  readonly is_enabled?: boolean | undefined;
};

/** How a device communicates. */
export type Communication = {
  /** Of the connection while there is one, otherwise as its settings were generated. */
  readonly type: "MQTT_V1_PLAINTEXT" | "MQTT_V1_TLS" | "MQTT_V1_LOCALHOST" | "UCM_LUA" | "UCM_EMBEDDED" | "LINK";
  /** The device over which this one is reached. */
  readonly upstream_id?: string;
  readonly hardware_id?: string;
  readonly channel_id?: string;
};

/** The values of a bucket were replaced. */
export type ConfigurationEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly bucket: string;
  readonly at: string;
};

export type Connectivity = {
  readonly status: ConnectivityStatus;
};

export type ConnectivityEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly connectivity: Connectivity;
  readonly at: string;
};

/** A controlled quantity of a device, and who controls it now. */
export type Control = {
  readonly id: string;
  readonly device_id: string;
  readonly display_name: string;
  /** Of the argument. Of boolean, values are 0 and 1. */
  readonly type: "float" | "integer" | "boolean";
  readonly unit: string | null;
  readonly command: string;
  readonly argument: string;
  /** null: no limit is known. */
  readonly min: number | null;
  /** null: no limit is known. */
  readonly max: number | null;
  /** Values are multiples of it. */
  readonly step: number | null;
  /** What counts now; null: nobody claims it. */
  readonly value: number | null;
  /** The lowest value that claims allow now. */
  readonly lower_bound: number | null;
  /** The highest value that claims allow now. */
  readonly upper_bound: number | null;
  /** Limits exclude each other; the safe side of the control counts. */
  readonly is_contradicted: boolean;
  readonly winner: Claim | null;
  /** The claims that set the bounds. */
  readonly limited_by: readonly Claim[];
  /** Claims that hold and do not count now. */
  readonly losers: readonly Claim[];
  readonly until: string | null;
  /** What was last sent to the device. */
  readonly written: number | null;
  /** What the device measures; null also if the caller may not read it. */
  readonly measured: number | null;
  readonly measured_at: string | null;
  /** Whether the device follows what was sent. */
  readonly follow: "idle" | "settling" | "followed" | "not_followed" | "unknown";
  /**
   * In a cloud: the gateway has been offline since then, or too old to report controls. Everything else is what
   * it last reported.
   */
  readonly not_confirmed_since: string | null;
};

/**
 * Who controls a quantity of the device, its limits, or whether the device follows has changed. A new
 * measurement alone is no event.
 */
export type ControlEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly control: Control;
  readonly at: string;
};

/** What controlled a device since a moment. */
export type ControlRecord = {
  readonly at: string;
  readonly control: string;
  /** null: the fallback. */
  readonly value: number | null;
  /** What the device measured then. */
  readonly measured: number | null;
  readonly follow: "idle" | "settling" | "followed" | "not_followed" | "unknown";
  readonly class: "interlock" | "grid" | "person" | "rule" | "plan" | "default" | null;
  readonly source: string | null;
  /** As of a claim. */
  readonly source_name: string | null;
  readonly reason: string | null;
  readonly cause: string | null;
  /** As of a claim. */
  readonly door: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar" | null;
};

/** A rule that people set up by parameters. */
export type Controller = {
  readonly id: string;
  readonly display_name: string;
  readonly description: string;
  /** Key of an icon. */
  readonly icon: string;
  /** Of the rule that it makes. */
  readonly language: "yaml" | "lua";
  readonly parameters: readonly ControllerParameter[];
};

/** What is wrong with a parameter. */
export type ControllerDiagnostic = {
  /** JSON pointer into the request; empty for what no parameter is the cause of. */
  readonly pointer: string;
  readonly message: string;
};

/** A parameter of a controller. */
export type ControllerParameter = {
  readonly name: string;
  readonly display_name: string;
  readonly description: string;
  readonly kind:
    | "device"
    | "attribute"
    | "control"
    | "command"
    | "number"
    | "integer"
    | "duration"
    | "time"
    | "boolean"
    | "choice"
    | "text"
    | "variable"
    | "calendar";
  /** For an attribute, a control or a command: the parameter that names its device. */
  readonly of: string | null;
  readonly unit: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly default: string | number | boolean | null;
  readonly required: boolean;
  readonly choices: readonly string[] | null;
  readonly suggests: ControllerSuggestion | null;
};

export type ControllerRender = {
  /** Of the rule. Default: by its name. */
  readonly slug?: string | undefined;
  /** By name. What is null or empty counts as not given. */
  readonly parameters: Readonly<Record<string, string | number | boolean | null>>;
};

/** Devices that fit. */
export type ControllerSuggestion = {
  /** Better than by category; the first one fits best. */
  readonly profiles: readonly string[];
  readonly categories: readonly string[];
};

export type CorrectionAuthor = {
  readonly token_id: string;
  readonly name: string;
};

/** What somebody said about a doubtful step of a counter. */
export type CounterCorrection = {
  /** Correction identifier. */
  readonly id: string;
  readonly attribute: string;
  /** The value before the step, as it was sent. */
  readonly before: number;
  readonly before_at: string;
  /** The value after the step. */
  readonly value: number;
  readonly at: string;
  /**
   * counter_replaced: another counter counts from the step on. value_wrong: what the step counted never flowed.
   * accept: the step is right.
   */
  readonly kind: CorrectionKind;
  readonly new_start: number | null;
  readonly note: string | null;
  readonly author: CorrectionAuthor;
  readonly created_at: string;
};

export type CreatedNotificationChannel = {
  readonly channel: NotificationChannel;
  /** What a webhook's messages are signed with. It is shown this once. */
  readonly secret: string | null;
};

export type CreatedToken = {
  /** Token identifier. */
  readonly id: string;
  /** The token itself. It is shown this once. */
  readonly token: string;
};

export type CreatedWebhook = {
  readonly webhook: Webhook;
  /** What deliveries are signed with. It is shown this once. */
  readonly secret: string;
};

export type DashboardTile = {
  /** letters, digits, _ and - */
  readonly id: string;
  /**
   * value, curve, states: of `series`. command, control: `command` or `control` of `device`. flow: the site's
   * energy flow. energy: of the day or `range`. text: `text`.
   */
  readonly kind: "value" | "curve" | "states" | "command" | "control" | "flow" | "energy" | "text";
  /** In columns of four. */
  readonly width: number;
  /** In rows. */
  readonly height: number;
  /** Instead of the name of what it shows. */
  readonly title?: string;
  readonly series?: readonly TileSeries[];
  /** a range of Explore; of energy day, week, month, year, each the current one */
  readonly range?: string;
  /** Id or slug. */
  readonly device?: string;
  readonly command?: string;
  readonly control?: string;
  readonly text?: string;
};

/** A dashboard: its tiles, in the order of reading. */
export type DashboardView = {
  readonly tiles: readonly DashboardTile[];
};

export type Device = {
  /** Device identifier. */
  readonly id: string;
  /** The same again, only below /assets/v1. */
  readonly device_id?: string;
  readonly name: string;
  readonly slug: string;
  readonly site_id: string;
  /** Without a blueprint of its own, a device names one that is built in. */
  readonly blueprint_id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly child_type: string | null;
  /**
   * Its part in the energy of the site: which meter is the grid's, what produces, what is a load. auto, or not
   * given: guessed from its blueprint. none: it has no part.
   */
  readonly energy_role?: "auto" | "grid" | "production" | "battery" | "load" | "none";
  /** What the calling token may do on this device. */
  readonly authorized_role: AuthorizedRole;
  readonly created_at: string;
  readonly updated_at: string;
  /** Compiled; empty without a blueprint. */
  readonly manifest?: JsonObject;
  readonly properties?: JsonObject;
  readonly connectivity?: Connectivity;
  readonly communication?: Communication | null;
  readonly raised_alert_names?: readonly string[];
  readonly site?: Site;
};

export type DeviceChange = {
  /** Name of the device. */
  readonly name?: string | undefined;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** The device it hangs on, by id or slug; null: none, and no child type either. */
  readonly parent_id?: string | null | undefined;
  /** What kind of child it is to its parent. */
  readonly child_type?: string | null | undefined;
  /**
   * Its part in the energy of the site: which meter is the grid's, what produces, what is a load. auto, or not
   * given: guessed from its blueprint. none: it has no part.
   */
  readonly energy_role?: "auto" | "grid" | "production" | "battery" | "load" | "none" | undefined;
};

export type CommunicationConfig = {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol: MqttProtocol;
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
  readonly time_sync_protocol: "HTTP";
  readonly time_sync_host: string;
  readonly time_sync_port: number;
};

export type DeviceEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly change: "created" | "updated" | "deleted";
  readonly at: string;
};

/** A filter of the list of devices. */
export type DeviceFilterView = {
  /** The query of the screen's address, without its question mark. */
  readonly query: string;
};

export type DeviceLogEntry = {
  /** By the device's clock. */
  readonly timestamp: string;
  readonly received_at: string;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
};

/** How the script or model of a device does. */
export type DeviceRuntime = {
  /**
   * NOT_CONFIGURED: it runs, and required configuration is missing. COMMUNICATION_FAILED: it runs, and cannot
   * talk to its peers; last_error says why. OVERRUNNING: one activity has lasted for more than 10 s, since
   * `since`, and everything else of the device waits. QUARANTINED: it broke a limit. FAILED: an error of its own
   * ended it, or it could not be put together. Both are tried again at restart_at. STOPPED: on purpose.
   */
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
  /** Starts since the service was started. */
  readonly start_count: number;
  readonly overrun: RuntimeOverrun | null;
  readonly last_error: RuntimeError | null;
  readonly restart_at: string | null;
  readonly memory_bytes: number | null;
};

export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** Stable; docs/blueprint-issues.md explains each. */
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the manifest, or the path of a file in the package. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
};

/** Hours, days and pieces of telemetry that the cloud never gets. */
export type DroppedHistory = {
  /** Hours or days of devices that retention deleted before the cloud had them. */
  readonly expired: number;
  /** Pieces of stored telemetry that cannot be read. */
  readonly unreadable: number;
};

/** The period before, of the same kind. */
export type EnergyBefore = {
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339 */
  readonly to: string;
  /** The period is still running, so the one before ends where as much of it had passed by the clock. */
  readonly is_cut: boolean;
  readonly total: EnergyTotal;
  readonly groups: EnergyGroups;
  readonly costs?: EnergyCosts;
};

/** Money of a period. Positive is paid, and what is earned is export. */
export type EnergyCosts = {
  /** ISO 4217 */
  readonly currency: string;
  /**
   * Paid for energy from the grid. Null: no energy is known, or none of it has a price. In the currency, to a
   * millionth.
   */
  readonly import: number | null;
  /** Earned by energy to the grid. In the currency, to a millionth. */
  readonly export: number | null;
  /** Grams of CO2 of the energy from the grid. */
  readonly co2: number | null;
  /** Energy that the costs leave out. */
  readonly unpriced_energy: {
    /** Wh from the grid without a price. */
    readonly import: number;
    /** Wh to the grid without a price. */
    readonly export: number;
    /** Wh from the grid without a factor of CO2. */
    readonly co2: number;
  };
  /** Import less export: the sum of the steps. In the currency, to a millionth. */
  readonly net_energy: number | null;
  /**
   * Base charges of the days that begin in the period. Null: a day has no tariff. In the currency, to a
   * millionth.
   */
  readonly base: number | null;
  /**
   * Peak charges of the months or years that the period contains, as far as they have passed. Null: it contains
   * none. In the currency, to a millionth.
   */
  readonly peak: number | null;
  /** Energy, base and peak charges together, as far as they are known. In the currency, to a millionth. */
  readonly net: number | null;
  readonly by_rate: readonly {
    readonly kind: "import" | "export";
    readonly name: string;
    /** Wh */
    readonly energy: number;
    readonly amount: number;
  }[];
  readonly peaks: readonly {
    /** RFC 3339 */
    readonly from: string;
    /** RFC 3339 */
    readonly to: string;
    /** W: the highest mean of a quarter of an hour. Null: not known. */
    readonly power: number | null;
    readonly at: string | null;
    /** Its charge. In the currency, to a millionth. */
    readonly amount: number | null;
  }[];
};

/** The same energies by kind of device. */
export type EnergyGroups = {
  /** Wh */
  readonly solar: number | null;
  /** Wh of all other producers: wind, generators, fuel cells. */
  readonly production: number | null;
  /** Wh */
  readonly from_grid: number | null;
  /** Wh */
  readonly to_grid: number | null;
  /** Wh into batteries. */
  readonly charged: number | null;
  /** Wh out of batteries. */
  readonly discharged: number | null;
  /** Wh: electric vehicles. */
  readonly car: number | null;
  /** Wh: electrolysers. */
  readonly hydrogen: number | null;
  /** Wh: other measured loads. */
  readonly load: number | null;
  /** Wh: used, less all measured loads. */
  readonly rest: number | null;
  /** Wh: produced, from the grid and discharged, less to the grid and charged. */
  readonly used: number | null;
};

/** The whole period, also what of it is to come. */
export type EnergyPeriod = {
  readonly kind: "day" | "week" | "month" | "year" | "range";
  /** 2026-11-15, 2026-W47, 2026-11 or 2026. Null for a range. */
  readonly name: string | null;
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339 */
  readonly to: string;
  readonly is_running: boolean;
};

/** Energies of one step of a period. */
export type EnergyStep = {
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339. At most now. */
  readonly to: string;
  /** Wh */
  readonly solar: number | null;
  /** Wh of all other producers: wind, generators, fuel cells. */
  readonly production: number | null;
  /** Wh */
  readonly from_grid: number | null;
  /** Wh */
  readonly to_grid: number | null;
  /** Wh into batteries. */
  readonly charged: number | null;
  /** Wh out of batteries. */
  readonly discharged: number | null;
  /** Wh: electric vehicles. */
  readonly car: number | null;
  /** Wh: electrolysers. */
  readonly hydrogen: number | null;
  /** Wh: other measured loads. */
  readonly load: number | null;
  /** Wh: used, less all measured loads. */
  readonly rest: number | null;
  /** Wh: produced, from the grid and discharged, less to the grid and charged. */
  readonly used: number | null;
  /** The part of the production that was used on the site, 0 to 1. */
  readonly self_consumption: number | null;
  /** The part of the use that did not come from the grid, 0 to 1. */
  readonly self_sufficiency: number | null;
  /** Hours in which every device has a value. */
  readonly hours_known: number;
  /** Hours that the step touches so far. */
  readonly hours: number;
  /** Whether it is over, and every device has a value in each of its hours. */
  readonly is_complete: boolean;
  /** Doubtful steps of counters in it. */
  readonly doubtful: number;
  readonly costs?: EnergyStepCosts;
};

/** Money of a step, without base and peak charges. */
export type EnergyStepCosts = {
  /**
   * Paid for energy from the grid. Null: no energy is known, or none of it has a price. In the currency, to a
   * millionth.
   */
  readonly import: number | null;
  /** Earned by energy to the grid. In the currency, to a millionth. */
  readonly export: number | null;
  /** Grams of CO2 of the energy from the grid. */
  readonly co2: number | null;
  /** Energy that the costs leave out. */
  readonly unpriced_energy: {
    /** Wh from the grid without a price. */
    readonly import: number;
    /** Wh to the grid without a price. */
    readonly export: number;
    /** Wh from the grid without a factor of CO2. */
    readonly co2: number;
  };
  /** Import less export, as far as they have a price. In the currency, to a millionth. */
  readonly net: number | null;
};

/** Energies of a span of time. */
export type EnergyTotal = {
  /** Wh */
  readonly produced: number | null;
  /** Wh: produced, from the grid and discharged, less to the grid and charged. */
  readonly used: number | null;
  /** Wh: produced and not given to the grid. */
  readonly self_used: number | null;
  /** Wh */
  readonly from_grid: number | null;
  /** Wh */
  readonly to_grid: number | null;
  /** Wh into batteries. */
  readonly charged: number | null;
  /** Wh out of batteries. */
  readonly discharged: number | null;
  /** The part of the production that was used on the site, 0 to 1. */
  readonly self_consumption: number | null;
  /** The part of the use that did not come from the grid, 0 to 1. */
  readonly self_sufficiency: number | null;
};

/** The data of an event, by the name of the event. */
export type EventData = {
  readonly execution: ExecutionEvent;
  readonly alert: AlertEvent;
  readonly connectivity: ConnectivityEvent;
  readonly device: DeviceEvent;
  readonly change: ChangeEvent;
  readonly bulk: BulkEvent;
  readonly configuration: ConfigurationEvent;
  readonly control: ControlEvent;
  readonly runtime: RuntimeEvent;
  readonly log: LogEvent;
  readonly telemetry: TelemetryEvent;
  readonly rule: RuleEvent;
  readonly notification: Notification;
  readonly gap: GapEvent;
};

export type ExecutionCaller = {
  /** The token or the person; a rule is rule:ID. */
  readonly token_id: string;
  /** As it was then. */
  readonly name: string;
  /** How the call came, as in the audit log. */
  readonly door?: "page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar";
  /** The schedule that has called. */
  readonly schedule_id?: string;
};

export type ExecutionEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly execution: Execution;
};

/** A chart of Explore. */
export type ExploreView = {
  /** The query of the screen's address, without its question mark. */
  readonly query: string;
};

/** All gateways of a cloud in numbers. */
export type Fleet = {
  /** Those that have joined and were not revoked. */
  readonly gateways: number;
  readonly connected: number;
  readonly away: number;
  readonly revoked: number;
  readonly versions: readonly GatewayVersion[];
  /** Gateways that had changes or telemetry to upload when they reported last. */
  readonly with_backlog: number;
  /** Gateways that have lost history before this cloud had it. */
  readonly with_loss: number;
  readonly backlog: FleetBacklog;
};

export type FleetBacklog = {
  readonly changes: number;
  readonly points: number;
  readonly bytes: number;
  readonly hours: number;
  /** Age of the telemetry that has waited longest. */
  readonly oldest_seconds: number;
};

/** The claim that the command would be, once it has succeeded. */
export type ForeseenClaim = {
  readonly claim: Claim;
  /** Whether it would count. */
  readonly wins: boolean;
  readonly control: Control;
};

/** Some events could not be kept: state that was built from events must be read again. */
export type GapEvent = {
  /** Of these kinds some events are missing. */
  readonly kinds: readonly EventKind[];
};

export type GapFilling = {
  /** locf carries the last value forward. */
  readonly method?: "locf" | "none" | undefined;
  /** A duration such as 1s, 1.5m or 2h45m. */
  readonly look_around?: string | undefined;
};

/** A gateway that has joined a cloud. */
export type Gateway = {
  /** Gateway identifier. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly connected: boolean;
  /** The sites that it owns. */
  readonly site_ids: readonly string[];
  /** The device that stands for it in its first site. */
  readonly device_id: string | null;
  /** How many of its records this cloud does not take, at most 100 are counted. Everything else is taken. */
  readonly refused_count: number;
  /** These records. Not in lists. */
  readonly refused?: readonly RefusedRecord[];
  /** Sites of other gateways that somebody lets it take over, and that it has not named yet. Not in lists. */
  readonly granted_site_ids?: readonly string[];
  readonly report: GatewayReport | null;
  readonly created_at: string;
  readonly last_seen_at: string | null;
  readonly revoked_at: string | null;
};

/** What the cloud had not confirmed when the gateway reported. */
export type GatewayBacklog = {
  /** Changes of records that the cloud had not confirmed. */
  readonly changes: number;
  /** New messages of devices, likewise. */
  readonly messages: number;
  /** Points in these messages. */
  readonly points: number;
  /** About the size of these messages. */
  readonly bytes: number;
  /** Device-hours that are uploaded as a whole. */
  readonly hours: number;
  /** Stored history was being uploaded, after joining or a restore of the cloud. It is in no other count. */
  readonly history: boolean;
  /** Of the oldest telemetry among them. While stored history is being uploaded, some may be older. */
  readonly age_seconds: number;
};

/** A change of a joined site, which its gateway is asked for. */
export type GatewayChange = {
  /** Change identifier. */
  readonly id: string;
  /** The operation that the gateway is asked for. */
  readonly operation: string;
  readonly gateway_id: string;
  readonly site_id: string;
  readonly device_id: string | null;
  /**
   * PENDING: the gateway has not answered yet. DONE: it made the change. REFUSED: it did not, see errors.
   * OVERRULED: the same was changed on the gateway meanwhile, and that stays. WITHDRAWN: nobody asks for it any
   * more.
   */
  readonly state: "PENDING" | "DONE" | "REFUSED" | "OVERRULED" | "WITHDRAWN";
  /** What is asked for, without values of secrets. */
  readonly asked: JsonObject;
  readonly asked_by: ChangeAsker;
  readonly created_at: string;
  readonly settled_at: string | null;
  /** Of a claim: its end, which is fixed while it waits. */
  readonly lease_until: string | null;
  /** Why it was refused, as the gateway says it. */
  readonly errors: readonly ChangeError[];
  /** What was changed on the gateway meanwhile. */
  readonly overruled: readonly string[];
};

export type GatewayReport = {
  readonly at: string;
  readonly uptime_seconds: number;
  readonly backlog: GatewayBacklog;
  readonly dropped: DroppedHistory;
  readonly cpu_percent: number;
  readonly memory_bytes: number;
  readonly disk_free_bytes: number;
};

export type GatewaySignInCode = {
  /** For the link /sign-in#code=... of the page of the gateway. */
  readonly code: string;
  readonly expires_at: string;
  /** The address of that page, if the settings of the gateway say it. */
  readonly url?: string;
};

export type GatewayVersion = {
  readonly version: string;
  readonly gateways: number;
  readonly connected: number;
};

export type GenerateConfig = {
  readonly protocol: MqttProtocol;
};

export type GridContact = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** A telemetry attribute of the device. */
  readonly attribute: string;
  /** Default: true. */
  readonly active?: boolean;
};

/** A limit of a site, and what it demands now. */
export type Interlock = {
  readonly name: string;
  readonly site_id: string;
  /** Rises with each change; for the header If-Match. */
  readonly revision: number;
  readonly updated_at: string;
  /** null: what is stored is damaged. */
  readonly document: NewInterlock | null;
  /**
   * idle: it changes nothing. holding: it limits. waiting: the first measurement after a start has not come yet.
   * blind: a measurement is missing. damaged: its document cannot be read, and the controls that it may have
   * limited have their safe values. Of a grid signal: init and failsafe (its failsafe values count), limited,
   * unlimited, autonomous (the failsafe has ended by itself). In a cloud: unknown while the gateway is away;
   * limits are then those that it last reported.
   */
  readonly state:
    | "idle"
    | "holding"
    | "waiting"
    | "blind"
    | "damaged"
    | "init"
    | "failsafe"
    | "limited"
    | "unlimited"
    | "autonomous"
    | "unknown";
  readonly since: string;
  readonly why: string;
  readonly limits: readonly InterlockDemand[];
  readonly measured: readonly InterlockMeasurement[];
  /** What the devices of the site do not have any more, and damage. */
  readonly problems: readonly InterlockProblem[];
  /** In a cloud: the gateway that evaluates it and reported this. null: it is evaluated here. */
  readonly reported_by: string | null;
  /** In a cloud: the gateway has been offline since then. */
  readonly not_confirmed_since: string | null;
};

export type InterlockCheck = {
  readonly is_valid: boolean;
  readonly problems: readonly InterlockProblem[];
};

export type InterlockCircuit = {
  readonly name: string;
  /** Name of the circuit above it. */
  readonly parent?: string;
  /** A, on each phase. */
  readonly max_current: number;
  readonly meter?: InterlockCircuitMeter;
  /** Without a meter: A that others than the loads may draw on each phase. */
  readonly unmeasured?: number;
};

export type InterlockCircuitMeter = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** One for each phase, or one for all. */
  readonly attributes: readonly string[];
};

export type InterlockCondition = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** A telemetry attribute of the device. */
  readonly attribute: string;
  /** Unit of the threshold. Default: that of the attribute. */
  readonly unit?: string;
  /** It holds above this value. */
  readonly above?: number;
  /** It holds below this value. */
  readonly below?: number;
  /** How far the value has to come back. */
  readonly hysteresis?: number;
  /** It holds at this value. */
  readonly equals?: string | number | boolean;
};

export type InterlockDemand = {
  readonly device_id: string;
  readonly control: string;
  readonly unit: string | null;
  readonly kind: "min" | "max";
  readonly value: number;
  /** It changes what the device does or what somebody wants. */
  readonly is_holding: boolean;
};

export type InterlockLimit = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** A control of the device. */
  readonly control: string;
  /** In the unit of the control. */
  readonly min?: number;
  /** In the unit of the control. */
  readonly max?: number;
};

export type InterlockLoad = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** A control of the device. */
  readonly control: string;
  /** What a rising value does. Default: consumes. */
  readonly effect?: "consumes" | "feeds";
  /** How many W or A one unit of the control is. Default: by its unit. */
  readonly per_unit?: number;
  /** An attribute of the device that measures what it draws. Default: what the control reads. */
  readonly draws?: string;
  /** Its value while nothing is known. Default: the one nearest to 0. */
  readonly safe?: number;
  /** Below this value it has to be 0, such as 6 A of a charger. */
  readonly least?: number;
  /** circuits: the one that it hangs on. */
  readonly circuit?: string;
  readonly phases?: readonly number[];
};

export type InterlockMeasurement = {
  readonly device_id: string;
  readonly attribute: string;
  readonly unit: string | null;
  /** null: missing, too old, or not for the caller. */
  readonly value: string | number | boolean | null;
  readonly at: string | null;
};

export type InterlockMeter = {
  /** Id or slug of a device of the site. */
  readonly device: string;
  /** A telemetry attribute of the device. */
  readonly attribute: string;
  /** What positive values are. Default: import. */
  readonly positive?: "import" | "export";
};

export type InterlockProblem = {
  readonly code:
    | "wrong_value"
    | "unknown_field"
    | "too_many"
    | "does_not_go_together"
    | "duplicate"
    | "cycle"
    | "unknown_device"
    | "unknown_attribute"
    | "unknown_control"
    | "unknown_circuit"
    | "wrong_unit"
    | "damaged";
  /** JSON pointer into the document. */
  readonly pointer: string;
  /** What would be right. */
  readonly message: string;
};

export type Invitation = {
  /** For the link /sign-in#invitation=... of the page. It is shown this once. */
  readonly code: string;
  readonly expires_at: string;
};

export type Join = {
  readonly code: string;
  /** What the gateway calls itself. */
  readonly name: string;
  /** Of the gateway's program. */
  readonly version: string;
};

export type JoinCode = {
  /** Names the code where it is listed and withdrawn. It lets nobody join. */
  readonly id: string;
  /** Lets one gateway join. It is shown this once. */
  readonly code: string;
  readonly expires_at: string;
};

export type JoinCodeMaker = {
  readonly token_id: string;
  readonly name: string;
};

export type Joined = {
  /** Gateway identifier. */
  readonly gateway_id: string;
  /** With this the gateway signs in. It is shown this once. */
  readonly credential: string;
};

export type KioskLink = {
  /** The screen's token: level readonly, this site alone. Revoke it to end the screen. */
  readonly token_id: string;
  readonly token_expires_at: string;
  /** For the link /sites/{site_id}/kiosk/{view_id}#code=... of the page. Valid once. */
  readonly code: string;
  readonly code_expires_at: string;
};

export type ListedSession = {
  /** Session identifier. */
  readonly id: string;
  /** The token that signed in. */
  readonly token_id: string;
  readonly token_name: string;
  /** The person who signed in. Null: a token did. */
  readonly account_id: string | null;
  readonly level: AccessLevel;
  /** The sites it sees; null for all. */
  readonly site_ids: readonly string[] | null;
  /** Where the level is higher than `level`. Only people have this. */
  readonly site_levels: readonly SiteLevel[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string;
  /** The address that signed in. */
  readonly from: string;
  /** What the browser says that it is. */
  readonly user_agent: string;
  /** Whether it is the session of this call. */
  readonly current: boolean;
};

export type Location = {
  /** What people call the place. */
  readonly name: string;
  readonly latitude?: number;
  readonly longitude?: number;
};

export type LogEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly log: LogLine;
  /** By the device's clock. */
  readonly timestamp: string;
  readonly received_at: string;
};

export type LogLine = {
  readonly severity: LogSeverity;
  readonly message: string;
};

export type MailChannel = {
  /** The mail server. */
  readonly host: string;
  /** The sender's address. */
  readonly from: string;
  /** The address that gets the mails. Several people are several channels. */
  readonly to: string;
  readonly port: number;
  /** tls from the first byte, starttls (default: refused without it), or none. */
  readonly security: "tls" | "starttls" | "none";
  readonly username: string | null;
};

export type MaintenanceMadeBy = {
  readonly token_id: string;
  readonly name: string;
};

/** While it is open, alerts of its device or site are listed as always, and nobody is notified of them. */
export type MaintenanceWindow = {
  /** Identifier of the window. */
  readonly id: string;
  readonly site_id: string;
  /** With everything that is connected through it; null for the whole site. */
  readonly device_id: string | null;
  readonly from: string;
  readonly until: string;
  readonly reason: string | null;
  readonly made_by: MaintenanceMadeBy;
  readonly made_at: string;
};

export type NewAccount = {
  /** Name of the person. */
  readonly name: string;
  /** Two people never have the same. */
  readonly mail: string;
  readonly level: AccessLevel;
  /** Without it: all sites. */
  readonly site_ids?: readonly string[] | undefined;
  /** Where the level is higher than `level`. Only people have this. */
  readonly site_levels?: readonly SiteLevel[] | undefined;
  /** Null: as the browser says. */
  readonly language?: "en" | "de" | null | undefined;
  /** Null: as is usual in the language. */
  readonly time_format?: "24h" | "12h" | null | undefined;
  /** At least 10 characters, and none of those that everybody tries first. */
  readonly password?: string | undefined;
};

export type NewBulkCommand = {
  /** Command name: the manifest's, or an alias. */
  readonly name: string;
  /** Argument name to value. */
  readonly arguments?: JsonObject | undefined;
  readonly devices: BulkDevices;
  /** How many devices begin per second. Default: 10. */
  readonly rate?: number | undefined;
  /** How many run at once. Default: 10. */
  readonly parallel?: number | undefined;
  /** With so many failures, refusals included, no further device begins. Without it all begin. */
  readonly stop_after?: number | undefined;
};

export type NewCalendar = {
  /** weekly: needs plan. ical: needs text. */
  readonly kind: "weekly" | "ical";
  /** Of a plan, and of times of a file without a zone. Default: that of the site. */
  readonly timezone?: string | null | undefined;
  readonly plan?: WeeklyPlan | undefined;
  /** An iCalendar file (RFC 5545), at most 256 KiB. */
  readonly text?: string | undefined;
  /** Calendars of the site: while one of them is on, this one is off. */
  readonly except?: readonly string[] | undefined;
};

export type NewChildDevice = {
  /** Name of the device. */
  readonly name: string;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** Its site. Without it: the only site there is. */
  readonly site_id?: string | undefined;
  /** The device it hangs on, by id or slug. */
  readonly parent_id: string;
  /** What kind of child it is to its parent. */
  readonly child_type: string;
  /** Blueprint identifier. */
  readonly blueprint_id?: string | undefined;
};

export type NewClaim = {
  /** Default: target. */
  readonly kind?: "target" | "min" | "max" | undefined;
  /** In the unit of the control. null, as if left out, says nothing now; unlimited is for min and max. */
  readonly value?: number | "unlimited" | null | undefined;
  /** Default: person. grid only limits, and needs level installer. */
  readonly class?: "grid" | "person" | "rule" | "plan" | "default" | undefined;
  /** Why, for people. */
  readonly reason: string;
  /** A duration such as 10m. Default: 1h for person, else 1m. At most 7d for person, else 1d. */
  readonly lease?: string | undefined;
  /** Ends the targets of the same class that others have. Otherwise the oldest counts. */
  readonly take_over?: boolean | undefined;
};

export type NewCommandSchedule = {
  /** For people. */
  readonly name: string;
  readonly bulk: NewBulkCommand;
  /** Once, at this time. Or cron. */
  readonly at?: string | null | undefined;
  /** Five fields: minute, hour, day, month, weekday. Or at. */
  readonly cron?: string | null | undefined;
  readonly daily?: ScheduleDaily | null | undefined;
  /** Calendars of the site: a time while one of them is on is left out. */
  readonly except?: readonly string[] | undefined;
  /** Calendars of the site: only times while one of them is on count. */
  readonly only?: readonly string[] | undefined;
  /** Of cron and daily. Default: that of the first device's site. */
  readonly timezone?: string | undefined;
  /** What becomes of a time at which nothing ran. Default: skip. */
  readonly missed?: "skip" | "run_late" | undefined;
  /** run_late: for so long, up to 7d. Default: 1h. */
  readonly late_within?: string | undefined;
  /** Default: true. */
  readonly is_enabled?: boolean | undefined;
};

export type NewCounterCorrection = {
  /** The counter, as the list of doubtful steps names it. */
  readonly attribute: string;
  /** Time of the step, RFC 3339: that of the value after it. */
  readonly at: string;
  /**
   * counter_replaced: another counter counts from the step on. value_wrong: what the step counted never flowed.
   * accept: the step is right.
   */
  readonly kind: CorrectionKind;
  /**
   * counter_replaced: what the new counter showed when it was installed, in the unit of the attribute. Without
   * it, it counts from the value after the step.
   */
  readonly new_start?: number | undefined;
  /** Why, for people. */
  readonly note?: string | undefined;
};

/**
 * connection: meter, max_import, max_export, loads. circuits: circuits, loads. condition: when, limits.
 * grid_signal: from, limits, failsafe.
 */
export type NewInterlock = {
  readonly kind: "connection" | "circuits" | "condition" | "grid_signal";
  /** For people. */
  readonly display_name?: string;
  /** Older measurements are unknown. Default: 30s. */
  readonly stale_after?: string;
  /** limit: the limit holds and loads have their safe values. keep: what was known counts for keep_for. */
  readonly when_unknown?: "limit" | "keep";
  /** Default: 5m. */
  readonly keep_for?: string;
  /** connection: of max_import, max_export and per_unit. Default: W. */
  readonly unit?: string;
  readonly meter?: InterlockMeter;
  /** connection */
  readonly max_import?: number;
  /** connection */
  readonly max_export?: number;
  /** How loads share what there is. Default: order. */
  readonly sharing?: "order" | "proportional";
  /** More must be free for so long before a limit rises. Default: 1m. */
  readonly release_after?: string;
  /** How much more, as a part of the maximum. Default: 0.02. */
  readonly margin?: number;
  readonly loads?: readonly InterlockLoad[];
  readonly circuits?: readonly InterlockCircuit[];
  readonly when?: InterlockCondition;
  /** condition: it holds for so long at least. Default: 0s. */
  readonly hold_for?: string;
  readonly limits?: readonly InterlockLimit[];
  /** grid_signal: a contact, or claims of class grid on the controls of failsafe. */
  readonly from?: "claims" | GridContact;
  /** grid_signal: silence of this length leads to failsafe. Default: 120s. */
  readonly heartbeat?: string;
  /** grid_signal: the failsafe lasts so long at least. Default: 2h. */
  readonly failsafe_for?: string;
  /** stay: until the signal is back, the default. release: it ends by itself. */
  readonly after_failsafe?: "stay" | "release";
  readonly failsafe?: readonly InterlockLimit[];
};

export type NewJoinCode = {
  /** What the gateway is called here. Defaults to the name of its first site. */
  readonly name?: string | undefined;
  /** A duration such as 2h, or seconds, at most 30 days. Without it: 1 hour. */
  readonly expires_in?: string | number | undefined;
  /** A gateway whose sites the new one may take over: replaced hardware, or one that joins again. */
  readonly replaces?: string | undefined;
  /** Sites of other gateways that the new one may take over. */
  readonly site_ids?: readonly string[] | undefined;
};

export type NewKioskLink = {
  /** How long the screen may show it: a duration such as 365d, the default. */
  readonly expires_in?: string | undefined;
};

export type NewLuaDevice = {
  /** Name of the device. */
  readonly name: string;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** Its site. Without it: the only site there is. */
  readonly site_id?: string | undefined;
  /** Blueprint identifier. */
  readonly blueprint_id: string;
  /** The device that runs it, by id or slug. Without it: this gateway. */
  readonly runtime_id?: string | undefined;
};

export type NewMailChannel = {
  /** The mail server. */
  readonly host: string;
  /** The sender's address. */
  readonly from: string;
  /** The address that gets the mails. Several people are several channels. */
  readonly to: string;
  /** Default: 465, 587 or 25, by security. */
  readonly port?: number | undefined;
  /** tls from the first byte, starttls (default: refused without it), or none. */
  readonly security?: "tls" | "starttls" | "none" | undefined;
  /** Where the server asks for it. */
  readonly username?: string | undefined;
  /**
   * For the user name. Stored encrypted and never shown. Without it, the stored one stays, if it is for the same
   * server.
   */
  readonly password?: string | undefined;
};

export type NewMaintenanceWindow = {
  /** Only this device, and what is connected through it. Default: the whole site. */
  readonly device_id?: string | undefined;
  /** Default: now. At most a year ahead. */
  readonly from?: string | undefined;
  /** At most 92 days after it begins. */
  readonly until: string;
  /** Why, for the others. */
  readonly reason?: string | undefined;
};

/** Exactly one of mail, ntfy, telegram, webhook; none for devices that take push. */
export type NewNotificationChannel = {
  /** For people. Unique within the site. */
  readonly name: string;
  /** Of the messages. Default en. */
  readonly language?: "en" | "de" | undefined;
  readonly quiet?: QuietHours | undefined;
  /** It may reach this machine and private networks, and mail servers on any port. Takes the level system. */
  readonly allow_private?: boolean | undefined;
  readonly mail?: NewMailChannel | undefined;
  readonly ntfy?: NewNtfyChannel | undefined;
  readonly telegram?: NewTelegramChannel | undefined;
  readonly webhook?: NewWebhookChannel | undefined;
};

export type NewNotificationPreview = {
  /** Whose alert it would be. Without it: a message of a rule. */
  readonly device_id?: string | undefined;
  readonly severity: "info" | "warning" | "error";
};

/** Who is notified of what. */
export type NewNotificationRoute = {
  /** For people. Unique within the site. */
  readonly name: string;
  /** Default true. */
  readonly enabled?: boolean | undefined;
  /** Of this severity and graver ones. Default info. */
  readonly severity?: "info" | "warning" | "error" | undefined;
  /** Only alerts of devices that implement one of these. Default: of all devices. */
  readonly profiles?: readonly string[] | undefined;
  /** Only while this calendar of the site is on. */
  readonly hours?: string | undefined;
  /** Also messages that rules send. Default true. */
  readonly rules?: boolean | undefined;
  /** Alerts within this time are sent together. Default 30s, at most 1h. */
  readonly group?: string | undefined;
  /** A reminder after this time, until acknowledged. At least 1m. Default: never. */
  readonly remind?: string | undefined;
  /** Whoever was notified of an alert is notified when it is over. Default true. */
  readonly over?: boolean | undefined;
  /** Who is notified, and who else after which time. */
  readonly steps: readonly NewNotificationStep[];
};

export type NewNotificationStep = {
  /** While nobody has acknowledged the alert. Default 0s, at most 7d. */
  readonly after?: string | undefined;
  readonly channels: readonly string[];
};

export type NewNtfyChannel = {
  /** Default https://ntfy.sh. */
  readonly server?: string | undefined;
  /** Whoever knows a topic of a public server can read it. */
  readonly topic: string;
  /**
   * An access token, if the topic asks for one. Stored encrypted and never shown. Without it, the stored one
   * stays, if it is for the same server.
   */
  readonly token?: string | undefined;
};

export type NewPasskey = {
  /** The id of the key, as the device chose it. Base64url. */
  readonly id: string;
  /** What the person calls it. */
  readonly name: string;
  /** SubjectPublicKeyInfo, as `getPublicKey()` gives it. Base64url. */
  readonly public_key: string;
  /** `clientDataJSON` of the browser. Base64url. */
  readonly client_data: string;
  /** `authenticatorData` of the browser. Base64url. */
  readonly authenticator_data: string;
};

export type NewPrice = {
  /** RFC 3339, on a quarter of an hour. */
  readonly from: string;
  /** End, not included. */
  readonly to?: string | undefined;
  /** Instead of the end. */
  readonly duration?: string | undefined;
  /** In the currency of the tariff for a kilowatt-hour, or grams of CO2. Null deletes. */
  readonly price: number | null;
};

/** Where prices are fetched from, and how they are read. */
export type NewPriceSource = {
  /**
   * An http or https address that answers a GET with JSON. {today} and {tomorrow} stand for dates of the site's
   * calendar.
   */
  readonly url: string;
  /**
   * Path of the start of each price in the JSON answer, in which * stands for each row, such as /data/*\/start
   * or /start/*.
   */
  readonly time: string;
  /** Path of each price in the JSON answer, in which * stands for each row, such as /data/*\/start or /start/*. */
  readonly price: string;
  readonly header?: PriceSourceHeader | undefined;
  /** rfc3339: ISO 8601 with an offset from UTC. s, ms: Unix seconds, milliseconds. Default rfc3339. */
  readonly time_format?: "rfc3339" | "s" | "ms" | undefined;
  /** How long each price holds. Default 1h. */
  readonly resolution?: "15m" | "1h" | undefined;
  /**
   * Multiplied with each price to get money (or grams) for a kilowatt-hour: 0.001 for EUR/MWh, 0.01 for ct/kWh.
   * Fees and taxes are added by the tariff: add and factor. Default 1.
   */
  readonly scale?: number | undefined;
  /** How often it is fetched, from 15m to 7d. Default 1h. */
  readonly every?: string | undefined;
};

/** Prices of a site. They replace those of the same times. */
export type NewPrices = {
  /** How long each price holds where its row does not say it: 15m or 1h. */
  readonly duration?: string | undefined;
  readonly prices: readonly NewPrice[];
};

/** What a browser gives that has subscribed. */
export type NewPushDevice = {
  /** For people, such as “phone”. */
  readonly name: string;
  /** Where its push service takes messages. Stored encrypted and never shown. */
  readonly endpoint: string;
  /** Its public key, an uncompressed point in base64url. */
  readonly p256dh: string;
  /** Its authentication secret in base64url. */
  readonly auth: string;
  /** Of the messages, with the first device. Default en. */
  readonly language?: "en" | "de" | undefined;
};

export type NewRollout = {
  /** What the roll-out is called. Without it: as the blueprint. */
  readonly name?: string | undefined;
  /** What the devices get. */
  readonly blueprint_id: string;
  readonly devices: RolloutFilter;
  /** How many devices have the blueprint after each stage, such as 5 or 10%. Without it: 1, 10%, 100%. */
  readonly stages?: readonly string[] | undefined;
  /** How long a device has to be well before it counts as done, such as 10m, or seconds. Default 10m. */
  readonly watch?: string | number | undefined;
  /**
   * How long a device may take to get the blueprint, such as 1h, or seconds. Time in which its gateway is away
   * does not count. Default 1h.
   */
  readonly timeout?: string | number | undefined;
  /** With more failed devices the roll-out stops. Default 0. */
  readonly max_failures?: number | undefined;
};

export type NewRule = {
  /** Unique on the site. */
  readonly slug: string;
  readonly script: NewRuleScript;
  /** Default: false, it runs at once. */
  readonly disable?: boolean | undefined;
};

export type NewRuleDryRun = {
  readonly script?: NewRuleScript | undefined;
  /** Id or slug of a stored rule, instead of a script. */
  readonly rule?: string | undefined;
  readonly from: string;
  /** At most 31 days later. */
  readonly to: string;
  /** Their values at the beginning, instead of those of now. */
  readonly variables?: Readonly<Record<string, string | number | boolean>> | undefined;
};

export type NewRuleScript = {
  /** Base64 of the text. */
  readonly code: string;
  /** V1 is refused. */
  readonly runtime_version: "V1" | "V3";
  /** Default: lua. yaml: a declarative rule. */
  readonly language?: "lua" | "yaml" | undefined;
  /** How often the script runs as a whole. Without it, or with 0s, it runs once and goes on by its jobs. */
  readonly exec_interval?: string | undefined;
};

export type NewRuleTest = {
  /** The text of the scenarios, in YAML. Default: the tests that the text of the rule keeps. */
  readonly scenarios?: string | undefined;
  readonly script?: NewRuleScript | undefined;
  /** Id or slug of a stored rule, instead of a script. */
  readonly rule?: string | undefined;
  /** Only scenarios whose name contains this. */
  readonly filter?: string | undefined;
};

export type NewScheduleTimes = {
  /** Whose sun and calendars count: the site of the devices. */
  readonly site_id?: string | undefined;
  /** Once, at this time. Or cron. */
  readonly at?: string | null | undefined;
  /** Five fields: minute, hour, day, month, weekday. Or at. */
  readonly cron?: string | null | undefined;
  readonly daily?: ScheduleDaily | null | undefined;
  /** Calendars of the site: a time while one of them is on is left out. */
  readonly except?: readonly string[] | undefined;
  /** Calendars of the site: only times while one of them is on count. */
  readonly only?: readonly string[] | undefined;
  /** Of cron and daily. Default: that of the first device's site. */
  readonly timezone?: string | undefined;
  /** Default: 5. */
  readonly count?: number | undefined;
};

export type NewSettingValue = {
  readonly value: string;
};

export type NewSimulatedDevice = {
  /** Name of the device. */
  readonly name: string;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** Its site. Without it: the only site there is. */
  readonly site_id?: string | undefined;
  /** Blueprint identifier. */
  readonly blueprint_id: string;
};

export type NewSite = {
  /** Name of the site. */
  readonly name: string;
  /** IANA name, such as Europe/Berlin. */
  readonly timezone?: string | undefined;
  readonly location?: Location | undefined;
};

export type NewSiteGrant = {
  /** The site that the gateway may take over. */
  readonly site_id: string;
};

export type NewStandaloneDevice = {
  /** Name of the device. */
  readonly name: string;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** Its site. Without it: the only site there is. */
  readonly site_id?: string | undefined;
  /** Blueprint identifier. */
  readonly blueprint_id?: string | undefined;
};

export type NewTariff = {
  /** ISO 4217, such as EUR. */
  readonly currency: string;
  /** In the order of their dates. A new tariff is one more version, so that the past stays as it was. */
  readonly versions: readonly TariffVersion[];
};

export type NewTelegramChannel = {
  /** Of the Bot API. Default https://api.telegram.org. */
  readonly server?: string | undefined;
  /** Id of the chat, or @name of a channel. */
  readonly chat: string;
  /**
   * Of the bot. Stored encrypted and never shown. Without it, the stored one stays, if it is for the same
   * server.
   */
  readonly token?: string | undefined;
};

export type NewTerminalSignIn = {
  /** What asks and where it runs, such as `busbar on laptop`. It is shown to the person as what the program says. */
  readonly program: string;
  /** The highest level that it wants. */
  readonly level?: AccessLevel | undefined;
};

export type NewToken = {
  /** What the token is for. */
  readonly name: string;
  readonly level: AccessLevel;
  /** Without it: all sites. */
  readonly site_ids?: readonly string[] | undefined;
  /** If a person makes it: it stays when that person goes. Otherwise it is the person's own. */
  readonly of_installation?: boolean | undefined;
  /** How long the token lives: a duration such as 30d, or seconds. Without it: until revoked. */
  readonly expires_in?: string | number | undefined;
};

export type NewUplink = {
  /** Address of the cloud, such as https://cloud.example. */
  readonly url: string;
  /** The code that the cloud made. */
  readonly code: string;
};

export type NewView = {
  readonly kind: ViewKind;
  /** A name for people. */
  readonly name: string;
  /** ExploreView, DashboardView or DeviceFilterView, by the kind. At most 64 KiB. */
  readonly content: JsonObject;
  /** Everybody who sees the site sees it, and level user changes it. Otherwise it is the caller's own. */
  readonly is_shared?: boolean | undefined;
  /**
   * The page of the site begins with this dashboard, or Explore with this chart: the page keeps there what was
   * looked at last. One of each kind; one's own comes before the shared one.
   */
  readonly is_start?: boolean | undefined;
};

export type NewVirtualUcm = {
  /** Name of the device. */
  readonly name: string;
  /**
   * Short name for paths and scripts: a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter
   * or digit, and does not look like an id.
   */
  readonly slug?: string | undefined;
  /** Its site. Without it: the only site there is. */
  readonly site_id?: string | undefined;
  /** The name by which it signs in: 1 to 64 letters, digits, dots, _ or -. Without it: one is made. */
  readonly hardware_id?: string | undefined;
};

export type NewWebhook = {
  /** Where to POST to: an http or https address. */
  readonly url: string;
  /** Without it: all sites that the caller sees. */
  readonly site_ids?: readonly string[] | undefined;
  /** The kinds of events it receives. Default: alert. */
  readonly kinds?: readonly WebhookKind[] | undefined;
};

export type NewWebhookChannel = {
  /** Takes signed POST requests. */
  readonly url: string;
  /**
   * What they are signed with. Stored encrypted and never shown. Without it, one is made, or the stored one
   * stays.
   */
  readonly secret?: string | undefined;
};

/** What becomes of the next command of a simulated device. */
export type NextCommand = {
  /** fail answers an error, slow answers after delay, silent never answers. */
  readonly kind: "fail" | "slow" | "silent";
  /** Only this command, by its manifest name. Default: any. */
  readonly command?: string | null;
  /** How many commands. Default: 1. */
  readonly times?: number;
  /** What a failing one says. */
  readonly message?: string | null;
  /** How long a slow one takes. Default: 20s. */
  readonly delay?: string;
  /** Whether a slow command reports progress. Default: true. */
  readonly progress?: boolean;
};

/** A message to the people of a site. */
export type Notification = {
  /** Notification identifier. */
  readonly id: string;
  readonly site_id: string;
  readonly at: string;
  readonly severity: "info" | "warning" | "error";
  readonly title: string | null;
  readonly text: string;
  readonly source: NotificationSource;
};

export type NotificationAttempt = {
  readonly at: string;
  readonly outcome: "taken" | "refused" | "unknown";
  readonly error: string | null;
};

/** How somebody is reached. Secrets are not shown. */
export type NotificationChannel = {
  /** Identifier of the channel. */
  readonly id: string;
  readonly site_id: string;
  readonly name: string;
  readonly kind: "mail" | "ntfy" | "telegram" | "webhook" | "push";
  readonly language: "en" | "de";
  readonly quiet: QuietHours | null;
  readonly allow_private: boolean;
  readonly mail?: MailChannel;
  readonly ntfy?: NtfyChannel;
  readonly telegram?: TelegramChannel;
  readonly webhook?: WebhookChannel;
  readonly push?: PushChannel;
  /** A password or token is stored, or what webhooks are signed with. */
  readonly has_secret: boolean;
  readonly created_at: string;
  readonly updated_at: string;
};

export type NotificationItem = {
  readonly device_id: string | null;
  readonly alert_id: string | null;
  readonly severity: "info" | "warning" | "error";
  readonly name: string;
  readonly at: string;
};

/** A message to a channel, and what became of it. */
export type NotificationMessage = {
  /** Identifier of the message: the header X-Busbar-Delivery of a webhook. */
  readonly id: string;
  readonly channel_id: string;
  /** raised: sent for the first time; reminder: again; over: it has ended; rule: a message of a rule. */
  readonly kind: "raised" | "reminder" | "over" | "rule" | "test";
  /** FAILED: given up. UNKNOWN: it may have arrived; it is not sent again by itself, because it could come twice. */
  readonly state: "WAITING" | "SENDING" | "SENT" | "FAILED" | "UNKNOWN";
  readonly attempts: number;
  /** The last attempts, oldest first. */
  readonly history: readonly NotificationAttempt[];
  readonly queued_at: string;
  readonly next_attempt_at: string | null;
  readonly finished_at: string | null;
  readonly error: string | null;
  readonly items: readonly NotificationItem[];
};

/** Who would be notified of an alert that is raised now. */
export type NotificationPreview = {
  readonly silenced_until: string | null;
  /** In the order of time. */
  readonly tells: readonly NotificationTell[];
};

/** Who is notified of what. */
export type NotificationRoute = {
  /** Identifier of the route. */
  readonly id: string;
  readonly site_id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly severity: "info" | "warning" | "error";
  readonly profiles: readonly string[];
  readonly hours: string | null;
  readonly rules: boolean;
  readonly group: string;
  readonly remind: string | null;
  readonly over: boolean;
  readonly steps: readonly NotificationStep[];
  readonly created_at: string;
  readonly updated_at: string;
};

export type NotificationSource = {
  readonly kind: "rule";
  readonly id: string;
  /** As it was then. */
  readonly slug: string;
};

export type NotificationStep = {
  readonly after: string;
  readonly channels: readonly string[];
};

export type NotificationTell = {
  readonly channel_id: string;
  /** Its name. */
  readonly channel: string;
  readonly route_id: string;
  /** Its name. */
  readonly route: string;
  /** If nobody acknowledges it before. */
  readonly at: string;
};

export type NotificationTest = {
  /** taken: the receiver accepted it. unknown: it may have arrived; nobody said so in time. */
  readonly outcome: "taken" | "refused" | "unknown";
  /** Why it was not taken. */
  readonly error: string | null;
};

/** How far the caller has read the messages of rules. */
export type NotificationsRead = {
  readonly read_until: string | null;
  /** Later ones, at most 1000. */
  readonly unread: number;
};

export type NtfyChannel = {
  readonly server: string;
  readonly topic: string;
};

/** A code with which a gateway can still join. */
export type OpenJoinCode = {
  /** Identifier, not the code itself. */
  readonly id: string;
  /** What the gateway will be called; null: the name of its first site. */
  readonly name: string | null;
  /** The gateway whose sites the new one may take over. */
  readonly replaces: string | null;
  /** Further sites that it may take over. */
  readonly site_ids: readonly string[];
  readonly made_by: JoinCodeMaker;
  readonly created_at: string;
  readonly expires_at: string;
};

export type OwnAccountChange = {
  /** Name of the person. */
  readonly name?: string | undefined;
  /** Null: as the browser says. */
  readonly language?: "en" | "de" | null | undefined;
  /** Null: as is usual in the language. */
  readonly time_format?: "24h" | "12h" | null | undefined;
};

/** What a token may do, as the token itself can read it. */
export type OwnToken = {
  /** Token identifier. */
  readonly id: string;
  readonly name: string;
  readonly level: AccessLevel;
  /** The sites it sees; null for all. */
  readonly site_ids: readonly string[] | null;
  /** Where the level is higher than `level`. Only people have this. */
  readonly site_levels: readonly SiteLevel[];
};

export type OwnTokenAnswer = {
  readonly token: OwnToken;
};

/** A key with which a person signs in without a password. */
export type Passkey = {
  /** The id of the key, as the device chose it. Base64url. */
  readonly id: string;
  readonly name: string;
  /** The name of the page for which it is. */
  readonly host: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
};

export type PasskeyChange = {
  /** What the person calls it. */
  readonly name: string;
};

/** What the browser is asked for. */
export type PasskeyOffer = {
  /** What the device signs, once and within 5 minutes. */
  readonly challenge: string;
  /** The name of this page: the id of the relying party. */
  readonly host: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly display_name: string;
  /** Keys that are there already. */
  readonly known_ids: readonly string[];
};

export type PasskeyOfferInput = {
  readonly current_password: string;
  readonly code?: string | undefined;
};

export type PasskeySignIn = {
  /** The id of the key, as the device chose it. Base64url. */
  readonly id: string;
  /** `clientDataJSON` of the browser. Base64url. */
  readonly client_data: string;
  /** `authenticatorData` of the browser. Base64url. */
  readonly authenticator_data: string;
  /** Of the device. Base64url. */
  readonly signature: string;
};

export type PasskeySignInOffer = {
  /** What the device signs, once and within 5 minutes. */
  readonly challenge: string;
  /** The name of this page: the id of the relying party. */
  readonly host: string;
};

export type PasswordChange = {
  readonly current_password: string;
  /** At least 10 characters, and none of those that everybody tries first. */
  readonly new_password: string;
};

export type PlanRange = {
  /** By the local clock, such as 22:00. */
  readonly from: string;
  /** Such as 06:00: on the next day if it is not later. 24:00 is the end of the day. */
  readonly to: string;
  /** What holds during the range, such as a set point. All values of a plan have one type. */
  readonly value?: string | number | boolean;
};

export type Price = {
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339 */
  readonly to: string;
  readonly price: number;
};

/** Where prices are fetched from, and how that goes. */
export type PriceSource = {
  readonly kind: "import" | "export" | "co2";
  /**
   * An http or https address that answers a GET with JSON. {today} and {tomorrow} stand for dates of the site's
   * calendar.
   */
  readonly url: string;
  /**
   * Path of the start of each price in the JSON answer, in which * stands for each row, such as /data/*\/start
   * or /start/*.
   */
  readonly time: string;
  /** Path of each price in the JSON answer, in which * stands for each row, such as /data/*\/start or /start/*. */
  readonly price: string;
  /** The name of the header. Its value is not shown. */
  readonly header: string | null;
  /** rfc3339: ISO 8601 with an offset from UTC. s, ms: Unix seconds, milliseconds. Default rfc3339. */
  readonly time_format: "rfc3339" | "s" | "ms";
  /** How long each price holds. Default 1h. */
  readonly resolution: "15m" | "1h";
  /**
   * Multiplied with each price to get money (or grams) for a kilowatt-hour: 0.001 for EUR/MWh, 0.01 for ct/kWh.
   * Fees and taxes are added by the tariff: add and factor. Default 1.
   */
  readonly scale: number;
  /** How often it is fetched, from 15m to 7d. Default 1h. */
  readonly every: string;
  readonly updated_at: string;
  /** When it is fetched next. */
  readonly next_at: string;
  /** In a row. Each one makes the pause before the next longer. */
  readonly failures: number;
  readonly succeeded_at: string | null;
  /** Prices in the last good answer. */
  readonly rows: number | null;
  readonly failed_at: string | null;
  /** Why the last failed attempt failed. */
  readonly error: string | null;
};

/** A header that is sent along, such as one with a key. */
export type PriceSourceHeader = {
  readonly name: string;
  /** Stored encrypted and never shown. Without it, the stored one stays, if it is for the same server. */
  readonly value?: string | undefined;
};

/** What a source would give. Nothing of it is stored. */
export type PriceTrial = {
  /** Everything that is wrong. Empty: the prices would be stored. */
  readonly problems: readonly string[];
  /** Rows that were read. */
  readonly total: number;
  /** The first rows. */
  readonly prices: readonly TriedPrice[];
};

/** Quarters of an hour with the same price are one row. */
export type Prices = {
  readonly kind: string;
  readonly prices: readonly Price[];
};

export type ProviderReturn = {
  /** All parameters of the address that the browser came back to. */
  readonly parameters: string;
};

export type ProviderSignIn = {
  /** At the provider. */
  readonly url: string;
  readonly expires_at: string;
};

export type ProvisionedDevice = {
  /** Device identifier. */
  readonly device_id: string;
};

/** How browsers subscribe, and the devices of the caller. */
export type Push = {
  /** Of this installation: an uncompressed point of P-256 in base64url. */
  readonly public_key: string;
  /** Of the caller's own devices; null before the first. */
  readonly channel_id: string | null;
  readonly devices: readonly PushDevice[];
};

export type PushChannel = {
  /** Whose devices they are: id of the account, or of the token. */
  readonly person: string;
  readonly devices: readonly PushDevice[];
};

/** A browser or an installed page that takes messages. */
export type PushDevice = {
  /** Identifier of the device. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Host of its push service. */
  readonly service: string;
  readonly created_at: string;
};

/** While the calendar is on, messages wait until it is off. */
export type QuietHours = {
  /** A calendar of the site. */
  readonly calendar: string;
  /** Messages of this severity and graver ones go out anyway. */
  readonly except?: "info" | "warning" | "error";
};

export type ReadMark = {
  readonly until: string;
};

/** Codes for when the app is gone. */
export type RecoveryCodes = {
  /** Each works once in place of a code of the app. They are shown this once. */
  readonly recovery_codes: readonly string[];
};

/** A record that the cloud does not take from a gateway. */
export type RefusedRecord = {
  /** Such as site or device. */
  readonly kind: string;
  /** The record among those of its kind. */
  readonly id: string;
  readonly reason: string;
};

/** The rule that a controller makes. */
export type RenderedController = {
  /** The text of the rule; null while a parameter is wrong. */
  readonly script: string | null;
  /** The one that was given, or a free one. */
  readonly slug: string;
  readonly diagnostics: readonly ControllerDiagnostic[];
};

/** How long the telemetry of a site is kept: durations, or unlimited. */
export type SiteRetention = {
  /** A duration of at least 1h, or unlimited. */
  readonly default: string | null;
  /** Attribute to how long its values are kept. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What holds where default is null. */
  readonly installation_default: string;
};

export type RetentionRules = {
  /** A duration of at least 1h, or unlimited. */
  readonly default?: string | undefined;
  /** Attribute to how long its values are kept. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
};

/** A blueprint that many devices get, in stages. */
export type Rollout = {
  /** Roll-out identifier. */
  readonly id: string;
  readonly name: string;
  readonly blueprint_id: string;
  /** HALTED: too many devices have failed; it goes on when it is resumed. */
  readonly state: "RUNNING" | "PAUSED" | "HALTED" | "DONE" | "ABORTED";
  /** Why it is halted. */
  readonly reason: string | null;
  /** The stage that runs, or ran last, from 1. */
  readonly stage: number;
  /** How many devices have the blueprint after each stage. */
  readonly stages: readonly number[];
  readonly watch_seconds: number;
  readonly timeout_seconds: number;
  readonly max_failures: number;
  readonly devices: RolloutCounts;
  /** Name of the token that created it. */
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type RolloutCounts = {
  readonly total: number;
  readonly waiting: number;
  /** Those of the waiting devices of this stage whose gateway is not connected. */
  readonly away: number;
  readonly assigning: number;
  readonly watched: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
};

export type RolloutDevice = {
  readonly device_id: string;
  readonly site_id: string;
  /** From 1. */
  readonly stage: number;
  readonly state: "WAITING" | "ASSIGNING" | "WATCHED" | "DONE" | "FAILED" | "SKIPPED";
  readonly since: string;
  /** Why it failed, was skipped, or waits although it is its turn. */
  readonly reason: string | null;
  readonly former_blueprint_id: string | null;
};

export type RolloutFilter = {
  /** These devices, by id or slug. */
  readonly device_ids?: readonly string[] | undefined;
  /** Devices of these sites. */
  readonly site_ids?: readonly string[] | undefined;
  /** Devices that have one of these blueprints now. */
  readonly blueprint_ids?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
};

/** A rule of a site. */
export type Rule = {
  /** Rule identifier. */
  readonly id: string;
  readonly slug: string;
  readonly disabled: boolean;
  /** STOPPED also between a failure and the next start. */
  readonly state: "STARTED" | "STOPPED";
  readonly script: RuleScript;
  /** Rises with each change. For the header If-Match. */
  readonly revision: number;
  readonly last_error: RuleError | null;
  /** When it starts again after a failure. */
  readonly restart_at: string | null;
  readonly explanation: RuleExplanation | null;
  readonly controller: RuleController | null;
  readonly last_run: RuleRun | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** In a cloud: the gateway that runs the rules and reported this. null: they run here. */
  readonly reported_by: string | null;
  /** In a cloud: the gateway has been offline since then, and nobody knows whether this is still so. */
  readonly not_confirmed_since: string | null;
};

export type RuleChange = {
  /** Unique on the site. */
  readonly slug: string;
};

export type RuleCheck = {
  readonly script: NewRuleScript;
};

/** The controller that made a rule. */
export type RuleController = {
  readonly id: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** Somebody has edited the text since. */
  readonly is_changed: boolean;
};

/** Something that is wrong with the text of a rule. */
export type RuleDiagnostic = {
  /** A rule with errors is not stored. */
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  /** JSON pointer into a text in YAML; empty in Lua. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
};

/** What a rule would have done with the stored past. */
export type RuleDryRun = {
  readonly from: string;
  /** Earlier than asked for if there was too much to simulate. */
  readonly simulated_to: string;
  /** How many times it started. */
  readonly started: number;
  /** How long its conditions were true. null: it has none. */
  readonly on_seconds: number | null;
  readonly claims: readonly RuleDryRunClaim[];
  readonly bands: readonly RuleDryRunBand[];
  readonly effects: readonly RuleDryRunEffect[];
  /** The last ones, newest first. */
  readonly traces: readonly RuleTrace[];
  /** What was simplified or is unknown. */
  readonly problems: readonly string[];
};

export type RuleDryRunBand = {
  /** As the rule names it, if the site has no such device. */
  readonly device_id: string;
  readonly control: string;
  readonly kind: "target" | "min" | "max";
  /** null: unlimited. */
  readonly value: number | null;
  readonly from: string;
  readonly to: string;
};

export type RuleDryRunClaim = {
  /** As the rule names it, if the site has no such device. */
  readonly device_id: string;
  readonly control: string;
  readonly unit: string | null;
  readonly count: number;
  readonly seconds: number;
  /** The claimed power over time. null: the control is no power, or unlimited. */
  readonly energy_wh: number | null;
};

export type RuleDryRunEffect = {
  readonly at: string;
  readonly kind: "execute" | "notify" | "set" | "report" | "log";
  readonly text: string;
  readonly key?: string;
};

/** What runs the rules of a site. */
export type RuleEngine = {
  /** That of the site. */
  readonly id: string;
  readonly state: "ACTIVE" | "SUSPENDED";
  /** Of the site. */
  readonly timezone: string;
  /** In a cloud: the gateway that runs the rules and reported this. null: they run here. */
  readonly reported_by: string | null;
  /** In a cloud: the gateway has been offline since then, and nobody knows whether this is still so. */
  readonly not_confirmed_since: string | null;
};

/** The last error of a rule that its script did not catch. */
export type RuleError = {
  readonly message: string;
  readonly file: string | null;
  readonly line: number | null;
  /** The frames that led there. */
  readonly traceback: string | null;
  readonly at: string;
};

/** What a rule of the site does, or how it is, has changed. At most once a second for each rule. */
export type RuleEvent = {
  readonly site_id: string;
  readonly rule_id: string;
  readonly slug: string;
  readonly state: "STARTED" | "STOPPED";
  readonly disabled: boolean;
  readonly explanation: RuleExplanation | null;
  readonly last_run: RuleRun | null;
};

/** Something that a rule looked at. */
export type RuleEvidence = {
  /** JSON pointer into the text of a rule in YAML, or the function that a script called. */
  readonly place: string;
  /** Such as meter.power. */
  readonly what: string;
  /** null: unknown. */
  readonly outcome: boolean | null;
  /** Missing: unknown, or the token may not read it. */
  readonly value?: string | number | boolean;
  readonly age_seconds?: number;
};

/** What the rule says about what it does. */
export type RuleExplanation = {
  readonly text: string;
  readonly at: string;
};

/** A line of a rule's log. */
export type RuleLogLine = {
  /** Rises with each line of the rule. */
  readonly sequence: number;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly severity: LogSeverity;
  readonly message: string;
};

export type RuleNames = {
  /** Ids or slugs. All of them are changed, or none. */
  readonly rule_ids: readonly string[];
};

export type RuleNamesAlert = {
  readonly id: string;
  readonly display_name: string;
};

export type RuleNamesAttribute = {
  readonly name: string;
  readonly display_name: string;
  readonly type: "boolean" | "string" | "integer" | "float" | "array_of_strings" | "alerts";
  readonly unit: string | null;
};

export type RuleNamesCommand = {
  readonly name: string;
  readonly display_name: string;
};

export type RuleNamesControl = {
  readonly name: string;
  readonly display_name: string;
  readonly unit: string | null;
  /** null: no limit is known. */
  readonly min: number | null;
  readonly max: number | null;
};

export type RuleNamesOfDevice = {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly category: string | null;
  /** Also those that others include. */
  readonly profiles: readonly string[];
  readonly attributes: readonly RuleNamesAttribute[];
  readonly commands: readonly RuleNamesCommand[];
  readonly controls: readonly RuleNamesControl[];
  readonly alerts: readonly RuleNamesAlert[];
};

export type RuleNamesVariable = {
  readonly name: string;
  readonly value: string | number | boolean;
};

/** The newest trace of a rule, in short. */
export type RuleRun = {
  readonly at: string;
  readonly outcome: "ran" | "skipped" | "not_met" | "unknown" | "loop" | "failed";
  readonly why: string;
};

/** What a rule runs. */
export type RuleScript = {
  /** Base64 of the text. */
  readonly code: string;
  readonly runtime_version: "V3";
  /** yaml: a declarative rule. */
  readonly language: "lua" | "yaml";
  readonly exec_interval?: string;
};

export type RuleScriptChange = {
  readonly script: NewRuleScript;
};

/** Something that a run did. */
export type RuleStep = {
  /** JSON pointer into the text of a rule in YAML, or the function that a script called. */
  readonly place: string;
  readonly at: string;
  readonly what: string;
  /** null: not known yet, or there is none. */
  readonly result: string | null;
};

/** What scenarios say of a rule. */
export type RuleTest = {
  readonly passed: boolean;
  /** What is wrong with the text of the scenarios. */
  readonly diagnostics: readonly RuleDiagnostic[];
  /** What is wrong with the rule. With any of these nothing is played. */
  readonly rule_diagnostics: readonly RuleDiagnostic[];
  readonly scenarios: readonly RuleTestScenario[];
};

export type RuleTestEntry = {
  /** Virtual time since the start of the scenario. */
  readonly at_ms: number;
  readonly text: string;
  readonly step: boolean;
};

export type RuleTestFailure = {
  readonly message: string;
  readonly expected: string | null;
  readonly actual: string | null;
  /** Virtual time since the start of the scenario. */
  readonly at_ms: number | null;
  /** In the text of the scenarios. */
  readonly line: number | null;
  /** In the text of the scenarios. */
  readonly column: number | null;
};

export type RuleTestScenario = {
  readonly name: string;
  readonly passed: boolean;
  /** Virtual time since the start of the scenario. */
  readonly elapsed_ms: number;
  readonly failures: readonly RuleTestFailure[];
  /** What happened, the last 500 entries. */
  readonly timeline: readonly RuleTestEntry[];
};

/** What a rule did at a moment, and why. */
export type RuleTrace = {
  readonly id: string;
  readonly at: string;
  /** JSON pointer of the trigger, /when for the conditions, or what started a script. */
  readonly trigger: string;
  /**
   * not_met: if was false. unknown: nobody knows whether if is true. loop: rules start each other in a circle.
   * failed: the script ended with an error.
   */
  readonly outcome: "ran" | "skipped" | "not_met" | "unknown" | "loop" | "failed";
  readonly why: string;
  readonly branch: "then" | "else";
  /** Ids of the traces that led to it, this one last. */
  readonly causes: readonly string[];
  readonly evidence: readonly RuleEvidence[];
  readonly steps: readonly RuleStep[];
  /** null: it goes on. */
  readonly ended_at: string | null;
  /** Why it ended. */
  readonly ended: string | null;
};

export type RuntimeError = {
  /** As in the device's log. What a command's handler failed with is in its execution. */
  readonly message: string;
  /** Path inside the blueprint's package or the rock. */
  readonly file: string | null;
  readonly line: number | null;
  readonly at: string;
};

export type RuntimeEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly runtime: DeviceRuntime;
  readonly at: string;
};

export type RuntimeOverrun = {
  /** What lasts too long; main is the first run of the script. */
  readonly activity: "main" | "command" | "configuration" | "connection" | "job";
  /** The command whose handler it is. */
  readonly command: string | null;
  /** Where it was when this was noticed. */
  readonly file: string | null;
  readonly line: number | null;
};

/** What somebody saved on the page. */
export type SavedView = {
  /** View identifier. */
  readonly id: string;
  readonly site_id: string;
  readonly kind: ViewKind;
  readonly name: string;
  /** Everybody who sees the site sees it, and level user changes it. Otherwise it is the caller's own. */
  readonly is_shared: boolean;
  /**
   * The page of the site begins with this dashboard, or Explore with this chart: the page keeps there what was
   * looked at last. One of each kind; one's own comes before the shared one.
   */
  readonly is_start: boolean;
  /** Rises with each change. */
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly content: ExploreView | DashboardView | DeviceFilterView;
};

export type ScheduleDaily = {
  /** 07:30, or by the sun of the site: sunrise, sunset-30m. */
  readonly at: string;
  /** Default: every day. */
  readonly days?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | undefined;
};

/** What became of one time of a schedule. */
export type ScheduleRun = {
  readonly due_at: string;
  readonly at: string;
  readonly outcome: "RAN" | "SKIPPED" | "REFUSED";
  /** The bulk command that began. */
  readonly bulk_id: string | null;
  readonly reason: string | null;
};

/** What sign-in asks a person for after the password. */
export type SecondFactor = {
  readonly confirmed_at: string;
  readonly recovery_codes_left: number;
};

export type SecondFactorConfirmation = {
  /** Six digits of the app, or a recovery code. Each works once. */
  readonly code: string;
};

export type SecondFactorNeeded = {
  /** For `finishSignIn`. Only the browser of the first step has it. */
  readonly step: string;
  readonly expires_at: string;
  readonly enrolment: SecondFactorOffer | null;
};

/** A secret for an app that makes codes. */
export type SecondFactorOffer = {
  /** In base 32, to be typed into an app. It is shown this once. */
  readonly secret: string;
  /** The same as a text for a QR code. */
  readonly uri: string;
};

export type SecondFactorOfferInput = {
  /** Of who signs in by a provider: none. A sign-in of the last 10 minutes takes its place. */
  readonly current_password?: string | undefined;
};

export type SecondFactorProof = {
  /** Of who signs in by a provider: none. A sign-in of the last 10 minutes takes its place. */
  readonly current_password?: string | undefined;
  /** Six digits of the app, or a recovery code. Each works once. */
  readonly code: string;
};

export type SecondStep = {
  /** Of the answer to the password. */
  readonly step: string;
  /** Six digits of the app, or a recovery code. Each works once. */
  readonly code: string;
};

/** A sign-in of the page. It stands for a token. */
export type Session = {
  /** Session identifier. */
  readonly id: string;
  /** The token that signed in. */
  readonly token_id: string;
  readonly token_name: string;
  /** The person who signed in. Null: a token did. */
  readonly account_id: string | null;
  readonly level: AccessLevel;
  /** The sites it sees; null for all. */
  readonly site_ids: readonly string[] | null;
  /** Where the level is higher than `level`. Only people have this. */
  readonly site_levels: readonly SiteLevel[];
  readonly created_at: string;
  readonly expires_at: string;
};

export type ShownScheduleDaily = {
  readonly at: string;
  readonly days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] | null;
};

export type SignIn = {
  /** An access token. */
  readonly token?: string | undefined;
  /** The code of a link that Busbar printed. It is valid once and for 10 minutes. */
  readonly code?: string | undefined;
  /** The mail address of a person, together with `password`. */
  readonly mail?: string | undefined;
  /** The person's password. */
  readonly password?: string | undefined;
  /** The code may end the browser's session of another token. Otherwise that is 409. */
  readonly replace?: boolean | undefined;
};

export type SignInCode = {
  /** For the link /sign-in#code=... of the page. */
  readonly code: string;
  readonly expires_at: string;
};

export type SignInEntry = {
  readonly at: string;
  /** How the person proved who it is, such as password. */
  readonly by: string;
  /** The address that signed in. */
  readonly from: string;
  /** The person had signed in before, and not from there in the last half year. */
  readonly new_place: boolean;
  /** The session that began; it may have ended. */
  readonly session_id: string | null;
};

export type SignInProvider = {
  /** As people know it. */
  readonly name: string;
  /** Of the page. Only there the sign-in can begin and end. */
  readonly address: string;
};

export type SimulatedNow = {
  /** What it would send now. */
  readonly telemetry: JsonObject;
  /** Its properties. */
  readonly properties: JsonObject;
  /** Active alerts. */
  readonly alerts: readonly string[];
};

/** What a simulated device does, and what was changed. */
export type Simulation = {
  readonly seed: number;
  readonly speed: number;
  readonly paused: boolean;
  readonly interval: string;
  /** What time it is for the device. */
  readonly simulated_at: string;
  /** Held values by attribute. */
  readonly telemetry: JsonObject;
  /** Held values by property. */
  readonly properties: JsonObject;
  /** Held alerts: true is raised, false is cleared. */
  readonly alerts: Readonly<Record<string, boolean>>;
  readonly next_command: NextCommand | null;
  /** What commands have set, by argument. */
  readonly written: JsonObject;
  /** A command has stopped the device. */
  readonly stopped: boolean;
  readonly current: SimulatedNow;
};

/** What is not given stays as it is. */
export type SimulationChange = {
  readonly seed?: number | undefined;
  /** Simulated seconds in a second; 0 stops the clock. */
  readonly speed?: number | undefined;
  /** As if unplugged. */
  readonly paused?: boolean | undefined;
  /** What time it is for the device from now on. */
  readonly simulated_at?: string | undefined;
  /** Time between messages, 100ms to 1h. */
  readonly interval?: string | undefined;
  /** What is given back as a whole before anything else; written is what commands have set. */
  readonly release?: readonly ("telemetry" | "properties" | "alerts" | "next_command" | "written")[] | undefined;
  /** Attribute to the value it holds; null gives it back. */
  readonly telemetry?: JsonObject | undefined;
  /** Property to the value it holds; null gives it back. */
  readonly properties?: JsonObject | undefined;
  /** Alert to true (raised), false (cleared) or null (as it comes). */
  readonly alerts?: Readonly<Record<string, boolean | null>> | undefined;
  readonly next_command?: NextCommand | undefined;
};

export type Site = {
  /** Site identifier. */
  readonly id: string;
  readonly name: string;
  /** IANA name, such as Europe/Berlin. */
  readonly timezone: string;
  /**
   * True while nobody has said that the time zone is right: the first start took that of the machine, or none
   * was given. A change that gives the time zone, even the same one, ends it.
   */
  readonly timezone_assumed?: boolean;
  readonly version: "V3";
  /** What the calling token may do on this site. */
  readonly authorized_role: AuthorizedRole;
  readonly location?: Location;
  readonly created_at: string;
  readonly updated_at: string;
};

export type SiteChange = {
  /** Name of the site. */
  readonly name?: string | undefined;
  /** IANA name, such as Europe/Berlin. */
  readonly timezone?: string | undefined;
  readonly location?: Location | undefined;
  /** What the site shall no longer have. A location of null leaves it as it is: some clients send it so. */
  readonly clear?: readonly "location"[] | undefined;
};

/** Energies in Wh, powers in W. What is not known is null. */
export type SiteEnergy = {
  readonly site_id: string;
  readonly timezone: string;
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339. At most now. */
  readonly to: string;
  readonly period: EnergyPeriod;
  readonly total: EnergyTotal;
  readonly groups: EnergyGroups;
  readonly costs?: EnergyCosts | null;
  readonly steps?: readonly EnergyStep[];
  readonly before?: EnergyBefore;
  /** The quarter of an hour with the highest mean power from the grid, in W, and its start. */
  readonly peak_from_grid: {
    readonly power: number;
    readonly at: string;
  } | null;
  readonly devices: readonly {
    readonly device_id: string;
    readonly name: string;
    readonly slug: string;
    readonly role: "production" | "battery" | "grid" | "load";
    /** Wh produced, used, taken from the grid, or discharged. */
    readonly energy: number | null;
    /** Wh given to the grid or charged. */
    readonly energy_back: number | null;
    /** Whether a counter rose, or power was summed over time. */
    readonly basis: "counter" | "power" | null;
    /** Hours of the period that have any value. */
    readonly hours_known: number;
    /** Hours of the period so far. */
    readonly hours: number;
    /** W now. Null if the latest value is older than 5 minutes. */
    readonly power: number | null;
  }[];
  readonly now: {
    /** W */
    readonly production: number | null;
    /** W, positive while it discharges. */
    readonly battery: number | null;
    /** W, positive while the site takes from the grid. */
    readonly grid: number | null;
    /** W: production, grid and battery together. */
    readonly load: number | null;
  };
  /**
   * Steps of counters that a person should look at, at most 100. They do not change the figures. Those that
   * somebody has corrected are left out.
   */
  readonly doubtful: readonly {
    readonly device_id: string;
    readonly slug: string;
    readonly attribute: string;
    readonly kind: "fall" | "rise";
    /** The value before the step, as it was sent. */
    readonly before: number;
    /** RFC 3339 */
    readonly before_at: string;
    /** The value after the step. */
    readonly value: number;
    /** RFC 3339 */
    readonly at: string;
  }[];
  /** Whether there may be more of them. */
  readonly doubtful_cut: boolean;
  /** What people said about steps of the period. The figures have these adjustments. */
  readonly corrections: readonly AppliedCounterCorrection[];
};

export type SiteLevel = {
  /** Site identifier. */
  readonly site_id: string;
  readonly level: AccessLevel;
};

export type Snapshot = {
  readonly value: string | number | boolean | readonly string[];
  /** Unix seconds. */
  readonly timestamp: number;
};

export type SubscribedPush = {
  /** Of this installation: an uncompressed point of P-256 in base64url. */
  readonly public_key: string;
  /** Of the caller's own devices; null before the first. */
  readonly channel_id: string | null;
  readonly devices: readonly PushDevice[];
  /** Of the device that was added. */
  readonly device_id: string;
  /** What became of the first message. */
  readonly outcome: "taken" | "refused" | "unknown";
  readonly error: string | null;
};

/** How the node that answered does. */
export type System = {
  readonly version: string;
  readonly role: string;
  /** Whether this gateway has joined a cloud: getUplink has more. */
  readonly linked: boolean;
  readonly started_at: string;
  /** How many nodes share the records, this one included. */
  readonly nodes: number;
  readonly process: SystemProcess;
  readonly storage: SystemStorage;
  readonly broker: SystemBroker;
  /** Devices that run in this process, scripts and models, by state. */
  readonly hosted_devices: Readonly<Record<string, number>>;
  readonly telemetry_values: SystemTelemetry;
  readonly buffers: readonly SystemBuffer[];
  readonly shares: readonly SystemShare[];
};

export type SystemBroker = {
  /** embedded or external. */
  readonly kind: string;
  readonly mqtt_port: number | null;
  readonly mqtts_port: number | null;
  /** null with an external broker: only it knows. */
  readonly connections: number | null;
};

export type SystemBuffer = {
  readonly name: string;
  readonly used_bytes: number;
  readonly limit_bytes: number;
};

export type SystemFile = {
  readonly name: string;
  readonly bytes: number;
};

export type SystemLogLine = {
  readonly at: string;
  readonly level: string;
  readonly subject: string | null;
  readonly message: string;
  /** JSON. */
  readonly details: string;
};

export type SystemProcess = {
  /** Version of Node.js. */
  readonly node: string;
  readonly platform: string;
  readonly memory_bytes: number;
  /** Share of time, 0 to 1, in which the main thread worked since the figure was read before. */
  readonly main_thread_busy: number;
  /** How late timers were since then: 99 of 100 were not later. */
  readonly event_loop_delay_ms: number;
  /** Threads by name; null where the system does not provide them. */
  readonly threads: readonly SystemThread[] | null;
};

/** A setting that can be changed while Busbar runs. */
export type SystemSetting = {
  readonly name: string;
  readonly about: string;
  /** What holds now. A list has commas. */
  readonly value: string;
  /** What flags, environment and file say, or the default. */
  readonly configured: string;
  /** Whether it was changed while Busbar ran; a reset ends that. */
  readonly changed: boolean;
};

export type SystemShare = {
  readonly name: string;
  readonly inside: number;
  readonly waiting: number;
  readonly refused: number;
};

export type SystemStorage = {
  /** embedded or postgres. */
  readonly kind: string;
  readonly files: readonly SystemFile[];
  /** Free on the disk of the data folder. */
  readonly free_bytes: number;
  /** How long telemetry is kept where a site says nothing else. */
  readonly retention: string;
};

export type SystemTelemetry = {
  readonly kept: number;
  /** They do not fit the blueprint. */
  readonly left_out: number;
};

export type SystemThread = {
  readonly name: string;
  readonly count: number;
  readonly cpu_seconds: number;
};

export type TakenTerminalSignIn = {
  readonly device_code: string;
};

/** What energy costs at a site. Prices are for a kilowatt-hour. */
export type Tariff = {
  /** ISO 4217, such as EUR. */
  readonly currency: string;
  /** In the order of their dates. A new tariff is one more version, so that the past stays as it was. */
  readonly versions: readonly TariffVersion[];
  readonly updated_at: string;
};

export type TariffBase = {
  readonly amount: number;
  readonly per: "day" | "month" | "year";
};

export type TariffCo2 = {
  /** series: the stored prices of kind co2, in grams. */
  readonly type: "fixed" | "series";
  /** fixed: of CO2 for a kilowatt-hour. */
  readonly grams?: number;
};

export type TariffDefaultRate = {
  /** Default: default. */
  readonly name?: string;
  /** Otherwise. May be negative. */
  readonly price: number;
};

/** For each kilowatt of the highest quarter of an hour. */
export type TariffPeak = {
  readonly amount: number;
  readonly per: "month" | "year";
};

/**
 * fixed: price. time_of_use: rates, of which the first that fits is in force, and a default where they leave
 * gaps. prices: the stored prices of the site; what is paid is (price + add) * factor.
 */
export type TariffPrice = {
  readonly type: "fixed" | "time_of_use" | "prices";
  /** fixed and prices: as costs are listed by. */
  readonly name?: string;
  /** fixed: for a kilowatt-hour. May be negative. */
  readonly price?: number;
  readonly rates?: readonly TariffRate[];
  readonly default?: TariffDefaultRate;
  /** prices: added to each, such as fees of the grid, before the factor. May be negative. */
  readonly add?: number;
  /** prices: such as 1.19 for a tax of 19 %. */
  readonly factor?: number;
};

export type TariffRate = {
  /** As costs are listed by. */
  readonly name: string;
  /** For a kilowatt-hour. May be negative. */
  readonly price: number;
  /** Days of the site's calendar. Default all. */
  readonly weekdays?: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
  /** Default all. */
  readonly months?: readonly number[];
  /** Local time on a quarter of an hour. Default 00:00. */
  readonly from?: string;
  /** End, not included. Default 24:00. Before from: the rate also holds after midnight. */
  readonly to?: string;
};

export type TariffVersion = {
  /** A date of the site's calendar. Only the first version may have none: it holds since ever. */
  readonly valid_from?: string;
  readonly import?: TariffPrice;
  readonly export?: TariffPrice;
  readonly base?: TariffBase;
  readonly peak?: TariffPeak;
  readonly co2?: TariffCo2;
};

export type TelegramChannel = {
  readonly server: string;
  readonly chat: string;
};

/** The newest value of attributes that changed, at most four times a second. It is never repeated. */
export type TelemetryEvent = {
  readonly site_id: string;
  readonly device_id: string;
  readonly telemetry: Readonly<Record<string, Snapshot>>;
};

/** What became of an import. */
export type Imported = {
  readonly rows: number;
  /** Values that are stored now. */
  readonly points: number;
  /** Rows and values that were left out. */
  readonly problem_count: number;
  /** The first hundred of them. */
  readonly problems: readonly TelemetryImportProblem[];
};

export type TelemetryImportProblem = {
  /** Counted from 1, the header. */
  readonly line: number;
  readonly telemetry?: string;
  readonly message: string;
};

export type TerminalApproval = {
  readonly level: AccessLevel;
  /** Without it: all sites. */
  readonly site_ids?: readonly string[] | undefined;
  /** How long the token lives, up to 366d; without it 30d. */
  readonly expires_in?: string | undefined;
};

export type TerminalSignIn = {
  /** For the program alone. It is shown this once. */
  readonly device_code: string;
  /** For the person, who types it into the page. */
  readonly user_code: string;
  /** The page that takes it, at this server. */
  readonly verification_path: string;
  readonly expires_at: string;
  /** Seconds to wait between two questions. */
  readonly interval: number;
};

export type TerminalSignInState = {
  /** SLOW_DOWN: it was asked too soon; wait 5 s longer from now on. */
  readonly state: "PENDING" | "SLOW_DOWN" | "APPROVED" | "DENIED" | "EXPIRED";
  /** Of the token. */
  readonly id: string | null;
  /** Only with APPROVED, and this once. */
  readonly token: string | null;
};

export type TileSeries = {
  /** Id or slug. */
  readonly device: string;
  readonly attribute: string;
};

export type TimeseriesItem = {
  readonly device: string;
  readonly attribute: string | readonly string[];
  readonly aggregation?: string | undefined;
  /** A duration such as 1s, 1.5m or 2h45m. With a timezone also 1d, 1w, 1M and 1y of its calendar. */
  readonly granularity?: string | undefined;
  /** An IANA name. With it the granularities 1d, 1w, 1M and 1y follow the calendar there. */
  readonly timezone?: string | undefined;
  readonly gap_filling?: GapFilling | undefined;
};

export type TimeseriesQuestion = {
  /** Unix seconds, or an RFC 3339 date-time. */
  readonly from: number | string;
  /** Unix seconds, or an RFC 3339 date-time. */
  readonly to: number | string;
  readonly aggregation?: string | undefined;
  /** A duration such as 1s, 1.5m or 2h45m. With a timezone also 1d, 1w, 1M and 1y of its calendar. */
  readonly granularity?: string | undefined;
  /** An IANA name. With it the granularities 1d, 1w, 1M and 1y follow the calendar there. */
  readonly timezone?: string | undefined;
  readonly gap_filling?: GapFilling | undefined;
  readonly telemetry: readonly TimeseriesItem[];
};

export type Token = {
  /** Token identifier. */
  readonly id: string;
  readonly name: string;
  readonly level: AccessLevel;
  /** The sites it sees; null for all. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  /** The person whose it is: it ends with that person's access. Null: the installation's. */
  readonly account_id: string | null;
  /** On a gateway: it was made in the cloud. */
  readonly from_cloud: boolean;
};

export type TriedPrice = {
  /** RFC 3339 */
  readonly from: string;
  /** RFC 3339 */
  readonly to: string;
  /** As it would be stored. */
  readonly price: number;
  /** With add and factor of the tariff. Null: the tariff does not use these prices. */
  readonly paid: number | null;
};

export type UnacknowledgeAlert = {
  /** The telemetry attribute that lists it. Default: all that do. */
  readonly source?: string | undefined;
};

/** The link of a gateway to its cloud. */
export type Uplink = {
  readonly url: string;
  /** How the cloud calls this gateway. */
  readonly gateway_id: string;
  readonly joined_at: string;
  readonly connected: boolean;
  readonly since: string;
  /** Changes that the cloud has not confirmed. */
  readonly backlog: number;
  readonly telemetry: UplinkTelemetry;
  readonly dropped: DroppedHistory;
  /** Records that the cloud does not take, at most 100. Everything else is taken. */
  readonly refused: readonly RefusedRecord[];
  readonly last_error: string | null;
};

/** What the cloud has not confirmed. */
export type UplinkTelemetry = {
  /** New messages that the cloud has not confirmed. */
  readonly messages: number;
  /** Points in these messages. */
  readonly points: number;
  /** About the size of these messages. */
  readonly bytes: number;
  /** Device-hours of which the cloud lacks points. */
  readonly hours: number;
  readonly oldest_at: string | null;
  readonly history_before: string | null;
};

export type Validation = {
  /** The errors in words; empty when the blueprint is valid. */
  readonly validation_errors: readonly string[];
  /** Errors and warnings with their places. */
  readonly diagnostics: readonly Diagnostic[];
};

/** A value of a site that rules read, and that people and rules set. */
export type Variable = {
  readonly name: string;
  readonly value: string | number | boolean;
  readonly updated_at: string;
  /** In a cloud: the gateway that runs the rules and reported this. null: they run here. */
  readonly reported_by: string | null;
  /** In a cloud: the gateway has been offline since then, and nobody knows whether this is still so. */
  readonly not_confirmed_since: string | null;
};

export type VariableChange = {
  readonly value: string | number | boolean;
};

export type ViewChange = {
  /** The one that was read. 409 if somebody changed the view since. */
  readonly revision: number;
  /** A name for people. */
  readonly name?: string | undefined;
  /** ExploreView, DashboardView or DeviceFilterView, by the kind. At most 64 KiB. */
  readonly content?: JsonObject | undefined;
  /** Everybody who sees the site sees it, and level user changes it. Otherwise it is the caller's own. */
  readonly is_shared?: boolean | undefined;
  /**
   * The page of the site begins with this dashboard, or Explore with this chart: the page keeps there what was
   * looked at last. One of each kind; one's own comes before the shared one.
   */
  readonly is_start?: boolean | undefined;
};

/** A saved view without its content. */
export type ViewHead = {
  /** View identifier. */
  readonly id: string;
  readonly site_id: string;
  readonly kind: ViewKind;
  readonly name: string;
  /** Everybody who sees the site sees it, and level user changes it. Otherwise it is the caller's own. */
  readonly is_shared: boolean;
  /**
   * The page of the site begins with this dashboard, or Explore with this chart: the page keeps there what was
   * looked at last. One of each kind; one's own comes before the shared one.
   */
  readonly is_start: boolean;
  /** Rises with each change. */
  readonly revision: number;
  readonly created_at: string;
  readonly updated_at: string;
};

export type WaitingTerminal = {
  /** What the program says that it is. */
  readonly program: string;
  /** The highest level that it wants; null: none was named. */
  readonly level: AccessLevel | null;
  /** The address from which it asked. */
  readonly from: string;
  /** That is the address from which this call came. */
  readonly is_same_address: boolean;
  readonly created_at: string;
  readonly expires_at: string;
};

/** An address that receives events. */
export type Webhook = {
  /** Webhook identifier. */
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly WebhookKind[];
  /** The sites whose events it receives; null for all. */
  readonly site_ids: readonly string[] | null;
  readonly created_at: string;
};

export type WebhookChannel = {
  readonly url: string;
};

export type Delivery = {
  /** Delivery identifier: the header X-Busbar-Delivery. */
  readonly id: string;
  readonly webhook_id: string;
  readonly kind: WebhookKind;
  readonly occurred_at: string;
  /** DEAD: given up. It can be retried. */
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly queued_at: string;
  readonly next_attempt_at?: string;
  readonly finished_at?: string;
  /** HTTP status of the last answer. */
  readonly status?: number;
  /** Why the last attempt failed. */
  readonly error?: string;
};

export type WebhookTest = {
  /** The receiver answered with a status from 200 to 299. */
  readonly accepted: boolean;
  /** HTTP status of the answer. */
  readonly status: number | null;
  /** Why it was not accepted. */
  readonly error: string | null;
};

export type WeeklyPlan = {
  readonly mon?: readonly PlanRange[];
  readonly tue?: readonly PlanRange[];
  readonly wed?: readonly PlanRange[];
  readonly thu?: readonly PlanRange[];
  readonly fri?: readonly PlanRange[];
  readonly sat?: readonly PlanRange[];
  readonly sun?: readonly PlanRange[];
};

/** What each operation answers, by its name in the OpenAPI document. Those that do not answer with JSON are not here. */
export type Answers = {
  readonly abortRollout: {
    readonly rollout: Rollout;
  };
  readonly acceptInvitation: {
    readonly session: Session | null;
    readonly second_factor: SecondFactorNeeded | null;
  };
  readonly acknowledgeAlert: {
    readonly alerts: readonly Alert[];
    readonly pending_change?: GatewayChange;
  };
  readonly addPasskey: {
    readonly passkey: Passkey;
  };
  readonly adjustSimulation: {
    readonly simulation: Simulation;
  };
  readonly approveTerminalSignIn: JsonObject;
  readonly assignBlueprint: {
    readonly device: Device;
    readonly changes: readonly BlueprintChange[];
    readonly pending_change?: GatewayChange;
  };
  readonly beginProviderLink: ProviderSignIn;
  readonly cancelBulkCommand: {
    readonly bulk: BulkCommand;
  };
  readonly cancelCommandExecution: {
    readonly execution: Execution;
    readonly cancelling?: Execution;
  };
  readonly changeOwnPassword: {
    readonly session: Session;
  };
  readonly checkInterlock: InterlockCheck;
  readonly checkRule: {
    readonly diagnostics: readonly RuleDiagnostic[];
  };
  readonly claimControl: {
    readonly control: Control;
    readonly pending_change?: GatewayChange;
  };
  readonly confirmSecondFactor: RecoveryCodes;
  readonly createAccount: {
    readonly account: Account;
  };
  readonly createBulkCommand: {
    readonly bulk: BulkCommand;
  };
  readonly createCommandExecution: {
    readonly execution_id: string;
  };
  readonly createCommandSchedule: {
    readonly schedule: CommandSchedule;
  };
  readonly createCounterCorrection: {
    readonly correction: CounterCorrection;
  };
  readonly createGatewaySignInCode: GatewaySignInCode;
  readonly createInvitation: Invitation;
  readonly createJoinCode: JoinCode;
  readonly createKioskLink: KioskLink;
  readonly createMaintenance: {
    readonly window: MaintenanceWindow;
  };
  readonly createNotificationChannel: CreatedNotificationChannel;
  readonly createNotificationRoute: {
    readonly route: NotificationRoute;
  };
  readonly createProviderSignIn: ProviderSignIn;
  readonly createRollout: {
    readonly rollout: Rollout;
  };
  readonly createRule: {
    readonly rule: Rule;
  };
  readonly createSession: {
    readonly session: Session | null;
    readonly second_factor: SecondFactorNeeded | null;
  };
  readonly createSignInCode: SignInCode;
  readonly createSite: {
    readonly site: Site;
  };
  readonly createTerminalSignIn: TerminalSignIn;
  readonly createToken: CreatedToken;
  readonly createView: {
    readonly view: SavedView;
  };
  readonly createWebhook: CreatedWebhook;
  readonly deleteAccount: JsonObject;
  readonly deleteCalendar: JsonObject;
  readonly deleteCommandSchedule: JsonObject;
  readonly deleteCounterCorrection: JsonObject;
  readonly deleteDevice: JsonObject;
  readonly deleteInterlock: {
    readonly pending_change?: GatewayChange;
  };
  readonly deleteNotificationChannel: JsonObject;
  readonly deleteNotificationRoute: JsonObject;
  readonly deletePasskey: JsonObject;
  readonly deletePriceSource: {
    readonly pending_change?: GatewayChange;
  };
  readonly deleteRule: {
    readonly pending_change?: GatewayChange;
  };
  readonly deleteSite: JsonObject;
  readonly deleteTariff: {
    readonly pending_change?: GatewayChange;
  };
  readonly deleteVariable: {
    readonly pending_change?: GatewayChange;
  };
  readonly deleteView: JsonObject;
  readonly deleteWebhook: JsonObject;
  readonly denyTerminalSignIn: JsonObject;
  readonly disableRule: {
    readonly rule: Rule;
    readonly pending_change?: GatewayChange;
  };
  readonly disableRules: {
    readonly rule: Rule;
    readonly rules: readonly Rule[];
    readonly pending_change?: GatewayChange;
  };
  readonly dryRunBulkCommand: {
    readonly devices: readonly BulkDryRun[];
  };
  readonly dryRunCommand: {
    readonly dry_run: CommandDryRun;
  };
  readonly dryRunRule: {
    readonly dry_run: RuleDryRun;
  };
  readonly enableRule: {
    readonly rule: Rule;
    readonly pending_change?: GatewayChange;
  };
  readonly enableRules: {
    readonly rule: Rule;
    readonly rules: readonly Rule[];
    readonly pending_change?: GatewayChange;
  };
  readonly endCurrentSession: JsonObject;
  readonly endMaintenance: {
    readonly window: MaintenanceWindow;
  };
  readonly endOwnSessions: JsonObject;
  readonly endPush: Push;
  readonly endSession: JsonObject;
  readonly endSessionsByProvider: JsonObject;
  readonly executeCommand: {
    readonly execution: Execution;
  };
  readonly findGatewaySignIn: {
    readonly possible: boolean;
    /** The address of its page; null if its settings do not say it. */
    readonly url: string | null;
  };
  readonly findProviderSignOut: {
    readonly url: string | null;
  };
  readonly findSession: {
    readonly session: Session | null;
  };
  readonly findSignInProvider: {
    readonly provider: SignInProvider | null;
  };
  readonly finishProviderSignIn: {
    readonly session: Session | null;
    readonly second_factor: SecondFactorNeeded | null;
  };
  readonly finishSignIn: {
    readonly session: Session;
    /** Each works once in place of a code of the app. They are shown this once. */
    readonly recovery_codes: readonly string[] | null;
  };
  readonly generateConfig: {
    readonly config: CommunicationConfig;
  };
  readonly getAccount: {
    readonly account: Account;
  };
  readonly getBlueprint: {
    readonly blueprint: Blueprint;
  };
  readonly getBlueprintManifest: {
    readonly manifest: JsonObject;
  };
  readonly getBulkCommand: {
    readonly bulk: BulkCommand;
  };
  readonly getCalendar: {
    readonly calendar: Calendar;
  };
  readonly getChange: {
    readonly change: GatewayChange;
  };
  readonly getCommandExecution: {
    readonly execution: Execution;
  };
  readonly getCommandSchedule: {
    readonly schedule: CommandSchedule;
  };
  readonly getConfiguration: {
    readonly configuration: Readonly<Record<string, JsonObject>>;
  };
  readonly getConfigurationBucket: {
    readonly bucket: string;
    /** Parameter to value. */
    readonly values: JsonObject;
  };
  readonly getControl: {
    readonly control: Control;
  };
  readonly getCurrentSession: {
    readonly session: Session;
  };
  readonly getCurrentTelemetry: {
    /** Device to attribute to { value, timestamp }. */
    readonly devices: JsonObject;
    readonly errors: readonly JsonObject[];
  };
  readonly getDevice: {
    readonly device: Device;
  };
  readonly getDeviceManifest: {
    readonly manifest: JsonObject;
  };
  readonly getDeviceProperties: {
    readonly properties: JsonObject;
  };
  readonly getDeviceRuntime: {
    readonly runtime: DeviceRuntime | null;
  };
  readonly getDeviceTelemetry: {
    /** Attribute to { value, timestamp }. */
    readonly telemetry: JsonObject;
  };
  readonly getFleet: Fleet;
  readonly getGateway: {
    readonly gateway: Gateway;
  };
  readonly getHealth: {
    readonly status: "ok";
  };
  readonly getInterlock: {
    readonly interlock: Interlock;
  };
  readonly getLatestTelemetry: {
    /** Device to attribute to { value, timestamp }. */
    readonly telemetry: JsonObject;
  };
  readonly getManifestSchema: JsonObject;
  readonly getNamedBlueprint: {
    readonly blueprint: Blueprint;
  };
  readonly getNotificationChannel: {
    readonly channel: NotificationChannel;
  };
  readonly getNotificationsRead: NotificationsRead;
  readonly getOnlySite: {
    readonly site: Site;
  };
  readonly getOpenapi: JsonObject;
  readonly getOwnAccount: {
    readonly account: Account;
  };
  readonly getOwnToken: OwnTokenAnswer;
  readonly getPrices: {
    readonly prices: Prices;
  };
  readonly getPush: Push;
  readonly getReadiness: {
    readonly status: "ok";
    readonly under_way?: readonly {
      readonly name: string;
      readonly percent: number;
    }[];
    readonly degraded?: readonly {
      readonly part: string;
      readonly message: string;
    }[];
  };
  readonly getRetention: {
    readonly retention: SiteRetention;
  };
  readonly getRollout: {
    readonly rollout: Rollout;
  };
  readonly getRule: {
    readonly rule: Rule;
  };
  readonly getRuleEngine: {
    readonly engine: RuleEngine;
  };
  readonly getRuleTrace: {
    readonly trace: RuleTrace;
  };
  readonly getScenarioSchema: JsonObject;
  readonly getSecondFactor: {
    readonly second_factor: SecondFactor | null;
  };
  readonly getSimulation: {
    readonly simulation: Simulation;
  };
  readonly getSite: {
    readonly site: Site;
  };
  readonly getSiteEnergy: {
    readonly energy: SiteEnergy;
  };
  readonly getSystem: {
    readonly system: System;
  };
  readonly getSystemLog: {
    readonly lines: readonly SystemLogLine[];
  };
  readonly getTariff: {
    readonly tariff: Tariff | null;
  };
  readonly getTerminalSignIn: WaitingTerminal;
  readonly getUplink: Uplink;
  readonly getView: {
    readonly view: SavedView;
  };
  readonly giveSite: JsonObject;
  readonly importTelemetry: Imported;
  readonly joinCloud: Uplink;
  readonly joinGateway: Joined;
  readonly leaveCloud: JsonObject;
  readonly linkProvider: {
    readonly session: Session;
  };
  readonly listAccounts: {
    readonly accounts: readonly Account[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listAudit: {
    readonly entries: readonly AuditEntry[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listBlueprints: {
    readonly blueprints: readonly Blueprint[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listBulkCommands: {
    readonly bulks: readonly BulkCommand[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listBulkDevices: {
    readonly devices: readonly BulkDevice[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listCalendarEntries: {
    readonly entries: readonly CalendarEntry[];
  };
  readonly listCalendars: {
    readonly calendars: readonly Calendar[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listCatalogue: CataloguePage;
  readonly listChanges: {
    readonly changes: readonly GatewayChange[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listCommandExecutions: {
    readonly executions: readonly Execution[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listCommandSchedules: {
    readonly schedules: readonly CommandSchedule[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listControlHistory: {
    readonly records: readonly ControlRecord[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listControllers: {
    readonly controllers: readonly Controller[];
  };
  readonly listCounterCorrections: {
    readonly corrections: readonly CounterCorrection[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listDeviceAlerts: {
    readonly alerts: readonly Alert[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listDeviceControls: {
    readonly controls: readonly Control[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listDeviceLogs: {
    readonly logs: readonly DeviceLogEntry[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listDevices: {
    readonly devices: readonly Device[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listGateways: {
    readonly gateways: readonly Gateway[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listInterlocks: {
    readonly interlocks: readonly Interlock[];
  };
  readonly listJoinCodes: {
    readonly join_codes: readonly OpenJoinCode[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listMaintenance: {
    readonly windows: readonly MaintenanceWindow[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listNotificationChannels: {
    readonly channels: readonly NotificationChannel[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listNotificationMessages: {
    readonly messages: readonly NotificationMessage[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listNotificationRoutes: {
    readonly routes: readonly NotificationRoute[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listNotifications: {
    readonly notifications: readonly Notification[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listOwnSignIns: {
    readonly sign_ins: readonly SignInEntry[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listOwnTokens: {
    readonly tokens: readonly Token[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listPasskeys: {
    readonly passkeys: readonly Passkey[];
  };
  readonly listPriceSources: {
    readonly price_sources: readonly PriceSource[];
  };
  readonly listRolloutDevices: {
    readonly devices: readonly RolloutDevice[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listRollouts: {
    readonly rollouts: readonly Rollout[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listRuleLogs: {
    readonly logs: readonly RuleLogLine[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listRuleNames: {
    readonly devices: readonly RuleNamesOfDevice[];
    /** How many devices there are, on all pages. */
    readonly total_count: number;
    readonly variables: readonly RuleNamesVariable[];
    readonly calendars: readonly string[];
    /** What the tariff has prices for; empty without a tariff. */
    readonly prices: readonly ("import" | "export")[];
  };
  readonly listRuleTraces: {
    readonly traces: readonly RuleTrace[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listRules: {
    readonly rules: readonly Rule[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listScheduleRuns: {
    readonly runs: readonly ScheduleRun[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSessions: {
    readonly sessions: readonly ListedSession[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSettings: {
    readonly settings: readonly SystemSetting[];
  };
  readonly listSiteAlerts: {
    readonly alerts: readonly Alert[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSiteCommandExecutions: {
    readonly executions: readonly Execution[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSiteControls: {
    readonly controls: readonly Control[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSiteDevices: {
    readonly devices: readonly Device[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listSites: {
    readonly sites: readonly Site[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listTokens: {
    readonly tokens: readonly Token[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listVariables: {
    readonly variables: readonly Variable[];
  };
  readonly listViews: {
    readonly views: readonly ViewHead[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listWebhookDeliveries: {
    readonly deliveries: readonly Delivery[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly listWebhooks: {
    readonly webhooks: readonly Webhook[];
    /** How many match, on all pages. */
    readonly total_count: number;
  };
  readonly offerPasskey: PasskeyOffer;
  readonly offerPasskeySignIn: PasskeySignInOffer;
  readonly offerSecondFactor: SecondFactorOffer;
  readonly openLink: JsonObject;
  readonly pauseRollout: {
    readonly rollout: Rollout;
  };
  readonly previewCalendar: CalendarPreview;
  readonly previewNotification: NotificationPreview;
  readonly previewScheduleTimes: {
    readonly times: readonly string[];
  };
  readonly provisionChildDevice: ProvisionedDevice;
  readonly provisionLuaDevice: ProvisionedDevice;
  readonly provisionSimulatedDevice: ProvisionedDevice;
  readonly provisionStandalone: ProvisionedDevice;
  readonly provisionVirtualUcm: ProvisionedDevice;
  readonly putCalendar: {
    readonly calendar: Calendar;
  };
  readonly putConfiguration: {
    readonly configuration: Readonly<Record<string, JsonObject>>;
    readonly pending_change?: GatewayChange;
  };
  readonly putConfigurationBucket: {
    readonly bucket: string;
    /** Parameter to value. */
    readonly values: JsonObject;
    readonly pending_change?: GatewayChange;
  };
  readonly putInterlock: {
    /** null: in a cloud, while a new one waits for its gateway. */
    readonly interlock: Interlock | null;
    readonly pending_change?: GatewayChange;
  };
  readonly putNotificationChannel: {
    readonly channel: NotificationChannel;
  };
  readonly putNotificationRoute: {
    readonly route: NotificationRoute;
  };
  readonly putNotificationsRead: NotificationsRead;
  readonly putPriceSource: {
    /** Null: none yet; the change waits for the gateway. */
    readonly price_source: PriceSource | null;
    readonly pending_change?: GatewayChange;
  };
  readonly putPrices: {
    /** Rows. */
    readonly stored: number;
    readonly pending_change?: GatewayChange;
  };
  readonly putRetention: {
    readonly retention: SiteRetention;
  };
  readonly putSetting: {
    readonly setting: SystemSetting;
  };
  readonly putTariff: {
    readonly tariff: Tariff | null;
    readonly pending_change?: GatewayChange;
  };
  readonly putVariable: {
    /** null: in a cloud, while a new one waits for its gateway. */
    readonly variable: Variable | null;
    readonly pending_change?: GatewayChange;
  };
  readonly releaseClaim: {
    readonly control: Control;
    readonly pending_change?: GatewayChange;
  };
  readonly removeSecondFactor: JsonObject;
  readonly renamePasskey: {
    readonly passkey: Passkey;
  };
  readonly renderController: RenderedController;
  readonly renewClaim: {
    readonly control: Control;
    readonly pending_change?: GatewayChange;
  };
  readonly replaceRecoveryCodes: RecoveryCodes;
  readonly resetSecondFactor: JsonObject;
  readonly resetSetting: {
    readonly setting: SystemSetting;
  };
  readonly restartDeviceRuntime: {
    readonly runtime: DeviceRuntime;
  };
  readonly resumeRollout: {
    readonly rollout: Rollout;
  };
  readonly resumeRuleEngine: {
    readonly engine: RuleEngine;
    readonly pending_change?: GatewayChange;
  };
  readonly retryNotificationMessage: {
    readonly message: NotificationMessage;
  };
  readonly retryWebhookDelivery: {
    readonly delivery: Delivery;
  };
  readonly revokeGateway: JsonObject;
  readonly revokeOwnToken: JsonObject;
  readonly revokeToken: JsonObject;
  readonly rotateGatewayCredential: JsonObject;
  readonly signInWithPasskey: {
    readonly session: Session;
  };
  readonly subscribePush: SubscribedPush;
  readonly suspendRuleEngine: {
    readonly engine: RuleEngine;
    readonly pending_change?: GatewayChange;
  };
  readonly takeTerminalSignIn: TerminalSignInState;
  readonly testNotificationChannel: NotificationTest;
  readonly testRule: {
    readonly test: RuleTest;
  };
  readonly testWebhook: WebhookTest;
  readonly tryPriceSource: PriceTrial;
  readonly unacknowledgeAlert: {
    readonly alerts: readonly Alert[];
    readonly pending_change?: GatewayChange;
  };
  readonly unlinkAccount: {
    readonly account: Account;
  };
  readonly unlinkProvider: {
    readonly session: Session;
  };
  readonly updateAccount: {
    readonly account: Account;
  };
  readonly updateCommandSchedule: {
    readonly schedule: CommandSchedule;
  };
  readonly updateDevice: {
    readonly device: Device;
    readonly pending_change?: GatewayChange;
  };
  readonly updateOnlySite: {
    readonly site: Site;
    readonly pending_change?: GatewayChange;
  };
  readonly updateOwnAccount: {
    readonly account: Account;
  };
  readonly updateRule: {
    readonly rule: Rule;
    readonly pending_change?: GatewayChange;
  };
  readonly updateRuleScript: {
    readonly rule: Rule;
    readonly pending_change?: GatewayChange;
  };
  readonly updateSite: {
    readonly site: Site;
    readonly pending_change?: GatewayChange;
  };
  readonly updateView: {
    readonly view: SavedView;
  };
  readonly uploadBlueprint: {
    readonly blueprint: Blueprint;
    /** Warnings. */
    readonly diagnostics: readonly Diagnostic[];
  };
  readonly uploadCatalogueEntry: {
    readonly blueprint: Blueprint;
    /** Warnings. */
    readonly diagnostics: readonly Diagnostic[];
  };
  readonly uploadProfiles: {
    /** The ids of all profiles of the zip. */
    readonly profiles: readonly string[];
    /** Warnings. The path is that of the file. */
    readonly diagnostics: readonly Diagnostic[];
  };
  readonly validateBlueprint: Validation;
  readonly withdrawChange: {
    readonly change: GatewayChange;
  };
  readonly withdrawJoinCode: JsonObject;
};

/** The JSON that each operation takes. */
export type Bodies = {
  readonly acceptInvitation: AcceptedInvitation;
  readonly acknowledgeAlert: AcknowledgeAlert;
  readonly addPasskey: NewPasskey;
  readonly adjustSimulation: SimulationChange;
  readonly approveTerminalSignIn: TerminalApproval;
  readonly assignBlueprint: AssignBlueprint;
  readonly beginProviderLink: AccountProof;
  readonly changeOwnPassword: PasswordChange;
  /** As for putInterlock. */
  readonly checkInterlock: JsonObject;
  readonly checkRule: RuleCheck;
  readonly claimControl: NewClaim;
  readonly confirmSecondFactor: SecondFactorConfirmation;
  readonly createAccount: NewAccount;
  readonly createBulkCommand: NewBulkCommand;
  readonly createCommandExecution: CommandInput;
  readonly createCommandSchedule: NewCommandSchedule;
  readonly createCounterCorrection: NewCounterCorrection;
  readonly createJoinCode: NewJoinCode;
  readonly createKioskLink: NewKioskLink;
  readonly createMaintenance: NewMaintenanceWindow;
  readonly createNotificationChannel: NewNotificationChannel;
  readonly createNotificationRoute: NewNotificationRoute;
  readonly createRollout: NewRollout;
  readonly createRule: NewRule;
  readonly createSession: SignIn;
  readonly createSite: NewSite;
  readonly createTerminalSignIn: NewTerminalSignIn;
  readonly createToken: NewToken;
  readonly createView: NewView;
  readonly createWebhook: NewWebhook;
  readonly disableRules: RuleNames;
  readonly dryRunBulkCommand: NewBulkCommand;
  readonly dryRunCommand: CommandInput;
  readonly dryRunRule: NewRuleDryRun;
  readonly enableRules: RuleNames;
  readonly executeCommand: CommandInput;
  readonly finishProviderSignIn: ProviderReturn;
  readonly finishSignIn: SecondStep;
  readonly generateConfig: GenerateConfig;
  readonly getTimeseries: TimeseriesQuestion;
  readonly giveSite: NewSiteGrant;
  readonly joinCloud: NewUplink;
  readonly joinGateway: Join;
  readonly linkProvider: ProviderReturn;
  readonly offerPasskey: PasskeyOfferInput;
  readonly offerSecondFactor: SecondFactorOfferInput;
  readonly previewCalendar: NewCalendar;
  readonly previewNotification: NewNotificationPreview;
  readonly previewScheduleTimes: NewScheduleTimes;
  readonly provisionChildDevice: NewChildDevice;
  readonly provisionLuaDevice: NewLuaDevice;
  readonly provisionSimulatedDevice: NewSimulatedDevice;
  readonly provisionStandalone: NewStandaloneDevice;
  readonly provisionVirtualUcm: NewVirtualUcm;
  readonly putCalendar: NewCalendar;
  readonly putConfiguration: Readonly<Record<string, JsonObject>>;
  /** Parameter to value. */
  readonly putConfigurationBucket: JsonObject;
  readonly putInterlock: NewInterlock;
  readonly putNotificationChannel: NewNotificationChannel;
  readonly putNotificationRoute: NewNotificationRoute;
  readonly putNotificationsRead: ReadMark;
  readonly putPriceSource: NewPriceSource;
  readonly putPrices: NewPrices;
  readonly putRetention: RetentionRules;
  readonly putSetting: NewSettingValue;
  readonly putTariff: NewTariff;
  readonly putVariable: VariableChange;
  readonly removeSecondFactor: SecondFactorProof;
  readonly renamePasskey: PasskeyChange;
  readonly renderController: ControllerRender;
  readonly renewClaim: ClaimRenewal;
  readonly replaceRecoveryCodes: SecondFactorProof;
  readonly signInWithPasskey: PasskeySignIn;
  readonly subscribePush: NewPushDevice;
  readonly takeTerminalSignIn: TakenTerminalSignIn;
  readonly testRule: NewRuleTest;
  readonly tryPriceSource: NewPriceSource;
  readonly unacknowledgeAlert: UnacknowledgeAlert;
  readonly unlinkProvider: AccountProof;
  readonly updateAccount: AccountChange;
  readonly updateCommandSchedule: CommandScheduleChange;
  readonly updateDevice: DeviceChange;
  readonly updateOnlySite: SiteChange;
  readonly updateOwnAccount: OwnAccountChange;
  readonly updateRule: RuleChange;
  readonly updateRuleScript: RuleScriptChange;
  readonly updateSite: SiteChange;
  readonly updateView: ViewChange;
};

/** What each operation takes in its query. Lists are joined by commas. */
export type Queries = {
  readonly downloadBlueprint: {
    /** ORIGINAL unless said otherwise. */
    readonly view?: "ORIGINAL" | "COMPILED" | undefined;
  };
  readonly executeCommand: {
    /** Adds the log of all responses. */
    readonly expand?: readonly "log"[] | undefined;
  };
  readonly exportDeviceTelemetry: {
    /** The first moment. Default: the beginning. */
    readonly from?: string | undefined;
    /** The end, not included. Default: everything there is. */
    readonly to?: string | undefined;
    /** Names or aliases. Default: all that the token may read. */
    readonly attributes?: readonly string[] | undefined;
    /** Default csv. */
    readonly form?: "csv" | "jsonl" | "parquet" | undefined;
    /** A row per moment (wide), or a row per value (long). */
    readonly shape?: "wide" | "long" | undefined;
    /** Unix seconds, RFC 3339 in UTC (iso), or as clocks at the site show it (local). Default unix. */
    readonly time?: "unix" | "iso" | "local" | undefined;
    /** For local times. Default that of the site. */
    readonly timezone?: string | undefined;
  };
  readonly exportSiteTelemetry: {
    /** The first moment. Default: the beginning. */
    readonly from?: string | undefined;
    /** The end, not included. Default: everything there is. */
    readonly to?: string | undefined;
    /** Names or aliases. Default: all that the token may read. */
    readonly attributes?: readonly string[] | undefined;
    /** Default csv. */
    readonly form?: "csv" | "jsonl" | "parquet" | undefined;
    /** A row per moment (wide), or a row per value (long). */
    readonly shape?: "wide" | "long" | undefined;
    /** Unix seconds, RFC 3339 in UTC (iso), or as clocks at the site show it (local). Default unix. */
    readonly time?: "unix" | "iso" | "local" | undefined;
    /** For local times. Default that of the site. */
    readonly timezone?: string | undefined;
  };
  readonly getBlueprintManifest: {
    /** COMPILED unless said otherwise. */
    readonly view?: "COMPILED" | "ORIGINAL" | undefined;
  };
  readonly getCommandExecution: {
    /** Adds the log of all responses. */
    readonly expand?: readonly "log"[] | undefined;
  };
  readonly getCurrentTelemetry: {
    /** devices[<device>]=<attribute>,<attribute>: the attributes to read of each device. */
    readonly devices?: Readonly<Record<string, readonly string[]>> | undefined;
  };
  readonly getDevice: {
    /** What to add to each device. */
    readonly expand?: readonly Expansion[] | undefined;
  };
  readonly getDeviceManifest: {
    /** COMPILED unless said otherwise. */
    readonly view?: "COMPILED" | "ORIGINAL" | undefined;
  };
  readonly getLatestTelemetry: {
    /** devices[<device>]=<attribute>,<attribute>: the attributes to read of each device. */
    readonly devices?: Readonly<Record<string, readonly string[]>> | undefined;
    /** How old a value may be. Default 30s. */
    readonly relevance_interval?: string | undefined;
  };
  readonly getPrices: {
    /** Start of the range. */
    readonly from?: string | undefined;
    /** End of the range, not included. */
    readonly to?: string | undefined;
  };
  readonly getSiteEnergy: {
    /**
     * One of: today, yesterday, this_week, this_month, this_year, a day (2026-11-15), a week (2026-W47), a month
     * (2026-11) or a year (2026). Default today.
     */
    readonly period?: string | undefined;
    /** Start of the period, instead of a name for it. */
    readonly from?: string | undefined;
    /** End of the period, not included. Default now. */
    readonly to?: string | undefined;
    /** Adds the energies of each step of the period. At most 800 steps. */
    readonly step?: "quarter_hour" | "hour" | "day" | "week" | "month" | "year" | undefined;
    /**
     * true: adds the period before, of the same kind. For a period that is still running it is cut at the same
     * point.
     */
    readonly before?: boolean | undefined;
    /** true: adds what the energies cost by the tariff of the site. Null: it has none. */
    readonly costs?: boolean | undefined;
  };
  readonly listAccounts: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listAudit: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** By time; newest first unless said otherwise. */
    readonly order?: "AT_DESC" | "AT_ASC" | undefined;
    /** Leaves out entries older than this. */
    readonly "at.gte"?: string | undefined;
    /** Leaves out this moment and what came after. */
    readonly "at.lt"?: string | undefined;
    /** Only these operations, such as createSite,revokeToken. */
    readonly "action.in"?: readonly string[] | undefined;
    /** Only entries about these sites. */
    readonly "site_id.in"?: readonly string[] | undefined;
    /** Only entries about these devices, by id, or by slug while the token sees them. */
    readonly "device_id.in"?: readonly string[] | undefined;
    /** Only what these people or tokens did, by id. A person did what the sessions and tokens of that person did. */
    readonly "actor.in"?: readonly string[] | undefined;
    /** Only calls that came through these doors. */
    readonly "door.in"?:
      | readonly ("page" | "cli" | "token" | "rule" | "schedule" | "rollout" | "cloud" | "busbar")[]
      | undefined;
    /** Only these outcomes. */
    readonly "outcome.in"?: readonly string[] | undefined;
  };
  readonly listBlueprints: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listBulkCommands: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listBulkDevices: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only devices in one of these states. */
    readonly "state.in"?: readonly ("WAITING" | "RUNNING" | "SUCCESS" | "FAILED" | "REFUSED" | "SKIPPED")[] | undefined;
  };
  readonly listCalendarEntries: {
    /** Default: now. */
    readonly from?: string | undefined;
    /** Default, and at most: 366 days after from. */
    readonly to?: string | undefined;
    /** Default: 20. At most 1000. */
    readonly limit?: number | undefined;
  };
  readonly listCalendars: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listCatalogue: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Words that are all in the name, description, category, author or profiles. */
    readonly q?: string | undefined;
    /** Only this category. */
    readonly category?: string | undefined;
  };
  readonly listChanges: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only changes of these sites. */
    readonly "site_id.in"?: readonly string[] | undefined;
    /** Only changes of these devices, by id. */
    readonly "device_id.in"?: readonly string[] | undefined;
    /** Only changes in these states. */
    readonly "state.in"?: readonly ("PENDING" | "DONE" | "REFUSED" | "OVERRULED" | "WITHDRAWN")[] | undefined;
  };
  readonly listCommandExecutions: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only persistent executions unless said otherwise. */
    readonly retention?: "PERSISTENT" | "EPHEMERAL" | "ALL" | undefined;
    /** By creation; oldest first unless said otherwise. */
    readonly order?: "CREATED_AT_ASC" | "CREATED_AT_DESC" | undefined;
    /** Leaves out executions older than this. */
    readonly "created_at.gte"?: string | undefined;
    /** Leaves out this moment and what came after. */
    readonly "created_at.lt"?: string | undefined;
    /** Only these commands, by the sent name or the manifest name. */
    readonly "name.in"?: readonly string[] | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly ExecutionState[] | undefined;
  };
  readonly listCommandSchedules: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listControlHistory: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only this control. */
    readonly control?: string | undefined;
    /** Leaves out what was before. */
    readonly "at.gte"?: string | undefined;
    /** Leaves out this moment and what came after. */
    readonly "at.lt"?: string | undefined;
  };
  readonly listCounterCorrections: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listDeviceAlerts: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Alerts that are active unless said otherwise; false: those that were. */
    readonly active?: boolean | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly ("SOFT" | "HARD" | "UNCONFIRMED")[] | undefined;
    /** Only these severities. */
    readonly "severity.in"?: readonly ("info" | "warning" | "error")[] | undefined;
    /** Leaves out alerts raised before this. */
    readonly "raised_at.gte"?: string | undefined;
    /** Leaves out alerts raised at this moment or after. */
    readonly "raised_at.lt"?: string | undefined;
    /** By the time of raising; newest first unless said otherwise. */
    readonly order?: "RAISED_AT_DESC" | "RAISED_AT_ASC" | undefined;
  };
  readonly listDeviceControls: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listDeviceLogs: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Leaves out older entries. */
    readonly received_at_from?: string | undefined;
    /** Leaves out this moment and what came after. */
    readonly received_at_to?: string | undefined;
    /** Only these severities. */
    readonly severity?: readonly LogSeverity[] | undefined;
    /** Oldest first unless said otherwise. */
    readonly order?: "RECEIVED_AT_ASC" | "RECEIVED_AT_DESC" | undefined;
    /** Everything unless said otherwise. */
    readonly show?: "ALL" | "PERSISTED_ONLY" | "TEMPORARY_ONLY" | undefined;
  };
  readonly listDevices: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** What to add to each device. */
    readonly expand?: readonly Expansion[] | undefined;
    /** Only these devices, by id or slug. */
    readonly "id.in"?: readonly string[] | undefined;
    /** Only devices of these types. */
    readonly "type.in"?:
      | readonly (
          | "LUA"
          | "STANDALONE"
          | "GATEWAY"
          | "CHILD"
          | "NATIVE"
          | "SIMULATED"
          | "VIRTUAL_UCM"
          | "HARDWARE_UCM"
          | "EMBEDDED_UCM"
          | "LINK_MASTER_UCM"
          | "LINK_SLAVE_UCM"
        )[]
      | undefined;
    /** Only children of these devices, by id or slug. */
    readonly "parent_id.in"?: readonly string[] | undefined;
    /** Only children of these types. */
    readonly "child_type.in"?: readonly string[] | undefined;
    /** Only devices whose blueprint implements all of these profiles. */
    readonly "profiles.has_all"?: readonly string[] | undefined;
  };
  readonly listGateways: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only gateways that are connected, or that are not; revoked ones are neither. */
    readonly connected?: boolean | undefined;
    /** Only gateways that run one of these versions. */
    readonly "version.in"?: readonly string[] | undefined;
  };
  readonly listJoinCodes: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listMaintenance: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listNotificationChannels: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listNotificationMessages: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly ("WAITING" | "SENDING" | "SENT" | "FAILED" | "UNKNOWN")[] | undefined;
  };
  readonly listNotificationRoutes: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listNotifications: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listOwnSignIns: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listOwnTokens: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listRolloutDevices: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only devices in one of these states. */
    readonly "state.in"?: readonly string[] | undefined;
  };
  readonly listRollouts: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listRuleLogs: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only lines with a higher sequence, oldest first, and at most 100 of them. */
    readonly after?: number | undefined;
  };
  readonly listRuleNames: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listRuleTraces: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listRules: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listScheduleRuns: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listSessions: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listSiteAlerts: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Alerts that are active unless said otherwise; false: those that were. */
    readonly active?: boolean | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly ("SOFT" | "HARD" | "UNCONFIRMED")[] | undefined;
    /** Only these severities. */
    readonly "severity.in"?: readonly ("info" | "warning" | "error")[] | undefined;
    /** Leaves out alerts raised before this. */
    readonly "raised_at.gte"?: string | undefined;
    /** Leaves out alerts raised at this moment or after. */
    readonly "raised_at.lt"?: string | undefined;
    /** By the time of raising; newest first unless said otherwise. */
    readonly order?: "RAISED_AT_DESC" | "RAISED_AT_ASC" | undefined;
  };
  readonly listSiteCommandExecutions: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only persistent executions unless said otherwise. */
    readonly retention?: "PERSISTENT" | "EPHEMERAL" | "ALL" | undefined;
    /** By creation; oldest first unless said otherwise. */
    readonly order?: "CREATED_AT_ASC" | "CREATED_AT_DESC" | undefined;
    /** Leaves out executions older than this. */
    readonly "created_at.gte"?: string | undefined;
    /** Leaves out this moment and what came after. */
    readonly "created_at.lt"?: string | undefined;
    /** Only these commands, by the sent name or the manifest name. */
    readonly "name.in"?: readonly string[] | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly ExecutionState[] | undefined;
    /** Only these devices, by id or slug. */
    readonly "device_id.in"?: readonly string[] | undefined;
    /** Only devices that implement all of these profiles. */
    readonly "device.profiles.has_all"?: readonly string[] | undefined;
    /** Only children of these types. */
    readonly "device.child_type.in"?: readonly string[] | undefined;
    /** Only children of these devices, by id or slug. */
    readonly "device.parent_id.in"?: readonly string[] | undefined;
  };
  readonly listSiteControls: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Those that are claimed unless said otherwise; false: all. */
    readonly claimed?: boolean | undefined;
  };
  readonly listSiteDevices: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** What to add to each device. */
    readonly expand?: readonly Expansion[] | undefined;
    /** Only these devices, by id or slug. */
    readonly "id.in"?: readonly string[] | undefined;
    /** Only devices of these types. */
    readonly "type.in"?:
      | readonly (
          | "LUA"
          | "STANDALONE"
          | "GATEWAY"
          | "CHILD"
          | "NATIVE"
          | "SIMULATED"
          | "VIRTUAL_UCM"
          | "HARDWARE_UCM"
          | "EMBEDDED_UCM"
          | "LINK_MASTER_UCM"
          | "LINK_SLAVE_UCM"
        )[]
      | undefined;
    /** Only children of these devices, by id or slug. */
    readonly "parent_id.in"?: readonly string[] | undefined;
    /** Only children of these types. */
    readonly "child_type.in"?: readonly string[] | undefined;
    /** Only devices whose blueprint implements all of these profiles. */
    readonly "profiles.has_all"?: readonly string[] | undefined;
    /** The site of the path once more. */
    readonly site_id?: string | undefined;
  };
  readonly listSites: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Known because editors of the ecosystem send it. It does not filter. */
    readonly name?: string | undefined;
  };
  readonly listTokens: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listViews: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only these kinds. */
    readonly "kind.in"?: readonly ViewKind[] | undefined;
  };
  readonly listWebhookDeliveries: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
    /** Only these states. */
    readonly "state.in"?: readonly DeliveryState[] | undefined;
    /** Newest first unless said otherwise. */
    readonly order?: "QUEUED_AT_DESC" | "QUEUED_AT_ASC" | undefined;
  };
  readonly listWebhooks: {
    /** The most items to answer with. Default 100; more than 1000 counts as 1000. */
    readonly limit?: number | undefined;
    /** How many items to skip before the first one. */
    readonly offset?: number | undefined;
  };
  readonly listenToEvents: {
    /** Only these kinds of events. */
    readonly "kind.in"?: readonly EventKind[] | undefined;
    /** Only events of these sites. */
    readonly "site_id.in"?: readonly string[] | undefined;
    /** Only events of these devices, by id or slug. */
    readonly "device_id.in"?: readonly string[] | undefined;
    /**
     * Begins with the changes of so much time before now, at most 60s, so that nothing is lost between the reading
     * of a list and the opening of the stream. A few more may come. Last-Event-ID wins over it.
     */
    readonly replay?: string | undefined;
  };
  readonly resumeRollout: {
    /** `true`: leaves out the devices of this stage whose gateway is not connected. */
    readonly without_away?: boolean | undefined;
  };
};
