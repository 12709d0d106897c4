// The messages between the two sides of a link. The gateway connects and says hello; the cloud answers with welcome.

import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { RaisedAlert } from "#core/alert/alert-state.ts";
import type { BlueprintUploader } from "#core/blueprint/stored-blueprint.ts";
import type { Execution, Payload } from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import type { Claim } from "#core/control/claim.ts";
import type { ControlRecord } from "#core/control/control-record.ts";
import type { Follow } from "#core/control/control-writer.ts";
import type { Device, PropertyValue } from "#core/device/device.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { CounterCorrection } from "#core/energy/counter-correction.ts";
import type { PriceDay } from "#core/energy/price-days.ts";
import type { PriceSourceRecord } from "#core/energy/price-source.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import type { Notification } from "#core/notification/notification.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { EngineState, SiteRule, VariableValue } from "#core/rule/site-rule.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AskedChange, ChangeOutcome } from "./asked-change.ts";
import type { AskedQuestion, QuestionOutcome } from "./asked-question.ts";
import type { LinkedToken } from "./linked-token.ts";
import type { RefusedRecord } from "./refused-record.ts";

/**
 * Raise the second number with every change of what travels, and record the frames anew: test/link/frames says how. Such a
 * change only adds; what a side of a lower number does not know is not sent to it.
 */
export const LINK_PROTOCOL = "1.10";

/** A record as it is now; null when it was deleted. */
export type LinkedItem =
  | { readonly kind: "site"; readonly key: string; readonly value: LinkedSite | null }
  | { readonly kind: "blueprint"; readonly key: string; readonly value: LinkedBlueprint | null }
  | { readonly kind: "device"; readonly key: string; readonly value: LinkedDevice | null }
  | { readonly kind: "properties"; readonly key: string; readonly value: readonly PropertyValue[] }
  | { readonly kind: "configuration"; readonly key: string; readonly value: readonly LinkedBucket[] }
  /** Those that somebody claims, or that still owe their fallback. */
  | { readonly kind: "controls"; readonly key: string; readonly value: readonly LinkedControl[] }
  | { readonly kind: "interlock"; readonly key: string; readonly value: LinkedInterlock | null }
  | { readonly kind: "rule_engine"; readonly key: string; readonly value: LinkedRuleEngine }
  | { readonly kind: "rule"; readonly key: string; readonly value: LinkedRule | null }
  /** How a rule that runs is doing. Without one: nobody has said it yet. */
  | { readonly kind: "rule_report"; readonly key: string; readonly value: RuleReport | null }
  | { readonly kind: "variable"; readonly key: string; readonly value: LinkedVariable | null }
  | { readonly kind: "tariff"; readonly key: string; readonly value: LinkedTariff | null }
  | { readonly kind: "prices"; readonly key: string; readonly value: PriceDay | null }
  | { readonly kind: "alert"; readonly key: string; readonly value: LinkedAlert | null }
  | { readonly kind: "log"; readonly key: string; readonly value: LinkedLogEntry | null }
  | { readonly kind: "control_record"; readonly key: string; readonly value: LinkedControlRecord | null }
  | { readonly kind: "notification"; readonly key: string; readonly value: LinkedNotification | null }
  | { readonly kind: "audit"; readonly key: string; readonly value: LinkedAuditEntry | null }
  | { readonly kind: "execution"; readonly key: string; readonly value: ExecutionChange };

/** People confirm the time zone of a site at its gateway. */
export type LinkedSite = Omit<Site, "timezoneAssumed">;

/** Who reported it is known from the connection. */
type LinkedAuditEntry = Omit<AuditEntry, "reportedBy">;

export interface LinkedBlueprint {
  /** SHA-256 of the package, in hexadecimal. */
  readonly digest: string;
  /** The package, in base64. */
  readonly content: string;
  /** From version 1.9 on. */
  readonly uploadedBy?: Omit<BlueprintUploader, "reportedBy"> | undefined;
}

