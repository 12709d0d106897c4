// A change that somebody asks for in the cloud and that the gateway of the site makes. It travels as an operation of the
// HTTP interface, so that the gateway checks and answers it like a call of its own.
import type { AccessLevel } from "#core/access/level.ts";
import type { Refusal } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Instant } from "#core/time/instant.ts";

/** What is compared to find out whether the gateway has changed the same thing meanwhile. */
export type ComparedRecord =
  | "device"
  | "blueprint"
  | "configuration"
  | "site"
  | "tariff"
  | "price_source"
  | "controls"
  | "interlock"
  | "rule"
  | "rule_engine"
  | "variable"
  | "nothing";

/** Values by name, as they are compared: of fields, or the revisions of configuration buckets. */
export type KnownValues = Readonly<Record<string, unknown>>;

/** Who asks, as the cloud knows it. */
interface Asker {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly level: AccessLevel;
  readonly sites: "all" | readonly string[];
}

/** What the gateway needs to make the change. */
export interface AskedChange {
  /** Also the id of the entry in the gateway's audit log, which is stored together with the change: so it is made once. */
  readonly id: string;
  readonly operation: string;
  readonly siteId: string;
  readonly deviceId: string | undefined;
  /** Of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: Payload | undefined;
  /** SHA-256 of the package that the body names: the two sides have different ids for it. */
  readonly blueprintDigest: string | undefined;
  /** What the cloud knew when the change was asked for. */
  readonly base: KnownValues;
  readonly asker: Asker;
  readonly requestId: string;
  /** Of a claim: when its lease ends, by the clock of the cloud. It is fixed when the change is asked for. */
  readonly leaseUntil?: Instant | undefined;
  /** The revision that the caller has read: the change is refused if it is another one. 0: there was none. */
  readonly expected?: number | undefined;
}

/** Changes that may wait for one gateway. */
export const MAX_PENDING_CHANGES = 1_000;
export const MAX_PENDING_CHANGE_BYTES = 16 * 1024 * 1024;

export const CHANGE_STATES = ["PENDING", "DONE", "REFUSED", "OVERRULED", "WITHDRAWN"] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

/** What a gateway answers. */
export type ChangeOutcome =
  /** The answer of the operation; undefined when only its effect is known any more. */
  | { readonly state: "DONE"; readonly answer: Payload | undefined }
  | { readonly state: "REFUSED"; readonly errors: readonly Refusal[] }
  /** The gateway's record was changed meanwhile, and stays as it is. */
  | { readonly state: "OVERRULED"; readonly fields: readonly string[] };

/** Nobody asks for it any more. A gateway that had it already makes it all the same; then its answer counts. */
export interface Withdrawn {
  readonly state: "WITHDRAWN";
  /** Its roll-out was stopped. It asks again when it goes on. */
  readonly isByRollout: boolean;
}

/** A change as the cloud keeps it. */
export interface GatewayChange extends Omit<AskedChange, "params" | "body" | "blueprintDigest" | "asker"> {
  readonly gatewayId: string;
  /** What people may see of it: nothing that is sensitive. */
  readonly shown: Payload;
  readonly askedBy: { readonly tokenId: string; readonly name: string };
  /** What travels, encrypted; empty once it is settled. */
  readonly sealed: Uint8Array;
  readonly createdAt: Instant;
  /** Until then somebody waits for the answer. */
  readonly awaitedUntil: Instant;
  readonly state: ChangeState;
  readonly settledAt: Instant | undefined;
  readonly outcome: ChangeOutcome | Withdrawn | undefined;
}
