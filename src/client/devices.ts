import { listOf, listUnder } from "./list-of.ts";
import type { BlueprintChange } from "./resources/blueprint.ts";
import type {
  CommunicationConfig,
  Device,
  DeviceLogEntry,
  DeviceRuntime,
  Expansion,
  LogSeverity,
  MqttProtocol,
} from "./resources/device.ts";
import type { MayWait } from "./resources/gateway.ts";
import type { JsonObject } from "./resources/json.ts";
import type { Page, Window } from "./resources/page.ts";
import type { Simulation, SimulationChange } from "./resources/simulation.ts";
import type { CorrectionKind, CounterCorrection } from "./resources/site.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type Expand = { readonly expand?: readonly Expansion[] | undefined };
type DeviceList = Page<"devices", Device>;
type Change = {
  readonly name?: string;
  readonly slug?: string;
  /** Null: none. */
  readonly parent_id?: string | null;
  readonly child_type?: string | null;
};
type LogFilter = Window & {
  readonly received_at_from?: string | undefined;
  readonly received_at_to?: string | undefined;
  readonly severity?: readonly LogSeverity[] | undefined;
  readonly order?: "RECEIVED_AT_ASC" | "RECEIVED_AT_DESC" | undefined;
  readonly show?: "ALL" | "PERSISTED_ONLY" | "TEMPORARY_ONLY" | undefined;
};

type NewCorrection = {
  readonly attribute: string;
  /** Time of the step. */
  readonly at: string;
  readonly kind: CorrectionKind;
  /** What a new counter showed when it was installed. Without it: the value after the step. */
  readonly new_start?: number;
  readonly note?: string;
};

/** Wherever a device's id is taken, its slug will do. */
export function devices(transport: Transport) {
  const { json } = transport;
  return {
    list: listOf("devices", (query: Window & Expand = {}) =>
      json<DeviceList>({ method: "GET", path: "/v3/devices", query: { ...query } }),
    ),
    listBySite: listUnder("devices", (siteId: string, query: Window & Expand = {}) =>
      json<DeviceList>({ method: "GET", path: `/v3/sites/${segment(siteId)}/devices`, query: { ...query } }),
    ),
    get: (id: string, query: Expand = {}) =>
      json<{ device: Device }>({ method: "GET", path: at(id), query: { ...query } }),
    update: (id: string, change: Change) =>
      json<{ device: Device } & MayWait>({ method: "PATCH", path: at(id), body: change }),
    delete: (id: string) => json<JsonObject>({ method: "DELETE", path: at(id) }),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      json<{ manifest: JsonObject }>({ method: "GET", path: at(id, "/manifest"), query: { view } }),
    properties: (id: string) => json<{ properties: JsonObject }>({ method: "GET", path: at(id, "/properties") }),
    logs: listUnder("logs", (id: string, filter: LogFilter = {}) =>
      json<Page<"logs", DeviceLogEntry>>({ method: "GET", path: at(id, "/logs"), query: { ...filter } }),
    ),
    /** Null for a device that connects by itself. */
    runtime: (id: string) => json<{ runtime: DeviceRuntime | null }>({ method: "GET", path: at(id, "/runtime") }),
    restart: (id: string) => json<{ runtime: DeviceRuntime }>({ method: "POST", path: at(id, "/runtime/restart") }),
    configuration: configuration(transport),
    /** For a device of type SIMULATED. */
    simulation: (id: string) => json<{ simulation: Simulation }>({ method: "GET", path: at(id, "/simulation") }),
    adjustSimulation: (id: string, change: SimulationChange) =>
      json<{ simulation: Simulation }>({ method: "PATCH", path: at(id, "/simulation"), body: change }),
    /** Says what a doubtful step of an energy counter was. */
    correctCounter: (id: string, correction: NewCorrection) =>
      json<{ correction: CounterCorrection }>({
        method: "POST",
        path: at(id, "/counter_corrections"),
        body: correction,
      }),
    corrections: listUnder("corrections", (id: string, window: Window = {}) =>
      json<Page<"corrections", CounterCorrection>>({
        method: "GET",
        path: at(id, "/counter_corrections"),
        query: { ...window },
      }),
    ),
    withdrawCorrection: (id: string, correctionId: string) =>
      json<JsonObject>({ method: "DELETE", path: at(id, `/counter_corrections/${segment(correctionId)}`) }),
    assignBlueprint: (id: string, blueprintId: string) =>
      json<{ device: Device; changes?: readonly BlueprintChange[] } & MayWait>({
        method: "POST",
        path: at(id, "/assign_blueprint"),
        body: { blueprint_id: blueprintId },
      }),
    generateConfig: (id: string, protocol: MqttProtocol) =>
      json<{ config: CommunicationConfig }>({ method: "POST", path: at(id, "/generate_config"), body: { protocol } }),
  };
}

/** Buckets of parameters. Sensitive values are read as `***`; one that is left out or sent as `***` stays as it is. */
function configuration({ json }: Transport) {
  type Buckets = { readonly [bucket: string]: JsonObject };
  type All = { readonly configuration: Buckets };
  type One = { readonly bucket: string; readonly values: JsonObject };
  const path = (id: string, bucket: string) => at(id, `/configuration/${segment(bucket)}`);
  return {
    get: (id: string) => json<All>({ method: "GET", path: at(id, "/configuration") }),
    /** Replaces the given buckets, all or none. */
    put: (id: string, buckets: Buckets) =>
      json<All & MayWait>({ method: "PUT", path: at(id, "/configuration"), body: buckets }),
    getBucket: (id: string, bucket: string) => json<One>({ method: "GET", path: path(id, bucket) }),
    putBucket: (id: string, bucket: string, values: JsonObject) =>
      json<One & MayWait>({ method: "PUT", path: path(id, bucket), body: values }),
  };
}

function at(id: string, rest = ""): string {
  return `/v3/devices/${segment(id)}${rest}`;
}
