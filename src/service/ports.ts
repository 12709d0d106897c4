// All ports that the use cases need, as one type; the ports themselves are in ports/, one subject per file. Each store
// has a contract suite in test/contract that every implementation passes. A write resolves only when it is durable. It
// carries its audit entry, and both are stored or neither is.
import type { Caller } from "#core/access/caller.ts";
import type { Door } from "#core/access/door.ts";
import type { Instant } from "#core/time/instant.ts";
import type { TraceContext } from "#core/trace/trace-context.ts";
import type { ProfileCatalog } from "#service/blueprint/profile-catalog.ts";
import type {
  BuildScripts,
  CompilePackage,
  InspectPackage,
  InspectProfiles,
  ReadIcal,
} from "#service/ports/inspect-package.ts";
import type { MessageSender } from "#service/ports/message-sender.ts";
import type { PriceFetcher } from "#service/ports/price-fetcher.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import type { Seal } from "#service/ports/seal.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { WebhookSender } from "#service/ports/webhook-sender.ts";

export interface Needs extends SubjectStores {
  readonly telemetry: TelemetryStore;
  readonly sender: WebhookSender;
  readonly messageSender: MessageSender;
  readonly priceFetcher: PriceFetcher;
  readonly seal: Seal;
  readonly inspectPackage: InspectPackage;
  readonly compilePackage: CompilePackage;
  readonly buildScripts: BuildScripts;
  readonly inspectProfiles: InspectProfiles;
  readonly readIcal: ReadIcal;
  readonly profiles: ProfileCatalog;
  readonly now: () => Instant;
  readonly newId: () => string;
  /** Cryptographically random bytes. */
  readonly randomBytes: (length: number) => Uint8Array;
}

/** One call by a client: who makes it, and what the audit log says about it. */
export interface Call {
  readonly caller: Caller;
  /** Name of the operation in the interface, such as createSite. */
  readonly operation: string;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Undefined: it is not known. */
  readonly door?: Door | undefined;
  /** The id of its audit entry, where the same call may come twice: it is stored once. */
  readonly auditId?: string;
  /** Of a claim that comes from a cloud: when its lease ends, in milliseconds since 1970. */
  readonly leaseUntil?: number | undefined;
  /** The roll-out that calls. It does not wait for the answer of a gateway, and calls again. */
  readonly rolloutId?: string | undefined;
  /** The runs of rules that led to it, the latest last. */
  readonly causes?: readonly string[] | undefined;
  /** The schedule that calls, with the rights of its owner. */
  readonly scheduleId?: string | undefined;
  /** The trace that the call belongs to, if it says so or spans are collected. */
  readonly trace?: TraceContext | undefined;
}
