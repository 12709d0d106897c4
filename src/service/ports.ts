// What the use cases need from outside, as one; the ports themselves lie in ports/, one subject a file. Each store has a contract
// suite in test/contract that every implementation passes. Writes resolve only when they are durable. Each carries its audit
// entry, and both are stored or neither is.
import type { Caller } from "#core/access/caller.ts";
import type { ProfileLibrary } from "#core/blueprint/profile.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertStore } from "#service/ports/alert-store.ts";
import type { AuditStore } from "#service/ports/audit-store.ts";
import type { BlueprintStore } from "#service/ports/blueprint-store.ts";
import type { ConfigurationStore } from "#service/ports/configuration-store.ts";
import type { DeviceLogStore } from "#service/ports/device-log-store.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import type { BuildScripts, InspectPackage } from "#service/ports/inspect-package.ts";
import type { ScriptStore } from "#service/ports/script-store.ts";
import type { Seal } from "#service/ports/seal.ts";
import type { SimulationStore } from "#service/ports/simulation-store.ts";
import type { RetentionStore, SiteStore } from "#service/ports/site-store.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { TokenStore } from "#service/ports/token-store.ts";
import type { WebhookSender } from "#service/ports/webhook-sender.ts";
import type { WebhookStore } from "#service/ports/webhook-store.ts";

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
  readonly scripts: ScriptStore;
  readonly simulations: SimulationStore;
  readonly seal: Seal;
  readonly inspectPackage: InspectPackage;
  readonly buildScripts: BuildScripts;
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
