import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import type { Device, PropertyValue } from "#core/device/device.ts";
import type { CounterCorrection } from "#core/energy/counter-correction.ts";
import type { PriceDay } from "#core/energy/price-days.ts";
import type { Gateway, JoinCode, OpenJoinCode, Uplink } from "#core/link/gateway.ts";
import type { DroppedHistory } from "#core/link/gateway-figures.ts";
import type { InterlockKey, LinkedKey, PricesName, RuleKey, VariableKey } from "#core/link/linked-key.ts";
import type {
  LinkedControl,
  LinkedInterlock,
  LinkedRule,
  LinkedRuleEngine,
  LinkedTariff,
  LinkedVariable,
} from "#core/link/messages.ts";
import type { RefusedRecord } from "#core/link/refused-record.ts";
import type { LinkedHour } from "#core/link/spooled-hours.ts";
import type { MarkedHour } from "#core/link/telemetry-spool.ts";
import type { Notification } from "#core/notification/notification.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertAnnouncement, AlertRecord } from "./alert-store.ts";
import type { ConfigurationChange } from "./configuration-store.ts";
import type { DeviceLogEntry } from "./device-log-store.ts";
import type { Page, PageRequest } from "./page.ts";

interface LinkedChanges {
  /** In the order of their latest changes, each with its number. */
  readonly keys: readonly (LinkedKey & { readonly changed: number })[];
  /** Everything up to this number that is not among the keys is unchanged since the cursor. */
  readonly upTo: number;
}

/** What a gateway keeps about its cloud. */
export interface UplinkStore {
  /** Names these records. */
  epoch(): Promise<string>;
  get(): Promise<Uplink | undefined>;
  /** From now on changes are noted. Forgets what was noted for another cloud. */
  put(uplink: Uplink, trail: AuditEntry): Promise<void>;
  /** False when there is none. */
  delete(trail: AuditEntry): Promise<boolean>;
  /** The records that changed after this number. */
  changesAfter(number: number, limit: number): Promise<LinkedChanges>;
  /** Those of the keys that changed after this number. */
  amongChanged(keys: readonly LinkedKey[], number: number): Promise<readonly LinkedKey[]>;
  /** All changes so far have this number or a lower one. */
  latest(): Promise<number>;
  /** The cloud has everything up to this number. What is sent only once is forgotten. */
  confirm(number: number): Promise<void>;
  /** The cloud's records of this name have everything. */
  noteCloud(epoch: string): Promise<void>;
  /** Tariffs and prices count as changed, unless that was noted for the cloud's records of this name. */
  noteTariffs(epoch: string): Promise<void>;
  /** The same for controls. */
  noteControls(epoch: string): Promise<void>;
  /** The same for interlocks. */
  noteInterlocks(epoch: string): Promise<void>;
  /** The same for rules and variables. */
  noteRules(epoch: string): Promise<void>;
  /** Hours of which the cloud may lack points. */
  hours(): Promise<readonly MarkedHour[]>;
  markHours(hours: readonly LinkedHour[]): Promise<void>;
  unmarkHours(hours: readonly LinkedHour[]): Promise<void>;
  /** The cloud never gets so much. These marked hours are part of it and are not counted again. */
  noteDropped(dropped: DroppedHistory, hours: readonly LinkedHour[]): Promise<void>;
  /** All telemetry before this time has yet to be uploaded; undefined: there is none. */
  noteHistory(before: Instant | undefined): Promise<void>;
  /** The cloud is connected now. */
  noteContact(at: Instant): Promise<void>;
  /** A credential that the cloud shall accept, encrypted. */
  putNextCredential(next: Uint8Array): Promise<void>;
  /** From now on the gateway signs in with the one that was to be next, here encrypted for that. The present one is kept. */
  useNextCredential(change: {
    readonly next: Uint8Array;
    readonly credential: Uint8Array;
    readonly at: Instant;
  }): Promise<void>;
}

