// What `@busbar/client` gives to other programs. Only the package enters here; the files of Busbar import each other.
// biome-ignore-all lint/performance/noBarrelFile: a package has one door
export { type Client, createClient } from "./create-client.ts";
export type { DeviceShape, TypedDevice } from "./device.ts";
export {
  ApiError,
  type ErrorDetails,
  type ErrorItem,
  type FailureReason,
  mayPass,
  type Outcome,
  outcome,
  UnreachableError,
} from "./errors.ts";
export type { ExecutionUpdate } from "./follow-execution.ts";
export type { EventQuery } from "./listen-to-events.ts";
export type {
  AccessLevel,
  AuditEntry,
  AuthorizedRole,
  ListedSession,
  OwnToken,
  Session,
  Token,
} from "./resources/access.ts";
export type { Alert } from "./resources/alert.ts";
export type {
  Blueprint,
  BlueprintChange,
  CatalogueEntry,
  CataloguePage,
  Diagnostic,
  Validation,
} from "./resources/blueprint.ts";
export type {
  Communication,
  CommunicationConfig,
  ConnectivityStatus,
  Device,
  DeviceLogEntry,
  DeviceRuntime,
  Expansion,
  LogSeverity,
  MqttProtocol,
} from "./resources/device.ts";
export type { ErrorCode } from "./resources/error-code.ts";
export type { EventKind, LiveEvent } from "./resources/event.ts";
export type { CommandResponse, Execution, ExecutionState, ResponseState } from "./resources/execution.ts";
export type {
  Fleet,
  Gateway,
  GatewayChange,
  GatewayReport,
  OpenJoinCode,
  RefusedRecord,
  Uplink,
} from "./resources/gateway.ts";
export type { JsonObject } from "./resources/json.ts";
export type { Page, Window } from "./resources/page.ts";
export type { Rollout, RolloutDevice } from "./resources/rollout.ts";
export type { Simulation, SimulationChange } from "./resources/simulation.ts";
export type { CorrectionKind, CounterCorrection, Location, Site, SiteEnergy, SiteRetention } from "./resources/site.ts";
export type { System, SystemLogLine, SystemSetting } from "./resources/system.ts";
export type { Delivery, DeliveryState, Webhook, WebhookKind } from "./resources/webhook.ts";
export type { CommandRun, EndedExecution } from "./run-command.ts";
export type { GapFilling, Imported, Now, Snapshot, TimeseriesQuestion, TimeseriesRows } from "./telemetry.ts";
export type { SeriesColumn, TimeseriesColumns } from "./timeseries-columns.ts";
export type { ClientOptions } from "./transport.ts";