/** Each side has its own ids of blueprints, because equal packages are stored once. */
export interface LinkedDevice extends Omit<Device, "blueprintId"> {
  readonly blueprintDigest: string | undefined;
  /** All corrections of its counters; without it: none. */
  readonly corrections?: readonly CounterCorrection[] | undefined;
}

/** Sensitive values are hidden: only the gateway has them. */
export interface LinkedBucket {
  readonly bucket: string;
  readonly shown: Payload;
  readonly updatedAt: Instant;
}

/** Who claims a control of a device, and what the device was told. */
export interface LinkedControl {
  readonly control: string;
  readonly claims: readonly LinkedClaim[];
  readonly isHeld: boolean;
  readonly sent: number | undefined;
  readonly follow: Follow;
}

type LinkedClaim = Omit<Claim, "deviceId" | "control">;

/** Its time is in its key. */
export type LinkedControlRecord = Omit<ControlRecord, "at">;

/** A limit of a site; its name is in its key. */
export interface LinkedInterlock {
  readonly revision: number;
  readonly updatedAt: Instant;
  /** As people write it; null: the gateway cannot read it any more. */
  readonly document: object | null;
  /** Undefined: it was not evaluated yet. */
  readonly report?: InterlockReport | undefined;
}

/** What runs the rules of a site. */
export interface LinkedRuleEngine {
  readonly state: EngineState;
}

/** Its site and id are in its key. */
export type LinkedRule = Omit<SiteRule, "id" | "siteId">;

/** Its site and id are in its key. */
export type LinkedNotification = Omit<Notification, "id" | "siteId">;

/** Its site and name are in its key. */
export interface LinkedVariable {
  readonly value: VariableValue;
  readonly updatedAt: Instant;
}

/** What energy costs at a site, and where its prices are fetched from. */
export interface LinkedTariff {
  /** As people write it; undefined: the site has none. */
  readonly document?: object | undefined;
  readonly updatedAt?: Instant | undefined;
  readonly sources: readonly LinkedPriceSource[];
}

/** Only the gateway has the value of the header. */
export type LinkedPriceSource = Omit<PriceSourceRecord, "siteId" | "sealedHeader">;

export interface LinkedAlert extends Omit<RaisedAlert, "blueprintId"> {
  readonly blueprintDigest: string | undefined;
  readonly clearedAt: Instant | undefined;
}

export interface LinkedLogEntry {
  readonly takenAt: Instant;
  readonly severity: LogSeverity;
  readonly message: string;
  readonly persist: boolean;
}

/** Values of a device at one moment, by attribute. Lists are JSON text. */
export type LinkedPoints = readonly [
  deviceId: string,
  at: Instant,
  values: readonly (readonly [attribute: string, value: number | boolean | string])[],
];

/** From the gateway to the cloud. */
export type UpMessage =
  | { readonly type: "hello"; readonly protocol: string; readonly version: string; readonly epoch: string }
  /** Changes up to the number `to`. Without a number in the answer to hello, everything is sent: `isWhole`. */
  | {
      readonly type: "records";
      readonly to: number;
      readonly isWhole: boolean;
      /** No more is known at the moment. Of a full upload: this is its last part. */
      readonly isLast: boolean;
      readonly items: readonly LinkedItem[];
      /** Does not travel: what came among the items and cannot be read. */
      readonly unreadable?: readonly RefusedRecord[];
    }
  /** The execution is stored by the gateway, which owns it from now on; or it is refused, and was not started. */
  | { readonly type: "answer"; readonly id: string; readonly refused: string | null }
  | { readonly type: "executions"; readonly changes: readonly ExecutionChange[]; readonly unknown: readonly string[] }
  | { readonly type: "connectivity"; readonly devices: readonly (readonly [string, string])[] }
  /** New telemetry. Numbers of these three kinds rise by one within a connection. */
  | { readonly type: "points"; readonly number: number; readonly messages: readonly LinkedPoints[] }
  /** New telemetry, as `createPointsPacker` packs it. */
  | { readonly type: "packed"; readonly number: number; readonly content: Uint8Array }
  /** Stored telemetry of a device, packed. */
  | { readonly type: "history"; readonly number: number; readonly deviceId: string; readonly content: Uint8Array }
  /** How a change has ended, and the records that it is about as they are now. */
  | {
      readonly type: "changed";
      readonly id: string;
      readonly outcome: ChangeOutcome;
      readonly items: readonly LinkedItem[];
      /** As of records. */
      readonly unreadable?: readonly RefusedRecord[];
    }
  /** The answer to a question. */
  | { readonly type: "reply"; readonly id: string; readonly outcome: QuestionOutcome }
  /** Asks for a package that a change names. */
  | { readonly type: "want"; readonly digest: string }
  /** The hash of another credential that the gateway has: it is about to use it, or uses it from now on. */
  | { readonly type: "credential"; readonly hash: string; readonly isUsed: boolean }
  /** The gateway has left this cloud, and does not come back with its credential. */
  | { readonly type: "leave" };