export interface VersionCount {
  readonly version: string;
  readonly gateways: number;
  readonly connected: number;
}

export interface GatewayPlace {
  readonly siteIds: readonly string[];
  readonly deviceId: string | undefined;
  /** How many of its records are refused. */
  readonly refusals: number;
}

/** Which gateways a list has; without a condition all of them. */
interface GatewayFilter {
  readonly isConnected?: boolean | undefined;
  readonly versions?: readonly string[] | undefined;
}

/** What is noted of a gateway while it is connected. */
export interface SeenGateway extends Pick<Gateway, "version" | "protocol" | "epoch" | "taken"> {
  readonly at: Instant;
  /** It has reported what happened while it was away. */
  readonly isCaughtUp: boolean;
}

export interface NotedRefusal extends RefusedRecord {
  readonly at: Instant;
}

export interface NotedRefusals {
  readonly refused: readonly RefusedRecord[];
  /** Records that were refused before and are taken now. */
  readonly taken: readonly Pick<RefusedRecord, "kind" | "key">[];
  readonly at: Instant;
}

/** What a cloud keeps about the gateways that have joined it. */
export interface GatewayStore {
  insertCode(code: JoinCode, trail: AuditEntry): Promise<void>;
  /** Whether a gateway can join with it. A wrong code costs a read, not a write. */
  hasCode(hash: Uint8Array, at: Instant): Promise<boolean>;
  /** Those that can still be used, ordered by id, which is the order of making. */
  listCodes(at: Instant, page: PageRequest): Promise<Page<OpenJoinCode>>;
  /** Nobody can join with it any more. False when there is no such code, or it was used or has expired. */
  withdrawCode(id: string, at: Instant, trail: AuditEntry): Promise<boolean>;
  /**
   * Stores the gateway if there is a code with this hash that is still valid, and deletes the code. The gateway may take over
   * the sites that the code names.
   */
  join(hash: Uint8Array, gateway: Gateway, trail: AuditEntry): Promise<Gateway | undefined>;
  find(id: string): Promise<Gateway | undefined>;
  /** Ordered by id, which is the order of joining. */
  list(filter: GatewayFilter, page: PageRequest): Promise<Page<Gateway>>;
  /** False when there is no such gateway or it is revoked already. Its sites stay, as they were last reported. */
  revoke(id: string, at: Instant, trail: AuditEntry): Promise<boolean>;
  /** The gateway shall get another credential. False when there is no such gateway or it is revoked. */
  askRotation(id: string, trail: AuditEntry): Promise<boolean>;
  /** The gateway may sign in with this one, too. */
  acceptCredential(id: string, hash: Uint8Array): Promise<void>;
  /** The gateway has changed over to this one: the former one is void. */
  settleCredential(id: string, hash: Uint8Array): Promise<void>;
  /** The gateway has no connection any more. `at`: since when; undefined: nobody knows. */
  noteGone(id: string, at?: Instant): Promise<void>;
  /** Those that have a connection, or had one when their node ended. */
  connected(): Promise<readonly string[]>;
  /** Those of them whose access was revoked. */
  revokedConnected(): Promise<readonly string[]>;
  /** The gateway is connected; what it sent up to the number is stored. */
  noteTaken(id: string, seen: SeenGateway): Promise<void>;
  /** How many gateways run each version, and how many of them have a connection. Revoked ones are left out. */
  versions(): Promise<readonly VersionCount[]>;
  /** Of each of these gateways: its sites, the device that stands for it in the first of them, and its refused records. */
  places(ids: readonly string[]): Promise<ReadonlyMap<string, GatewayPlace>>;
  /** Sites that the gateway owns. */
  sites(id: string): Promise<readonly string[]>;
  /** A person lets the gateway take over the site. False when it is unknown or revoked, or no gateway owns the site. */
  grantSite(grant: {
    readonly gatewayId: string;
    readonly siteId: string;
    readonly at: Instant;
    readonly trail: AuditEntry;
  }): Promise<boolean>;
  /** Sites that the gateway may take over and has not. */
  grantedSites(id: string): Promise<readonly string[]>;
  noteRefusals(id: string, noted: NotedRefusals): Promise<void>;
  /** Records of the gateway that were refused, by kind and key. */
  refusals(id: string): Promise<readonly NotedRefusal[]>;
  /** The gateway that owns the site. */
  ownerOf(siteId: string): Promise<string | undefined>;
  devices(id: string): Promise<readonly OwnedDevice[]>;
  /** Those of the devices that a gateway has. */
  ownedAmong(deviceIds: readonly string[]): Promise<readonly OwnedDevice[]>;
}

