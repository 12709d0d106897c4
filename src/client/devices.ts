import { listOf, listUnder } from "./list-of.ts";
import type { Window } from "./page.ts";
import type {
  Answers,
  DeviceChange,
  Expansion,
  JsonObject,
  LogSeverity,
  MqttProtocol,
  NewCounterCorrection,
  SimulationChange,
} from "./resources.ts";
import { segment } from "./segment.ts";
import type { Transport } from "./transport.ts";

type Expand = { readonly expand?: readonly Expansion[] | undefined };
type LogFilter = Window & {
  readonly received_at_from?: string | undefined;
  readonly received_at_to?: string | undefined;
  readonly severity?: readonly LogSeverity[] | undefined;
  readonly order?: "RECEIVED_AT_ASC" | "RECEIVED_AT_DESC" | undefined;
  readonly show?: "ALL" | "PERSISTED_ONLY" | "TEMPORARY_ONLY" | undefined;
};

/** Wherever a device's id is taken, its slug will do. */
export function devices(transport: Transport) {
  const { json } = transport;
  return {
    list: listOf("devices", (query: Window & Expand = {}) =>
      json<Answers["listDevices"]>({ method: "GET", path: "/v3/devices", query: { ...query } }),
    ),
    listBySite: listUnder("devices", (siteId: string, query: Window & Expand = {}) =>
      json<Answers["listSiteDevices"]>({
        method: "GET",
        path: `/v3/sites/${segment(siteId)}/devices`,
        query: { ...query },
      }),
    ),
    get: (id: string, query: Expand = {}) =>
      json<Answers["getDevice"]>({ method: "GET", path: at(id), query: { ...query } }),
    update: (id: string, change: DeviceChange) =>
      json<Answers["updateDevice"]>({ method: "PATCH", path: at(id), body: change }),
    delete: (id: string) => json<Answers["deleteDevice"]>({ method: "DELETE", path: at(id) }),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      json<Answers["getDeviceManifest"]>({ method: "GET", path: at(id, "/manifest"), query: { view } }),
    properties: (id: string) => json<Answers["getDeviceProperties"]>({ method: "GET", path: at(id, "/properties") }),
    logs: listUnder("logs", (id: string, filter: LogFilter = {}) =>
      json<Answers["listDeviceLogs"]>({ method: "GET", path: at(id, "/logs"), query: { ...filter } }),
    ),
    /** Null for a device that connects by itself. */
    runtime: (id: string) => json<Answers["getDeviceRuntime"]>({ method: "GET", path: at(id, "/runtime") }),
    restart: (id: string) =>
      json<Answers["restartDeviceRuntime"]>({ method: "POST", path: at(id, "/runtime/restart") }),
    configuration: configuration(transport),
    /** For a device of type SIMULATED. */
    simulation: (id: string) => json<Answers["getSimulation"]>({ method: "GET", path: at(id, "/simulation") }),
    adjustSimulation: (id: string, change: SimulationChange) =>
      json<Answers["adjustSimulation"]>({ method: "PATCH", path: at(id, "/simulation"), body: change }),
    /** Says what a doubtful step of an energy counter was. */
    correctCounter: (id: string, correction: NewCounterCorrection) =>
      json<Answers["createCounterCorrection"]>({
        method: "POST",
        path: at(id, "/counter_corrections"),
        body: correction,
      }),
    corrections: listUnder("corrections", (id: string, window: Window = {}) =>
      json<Answers["listCounterCorrections"]>({
        method: "GET",
        path: at(id, "/counter_corrections"),
        query: { ...window },
      }),
    ),
    withdrawCorrection: (id: string, correctionId: string) =>
      json<Answers["deleteCounterCorrection"]>({
        method: "DELETE",
        path: at(id, `/counter_corrections/${segment(correctionId)}`),
      }),
    assignBlueprint: (id: string, blueprintId: string) =>
      json<Answers["assignBlueprint"]>({
        method: "POST",
        path: at(id, "/assign_blueprint"),
        body: { blueprint_id: blueprintId },
      }),
    generateConfig: (id: string, protocol: MqttProtocol) =>
      json<Answers["generateConfig"]>({ method: "POST", path: at(id, "/generate_config"), body: { protocol } }),
  };
}

/** Buckets of parameters. Sensitive values are read as `***`; one that is left out or sent as `***` stays as it is. */
function configuration({ json }: Transport) {
  const path = (id: string, bucket: string) => at(id, `/configuration/${segment(bucket)}`);
  return {
    get: (id: string) => json<Answers["getConfiguration"]>({ method: "GET", path: at(id, "/configuration") }),
    /** Replaces the given buckets, all or none. */
    put: (id: string, buckets: Readonly<Record<string, JsonObject>>) =>
      json<Answers["putConfiguration"]>({ method: "PUT", path: at(id, "/configuration"), body: buckets }),
    getBucket: (id: string, bucket: string) =>
      json<Answers["getConfigurationBucket"]>({ method: "GET", path: path(id, bucket) }),
    putBucket: (id: string, bucket: string, values: JsonObject) =>
      json<Answers["putConfigurationBucket"]>({ method: "PUT", path: path(id, bucket), body: values }),
  };
}

function at(id: string, rest = ""): string {
  return `/v3/devices/${segment(id)}${rest}`;
}
