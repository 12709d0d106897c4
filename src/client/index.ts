// What `@busbar/client` gives to other programs. Only the package enters here; the files of Busbar import each other.
// biome-ignore-all lint/performance/noBarrelFile: a package has one door
// biome-ignore-all lint/performance/noReExportAll: every type of the interface is for others, too
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
export type { LiveEvent } from "./live-event.ts";
export type { Page, Window } from "./page.ts";
export type * from "./resources.ts";
export type { CommandRun, EndedExecution } from "./run-command.ts";
export { type BrowserSignIn, type BrowserSignInOptions, signInByBrowser } from "./sign-in-by-browser.ts";
export type { TimeseriesRows } from "./telemetry.ts";
export type { Now } from "./telemetry-now.ts";
export type { SeriesColumn, TimeseriesColumns } from "./timeseries-columns.ts";
export type { ClientOptions } from "./transport.ts";