/** A device of a gateway. */
export type OwnedDevice = Pick<Device, "id" | "siteId" | "type">;

export interface CopiedSite {
  readonly isRefused: boolean;
  readonly formerOwner: string | undefined;
}

/** The copies of what gateways own. Each call says who the owner is; what belongs to others is refused with `conflict`. */
export interface CopyStore {
  /**
   * A site that exists keeps its owner, unless a person lets this gateway take it over: `formerOwner` is the gateway that had
   * it. Otherwise nothing happens: `isRefused`.
   */
  site(gatewayId: string, site: Site, at: Instant): Promise<CopiedSite>;
  /** Replaces all its corrections; without any: by none. */
  device(gatewayId: string, device: Device, corrections?: readonly CounterCorrection[]): Promise<void>;
  properties(gatewayId: string, deviceId: string, values: readonly PropertyValue[]): Promise<void>;
  deleteSite(gatewayId: string, siteId: string): Promise<void>;
  deleteDevice(gatewayId: string, deviceId: string, at: Instant): Promise<void>;
  /** Replaces all buckets. */
  configuration(gatewayId: string, change: ConfigurationChange): Promise<void>;
  /** Replaces all that is known of its controls. */
  controls(gatewayId: string, deviceId: string, controls: readonly LinkedControl[]): Promise<void>;
  /** One more entry of what controlled the device. One that is known stays. */
  controlRecord(gatewayId: string, deviceId: string, record: ControlRecord): Promise<void>;
  /** Replaces what is known of the interlock; null: there is none of this name. */
  interlock(gatewayId: string, name: InterlockKey, interlock: LinkedInterlock | null): Promise<void>;
  /** Replaces what is known of the engine of rules. */
  ruleEngine(gatewayId: string, siteId: string, engine: LinkedRuleEngine): Promise<void>;
  /** Replaces what is known of the rule; null: there is none with this id. */
  rule(gatewayId: string, name: RuleKey, rule: LinkedRule | null): Promise<void>;
  /** Replaces what is reported of the rule. */
  ruleReport(gatewayId: string, name: RuleKey, report: RuleReport | null): Promise<void>;
  /** Replaces what is known of the variable; null: there is none of this name. */
  variable(gatewayId: string, name: VariableKey, variable: LinkedVariable | null): Promise<void>;
  /** Replaces tariff and sources of prices; null: there are none. */
  tariff(gatewayId: string, siteId: string, tariff: LinkedTariff | null): Promise<void>;
  /** Replaces the prices of the day; null: there are none. */
  prices(gatewayId: string, name: PricesName, day: PriceDay | null): Promise<void>;
  /** Replaces what is known of the alert, adds the events and queues the notices. */
  alert(gatewayId: string, alert: AlertRecord, announced: AlertAnnouncement): Promise<void>;
  /** False when it is known already, or too old to be kept. */
  logEntry(
    gatewayId: string,
    log: { readonly deviceId: string; readonly entry: DeviceLogEntry; readonly maxBytes: number },
  ): Promise<boolean>;
  /** With its events and notices, all or none. False, with nothing stored: it is known. Too many within a minute are refused. */
  notification(gatewayId: string, notification: Notification, announced: AlertAnnouncement): Promise<boolean>;
  /** An entry about a site of others is refused. */
  auditEntry(gatewayId: string, entry: AuditEntry): Promise<void>;
}
