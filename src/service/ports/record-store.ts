import type { BufferUse } from "#core/share/byte-budgets.ts";
import type { AccountStore } from "./account-store.ts";
import type { AlertStore } from "./alert-store.ts";
import type { AttemptStore } from "./attempt-store.ts";
import type { AuditStore } from "./audit-store.ts";
import type { BlueprintStore } from "./blueprint-store.ts";
import type { BulkStore } from "./bulk-store.ts";
import type { CalendarStore } from "./calendar-store.ts";
import type { ChangeStore } from "./change-store.ts";
import type { ChannelStore } from "./channel-store.ts";
import type { ConfigurationStore } from "./configuration-store.ts";
import type { ControlStore } from "./control-store.ts";
import type { CorrectionStore } from "./correction-store.ts";
import type { DeviceLogStore } from "./device-log-store.ts";
import type { DeviceStore } from "./device-store.ts";
import type { EventOutbox } from "./event-outbox.ts";
import type { ExecutionStore } from "./execution-store.ts";
import type { InterlockStore } from "./interlock-store.ts";
import type { CopyStore, GatewayStore, UplinkStore } from "./link-store.ts";
import type { MaintenanceStore } from "./maintenance-store.ts";
import type { MessageStore } from "./message-store.ts";
import type { Nodes } from "./nodes.ts";
import type { NotificationStore } from "./notification-store.ts";
import type { PasskeyStore } from "./passkey-store.ts";
import type { PriceSourceStore } from "./price-source-store.ts";
import type { ProfileStore } from "./profile-store.ts";
import type { ProviderSignInStore } from "./provider-sign-in-store.ts";
import type { QuestionStore } from "./question-store.ts";
import type { RolloutStore } from "./rollout-store.ts";
import type { RouteStore } from "./route-store.ts";
import type { RuleStore } from "./rule-store.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { ScriptStore } from "./script-store.ts";
import type { SecondFactorStore } from "./second-factor-store.ts";
import type { SessionStore } from "./session-store.ts";
import type { SettingStore } from "./setting-store.ts";
import type { SimulationStore } from "./simulation-store.ts";
import type { RetentionStore, SiteStore } from "./site-store.ts";
import type { TariffStore } from "./tariff-store.ts";
import type { TerminalSignInStore } from "./terminal-sign-in-store.ts";
import type { TokenStore } from "./token-store.ts";
import type { ViewStore } from "./view-store.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** The stores of all subjects but telemetry. A write resolves only when it is durable. */
export interface SubjectStores {
  readonly sites: SiteStore;
  readonly devices: DeviceStore;
  readonly blueprints: BlueprintStore;
  readonly uploadedProfiles: ProfileStore;
  readonly tokens: TokenStore;
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptStore;
  readonly secondFactors: SecondFactorStore;
  readonly passkeys: PasskeyStore;
  readonly terminalSignIns: TerminalSignInStore;
  readonly providerSignIns: ProviderSignInStore;
  readonly audit: AuditStore;
  readonly executions: ExecutionStore;
  readonly bulks: BulkStore;
  readonly schedules: ScheduleStore;
  readonly deviceLogs: DeviceLogStore;
  readonly configurations: ConfigurationStore;
  readonly corrections: CorrectionStore;
  readonly tariffs: TariffStore;
  readonly priceSources: PriceSourceStore;
  readonly alerts: AlertStore;
  readonly maintenance: MaintenanceStore;
  readonly webhooks: WebhookStore;
  readonly outbox: EventOutbox;
  readonly retentions: RetentionStore;
  readonly scripts: ScriptStore;
  readonly simulations: SimulationStore;
  readonly uplinks: UplinkStore;
  readonly gateways: GatewayStore;
  readonly rollouts: RolloutStore;
  readonly copies: CopyStore;
  readonly changes: ChangeStore;
  readonly questions: QuestionStore;
  readonly settings: SettingStore;
  readonly views: ViewStore;
  readonly controls: ControlStore;
  readonly interlocks: InterlockStore;
  readonly rules: RuleStore;
  readonly calendars: CalendarStore;
  readonly notifications: NotificationStore;
  readonly channels: ChannelStore;
  readonly routes: RouteStore;
  readonly messages: MessageStore;
}

/** All records as one port: a role opens it at the start and closes it at the end. */
export interface RecordStore extends SubjectStores {
  /** The processes that share these records. */
  readonly nodes: Nodes;
  /**
   * Whether this is the key that all nodes have: the first one decides. `check` comes from the key and does not reveal
   * it; `replaces` makes it the key of all. Always true where one process alone uses the records.
   */
  agreeOnKey(check: Uint8Array, replaces: boolean): Promise<boolean>;
  /** Writes that wait in memory to be stored. */
  readonly buffers: readonly BufferUse[];
  /** Whether anything is stored that only the current key of sealed values opens. */
  holdsSealed(): Promise<boolean>;
  /** Whether no installation has used these records yet. */
  isEmpty(): Promise<boolean>;
  /** Resolves when every earlier write is stored or refused. A second call returns the same promise. */
  close(): Promise<void>;
}
