// What the use cases need from outside. Each store has a contract suite in test/contract that every implementation passes.
// Writes resolve only when they are durable. Each carries its audit entry, and both are stored or neither is.
import type { AuditEntry, AuditOutcome } from "#core/access/audit-entry.ts";
import type { Caller, SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { Arrival, CommandResponse, Execution, ExecutionState, Micros, Payload } from "#core/command/execution.ts";
import type { Device, DeviceChange, DeviceCredential, PropertyValue } from "#core/device/device.ts";
import type { LogMessage, LogSeverity, ResponseMessage, ValuesMessage } from "#core/device/device-message.ts";
import type { Site, SiteChange } from "#core/site/site.ts";
import type { ColumnKind, ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import type { AlertChange, AlertSeverity, RaisedAlert } from "#core/telemetry/alert-state.ts";
import type { SiteRetention } from "#core/telemetry/retention.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Outcome } from "#core/webhook/after-attempt.ts";
import type { Delivery, DeliveryState, Notice, Webhook } from "#core/webhook/webhook.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many match, on all pages. */
  readonly total: number;
}

export interface SiteStore {
  insert(site: Site, trail: AuditEntry): Promise<void>;
  find(id: string): Promise<Site | undefined>;
  /** Ordered by id, which is the order of creation. */
  list(scope: SiteScope, page: PageRequest): Promise<Page<Site>>;
  /** Undefined when there is no such site. */
  update(
    id: string,
    change: SiteChange & { readonly updatedAt: Instant },
    trail: AuditEntry,
  ): Promise<Site | undefined>;
  /** False when there is no such site. Refuses with `conflict` while the site has devices. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
}

export interface DeviceFilter {
  readonly scope: SiteScope;
  readonly siteId?: string;
  readonly ids?: readonly string[];
  readonly parentIds?: readonly string[];
  readonly childTypes?: readonly string[];
  readonly types?: readonly string[];
  readonly blueprintIds?: readonly string[];
}

/** A new device; without a slug the store gives it a free one made from its name: the first one, unless very many share the name. */
export type NewDevice = Omit<Device, "slug"> & { readonly slug: string | undefined };

export interface DeviceStore {
  /** Refuses with `slug_taken`, or `conflict` when the site, parent or blueprint is gone. */
  insert(device: NewDevice, trail: AuditEntry): Promise<Device>;
  find(id: string): Promise<Device | undefined>;
  /** The devices in scope that have the slug, at most two: enough to tell one from several. */
  findBySlug(slug: string, scope: SiteScope): Promise<readonly Device[]>;
  /** Ordered by id, which is the order of creation. */
  list(filter: DeviceFilter, page: PageRequest): Promise<Page<Device>>;
  /** Undefined when there is no such device. Refuses with `slug_taken`, or `conflict` for a parent that is gone, elsewhere or below the device. */
  update(
    id: string,
    change: DeviceChange & { readonly updatedAt: Instant },
    trail: AuditEntry,
  ): Promise<Device | undefined>;
  /** False when there is no such device. Refuses with `conflict` while it has children. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  /** Replaces the device's credential, so that the former secret is void. */
  putCredential(credential: DeviceCredential, trail: AuditEntry): Promise<void>;
  findCredential(deviceId: string): Promise<DeviceCredential | undefined>;
  findCredentialByHardwareId(hardwareId: string): Promise<DeviceCredential | undefined>;
  /** Sets the named properties and keeps the others; an older value never replaces a newer one. */
  putProperties(deviceId: string, values: readonly PropertyValue[]): Promise<void>;
  /** One list per asked id, ordered by name. */
  properties(deviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly PropertyValue[]>>;
}

export interface BlueprintStore {
  /** Gives the blueprint that already has this digest, or stores a new one as the next version of its display name. */
  insert(blueprint: Omit<StoredBlueprint, "version">, content: Uint8Array, trail: AuditEntry): Promise<StoredBlueprint>;
  find(id: string): Promise<StoredBlueprint | undefined>;
  content(id: string): Promise<Uint8Array | undefined>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<StoredBlueprint>>;
  /** Every blueprint that lists at least one profile. */
  implementing(): Promise<readonly Pick<StoredBlueprint, "id" | "implements">[]>;
}

export interface TokenStore {
  insert(token: TokenRecord, trail: AuditEntry): Promise<void>;
  /** Makes the admin token what it should be now; when it was made and last used stays known. */
  putAdmin(token: TokenRecord): Promise<void>;
  find(id: string): Promise<TokenRecord | undefined>;
  /** Every token; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly TokenRecord[]>;
  /** False when there is no such token or it is revoked already. */
  revoke(id: string, at: Instant, trail: AuditEntry): Promise<boolean>;
  noteUse(uses: ReadonlyMap<string, Instant>): Promise<void>;
}

export interface AuditFilter {
  /** Who asks: sees entries about its sites and its own. */
  readonly reader: Pick<Caller, "tokenId" | "sites">;
  readonly since?: Instant;
  readonly before?: Instant;
  readonly actions?: readonly string[];
  readonly siteIds?: readonly string[];
  readonly outcomes?: readonly AuditOutcome[];
  readonly newestFirst: boolean;
}

export interface AuditStore {
  append(entries: readonly AuditEntry[]): Promise<void>;
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** Deletes entries older than `before`, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}

/** An execution about to be stored, with what only the store and the device see of it. */
export interface NewExecution {
  readonly execution: Execution;
  /** The arguments in the clear, sealed; undefined when none is sensitive. */
  readonly sealed: Uint8Array | undefined;
  /** True when it is handed to the device right after the commit. */
  readonly attempted: boolean;
  readonly idempotency: Idempotency | undefined;
  /** How many executions of the device may be open at once. */
  readonly maxOpen: number;
}

export interface Idempotency {
  readonly tokenId: string;
  readonly key: string;
  readonly requestDigest: Uint8Array;
  readonly expiresAt: Instant;
}

/** An execution that still waits for its device. */
export interface OpenExecution {
  readonly execution: Execution;
  readonly attempted: boolean;
  readonly sealed: Uint8Array | undefined;
}

export interface ExecutionFilter {
  readonly scope: SiteScope;
  /** Only executions whose read level this level includes. */
  readonly level: AccessLevel;
  readonly siteId?: string;
  readonly deviceIds?: readonly string[];
  /** Sent or manifest names, exactly. */
  readonly names?: readonly string[];
  readonly states?: readonly ExecutionState[];
  readonly retention: "PERSISTENT" | "EPHEMERAL" | "ALL";
  readonly since?: Instant;
  readonly before?: Instant;
  readonly newestFirst: boolean;
  /** Ephemeral executions as old as a day then are gone. */
  readonly now: Instant;
}

export interface ExecutionStore {
  /**
   * Stores the execution. With an idempotency key that was used before it gives the earlier execution, or refuses with
   * `idempotency_conflict` when the request differs. Refuses with `queue_full`.
   */
  insert(input: NewExecution, trail: AuditEntry): Promise<{ readonly execution: Execution; readonly isNew: boolean }>;
  /** Ephemeral ones only until they are a day old. */
  find(deviceId: string, id: string, now: Instant): Promise<Execution | undefined>;
  /** Newest first. */
  responses(id: string): Promise<readonly CommandResponse[]>;
  /** By creation time, then id. */
  list(filter: ExecutionFilter, page: PageRequest): Promise<Page<Execution>>;
  /** Marks that the device may have got it from now on; false when that was marked before or it has ended. */
  markAttempted(id: string): Promise<boolean>;
  /** Takes the mark back, for a command that certainly did not leave. */
  unmarkAttempted(id: string): Promise<void>;
  /** The execution after the response; undefined when the response is not counted: too late, a repetition, or not the device's. */
  record(
    deviceId: string,
    id: string,
    arrival: Arrival & { readonly repeated: boolean },
  ): Promise<Execution | undefined>;
  /** The execution after its timeout; undefined when it has ended, or was heard of since, so that its deadline is no longer this one. */
  expire(id: string, deadline: Instant): Promise<Execution | undefined>;
  /** Everything that is open, oldest first; of one device or of all. */
  open(deviceId?: string): Promise<readonly OpenExecution[]>;
  /** Deletes ephemeral executions older than a day and used-up idempotency keys, a bounded number at a time; gives how many. */
  sweep(now: Instant): Promise<number>;
}

export interface DeviceLogEntry {
  readonly receivedAt: Micros;
  readonly takenAt: Instant;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
}

export interface LogFilter {
  readonly since?: Instant;
  readonly before?: Instant;
  readonly severities?: readonly LogSeverity[];
  readonly persisted?: boolean;
  readonly newestFirst: boolean;
}

export interface DeviceLogStore {
  /** Entries with the same time get distinct, rising ones. */
  append(deviceId: string, entries: readonly DeviceLogEntry[]): Promise<readonly DeviceLogEntry[]>;
  list(deviceId: string, filter: LogFilter, page: PageRequest): Promise<Page<DeviceLogEntry>>;
  /** Deletes what is older, a bounded number at a time; gives how many. */
  prune(limits: { readonly persistedBefore: Instant; readonly temporaryBefore: Instant }): Promise<number>;
}

export interface StoredBucket {
  readonly bucket: string;
  /** Sensitive values hidden. */
  readonly shown: Payload;
  /** All values in the clear, sealed. */
  readonly sealed: Uint8Array;
  readonly updatedAt: Instant;
}

export interface ConfigurationStore {
  get(deviceId: string): Promise<readonly StoredBucket[]>;
  /** All or none. */
  put(deviceId: string, buckets: readonly StoredBucket[], trail: AuditEntry): Promise<void>;
}

/** Values of one device at one moment. Lists are JSON text. */
export interface TelemetryPoints {
  readonly deviceId: string;
  readonly at: Instant;
  readonly values: ReadonlyMap<string, number | boolean | string>;
}

/** Many values of one attribute, in any order; of equal times the last one counts. The arrays are given away. */
export interface LoadedColumn {
  readonly attribute: string;
  readonly kind: ColumnKind;
  readonly count: number;
  /** Unix milliseconds, whole ones. */
  readonly times: Float64Array;
  /** Booleans are 0 and 1. */
  readonly values: Float64Array | Uint8Array | readonly string[];
}

export interface Snapshot {
  readonly at: Instant;
  readonly value: number | boolean | string;
}

export interface SeriesRequest {
  /** [from, to). */
  readonly from: Instant;
  readonly to: Instant;
  readonly items: readonly {
    readonly deviceId: string;
    readonly attribute: string;
    readonly kind: ColumnKind;
    readonly aggregation: ResolvedAggregation;
    readonly granularityMs: number;
    /** Undefined: no gap filling. Else how far before `from` a last value may lie. */
    readonly lookAroundMs: number | undefined;
  }[];
}

/** Attributes by name, or all but some. */
export type DropChoice = { readonly only: readonly string[] } | { readonly except: readonly string[] };

export interface RetentionStore {
  /** Empty rules for a site without any. */
  get(siteId: string): Promise<SiteRetention>;
  /** Replaces all rules of the site. */
  put(siteId: string, retention: SiteRetention, trail: AuditEntry): Promise<void>;
}

export interface Rows extends AsyncIterableIterator<Uint8Array> {
  /** All of them, where they were ready at once: then whoever takes these need not iterate. */
  readonly whole: Uint8Array | undefined;
}

export interface TelemetryStore {
  /** The same device, attribute and time written twice keeps the later write. Resolves when durable. */
  append(messages: readonly TelemetryPoints[]): Promise<void>;
  /** Writes many points of one device at once, faster than `append`. Resolves when durable. */
  load(deviceId: string, columns: readonly LoadedColumn[]): Promise<void>;
  /** The newest value of each attribute, from memory. */
  latest(deviceId: string): ReadonlyMap<string, Snapshot>;
  /** Rows of CSV, some at a time: bucket start, then a cell per item. Before them `header`. To be read to its end or returned. */
  query(request: SeriesRequest, header?: string): Promise<Rows>;
  /** The most rows the answer can have, without reading a point. */
  rowBound(request: SeriesRequest): Promise<number>;
  deleteDevice(deviceId: string): Promise<void>;
  /** Deletes stored hours and days that ended before, a bounded number at a time; gives how many pieces. */
  drop(deviceId: string, attributes: DropChoice, before: Instant): Promise<number>;
  /** Does now what otherwise happens in the background until `at`. */
  settle(at: Instant): Promise<void>;
  close(): Promise<void>;
}

/** One raising of an alert by one source of a device; active while it is not cleared. */
export interface AlertRecord extends RaisedAlert {
  readonly deviceId: string;
  readonly siteId: string;
  readonly clearedAt: Instant | undefined;
}

export interface AlertFilter {
  readonly scope: SiteScope;
  /** Only alerts whose read level this level includes. */
  readonly level: AccessLevel;
  readonly siteId?: string;
  readonly deviceIds?: readonly string[];
  /** True: those that are active. False: those that were. */
  readonly active: boolean;
  readonly hard?: boolean;
  readonly severities?: readonly AlertSeverity[];
  /** By the time of raising. */
  readonly since?: Instant;
  readonly before?: Instant;
  readonly newestFirst: boolean;
}

export interface AlertStore {
  /** Stores the changes and queues the notices, all or none. False, and nothing stored, when the device is gone. */
  record(deviceId: string, changes: readonly AlertChange[], notices: readonly Notice[]): Promise<boolean>;
  /** Everything active, of one device or of all, in the order of raising. */
  active(deviceId?: string): Promise<readonly AlertRecord[]>;
  /** By the time of raising. */
  list(filter: AlertFilter, page: PageRequest): Promise<Page<AlertRecord>>;
  /** Ids of the active alerts of each asked device that this level may read, each once, in the order of raising. */
  raisedNames(deviceIds: readonly string[], level: AccessLevel): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Deletes what was cleared before, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}

export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[];
  readonly newestFirst: boolean;
}

export interface WebhookStore {
  /** Refuses with `conflict` when there are too many. */
  insert(webhook: Webhook, trail: AuditEntry): Promise<void>;
  /** Every webhook; there are few. Ordered by id, which is the order of creation. */
  all(): Promise<readonly Webhook[]>;
  /** Its deliveries go with it. False when there is no such webhook. */
  delete(id: string, trail: AuditEntry): Promise<boolean>;
  /** Queues a delivery for each webhook that wants the notice and may know of it. */
  enqueue(notices: readonly Notice[]): Promise<void>;
  /** The oldest delivery that is due of each webhook that is not busy. */
  due(now: Instant, busy: Iterable<string>): Promise<readonly Delivery[]>;
  /** When the next one is due of all webhooks that are not busy. */
  nextAttempt(busy: Iterable<string>): Promise<Instant | undefined>;
  settle(deliveryId: string, outcome: Outcome): Promise<void>;
  /** In the order of happening. */
  deliveries(webhookId: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  /** Makes a delivery due now, with another day to succeed; undefined when there is none. */
  retry(
    which: { readonly webhookId: string; readonly deliveryId: string; readonly now: Instant },
    trail: AuditEntry,
  ): Promise<Delivery | undefined>;
  /** Deletes delivered and dead ones that ended before, a bounded number at a time; gives how many. */
  prune(before: Instant): Promise<number>;
}

/** One delivery on its way out. */
export interface OutgoingDelivery {
  readonly url: string;
  readonly secret: string;
  readonly delivery: Delivery;
  readonly sentAt: Instant;
}

/** The way to the receivers of webhooks. */
export interface WebhookSender {
  /** Why this address is not allowed, as far as it can be told without asking anybody. */
  problemWith(url: URL): string | undefined;
  /** Never rejects: whatever goes wrong is a failed attempt, in words that hold no secret. */
  send(outgoing: OutgoingDelivery, signal: AbortSignal): Promise<SendResult>;
}

export interface SendResult {
  readonly status: number | undefined;
  /** Undefined when the receiver took it. */
  readonly error: string | undefined;
}

/** Keeps secrets readable only for this installation. The context binds a sealed text to its place. */
export interface Seal {
  seal(text: string, context: string): Uint8Array;
  open(sealed: Uint8Array, context: string): string;
  /** The same for the same text and context; says nothing about the text to whoever lacks the key. */
  fingerprint(text: string, context: string): Uint8Array;
}

/** Reads an uploaded package; away from the thread that answers HTTP, because a hostile one takes its time. */
export type InspectPackage = (bytes: Uint8Array) => Promise<Inspection>;

/** A command on its way to a device. The id is the execution's, so that a device can tell a repetition. */
export interface OutgoingCommand {
  readonly id: string;
  readonly name: string;
  readonly arguments: Payload;
}

/** The way to the devices. One implementation per carrier; only this differs between MQTT, Lua and the link. */
export interface CommandChannel {
  /** Whether a command handed over now would reach the device at once. */
  isReady(deviceId: string): boolean;
  /** Hands a command over, never twice. A rejection means that it certainly did not reach the device. */
  send(deviceId: string, command: OutgoingCommand): Promise<void>;
  /** Tells the device its configuration; a device that is away learns it when it returns. */
  sendConfiguration(deviceId: string, configuration: DeviceConfiguration): Promise<void>;
}

/** Makes the key and certificate by which a device signs in over TLS. All texts are PEM. */
export type IssueCertificate = (hardwareId: string) => {
  readonly privateKey: string;
  readonly certificate: string;
  /** What the device trusts. */
  readonly caChain: string;
  /** By which the device is recognised. */
  readonly fingerprint: string;
};

/** A channel that also holds the devices' connections. */
export interface Carrier extends CommandChannel {
  /** Ends the device's connections: its credentials are void, or it is gone. */
  disconnect(deviceId: string): void;
}

/** Bucket to parameter to value, with defaults filled in and sensitive values in the clear. */
export type DeviceConfiguration = ReadonlyMap<string, Payload>;

/** What a carrier tells about the devices behind it. Every promise resolves when what was told is durable. */
export interface DeviceInbox {
  /** The device that may sign in with this name and secret, or undefined. Takes the same time either way. */
  signIn(hardwareId: string, secret: string): Promise<SignedIn | undefined>;
  /** The device behind a certificate's hardware id, whose issuer the carrier has checked. */
  signInByCertificate(hardwareId: string, fingerprint: string): Promise<SignedIn | undefined>;
  /** The device can be reached: commands that wait for it are handed over now. */
  reachable(deviceId: string): void;
  /** Its last connection has gone. */
  unreachable(deviceId: string): void;
  /** Any sign of life, however small. */
  alive(deviceId: string): void;
  telemetry(deviceId: string, message: ValuesMessage): Promise<void>;
  properties(deviceId: string, message: ValuesMessage): Promise<void>;
  log(deviceId: string, message: LogMessage): Promise<void>;
  response(deviceId: string, message: ResponseMessage): Promise<void>;
  /** Something arrived that makes no sense; it is counted and told in the device's log. */
  malformed(deviceId: string, problem: string): Promise<void>;
}

export interface SignedIn {
  readonly deviceId: string;
  readonly hardwareId: string;
  readonly channelId: string;
}

export interface Needs {
  readonly sites: SiteStore;
  readonly devices: DeviceStore;
  readonly blueprints: BlueprintStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly executions: ExecutionStore;
  readonly deviceLogs: DeviceLogStore;
  readonly configurations: ConfigurationStore;
  readonly telemetry: TelemetryStore;
  readonly alerts: AlertStore;
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender;
  readonly retentions: RetentionStore;
  readonly seal: Seal;
  readonly inspectPackage: InspectPackage;
  readonly profiles: ProfileLibrary;
  readonly now: () => Instant;
  readonly newId: () => string;
  /** Cryptographically random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
}

/** One call from outside: who makes it, and what the audit log says about it. */
export interface Call {
  readonly caller: Caller;
  /** Name of the operation in the interface, such as createSite. */
  readonly operation: string;
  readonly requestId: string;
  readonly remoteAddress: string;
}