/** From the cloud to the gateway. */
export type DownMessage =
  /**
   * `taken`: everything up to this number is stored; null: nothing of these records is. `epoch` names the cloud's
   * records. `unpacks`: it has room for packed points; else it gets plain ones.
   */
  | {
      readonly type: "welcome";
      readonly protocol: string;
      readonly version: string;
      readonly epoch: string;
      readonly taken: number | null;
      readonly unpacks: boolean;
      /** The clock of the cloud, by which leases are given. */
      readonly now?: Instant | undefined;
      /** All records of the gateway that the cloud does not take. */
      readonly refused: readonly RefusedRecord[];
    }
  /** `refused`: the same as in welcome; undefined when it has not changed. */
  | { readonly type: "ack"; readonly to: number; readonly refused?: readonly RefusedRecord[] | undefined }
  | { readonly type: "execute"; readonly order: ExecutionOrder }
  /** Telemetry up to this number is stored, except for devices that the cloud does not know. */
  | { readonly type: "stored"; readonly number: number; readonly unknown: readonly string[] }
  /** The same about packed points, of devices that the cloud knows. */
  | { readonly type: "packed_stored"; readonly number: number }
  /** Asks for these executions as a whole. */
  | { readonly type: "ask"; readonly executions: readonly string[] }
  /** A change to make. Late: nobody waits for the answer any more. */
  | { readonly type: "change"; readonly change: AskedChange; readonly isLate: boolean }
  /** Something to be read there. */
  | { readonly type: "question"; readonly question: AskedQuestion }
  /** A package that the gateway wants; without bytes when the cloud does not have it. */
  | { readonly type: "package"; readonly digest: string; readonly content: Uint8Array }
  /** The tokens of the cloud that see a site of the gateway. */
  | { readonly type: "tokens"; readonly tokens: readonly LinkedToken[] }
  /** The gateway shall get another credential. */
  | { readonly type: "rotate" }
  /** The credential with this hash is accepted. */
  | { readonly type: "credential"; readonly hash: string };

export interface LinkedTrace {
  readonly traceparent: string;
  readonly tracestate: string | undefined;
}

/** An execution that was created in the cloud. */
export interface ExecutionOrder extends Pick<Execution, "id" | "deviceId" | "createdAt" | "ephemeral"> {
  /** The name as sent. */
  readonly name: string;
  /** Effective, in the clear. */
  readonly arguments: Payload;
  /** How long the gateway may still wait before it starts, in milliseconds: the two clocks may differ. */
  readonly patienceMs: number;
  /** Name of the token that created it, for the audit log. */
  readonly caller: string;
  /** The id of that token; undefined: it is not known. */
  readonly callerId?: string | undefined;
  /** The schedule of the cloud that has used the token. Since 1.5; earlier gateways take it for a command of the token. */
  readonly scheduleId?: string | undefined;
  /** The trace that it belongs to, as the headers of W3C Trace Context. */
  readonly trace: LinkedTrace | undefined;
}
