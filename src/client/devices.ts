import { listOf, listUnder } from "./list-of.ts";
import type {
  DeviceChange,
  JsonObject,
  MqttProtocol,
  NewCounterCorrection,
  Queries,
  SimulationChange,
} from "./resources.ts";
import type { Transport } from "./transport.ts";

const of = (device_id: string) => ({ params: { device_id } });

/** Wherever a device's id is taken, its slug will do. */
export function devices(transport: Transport) {
  const { perform } = transport;
  return {
    list: listOf("devices", (query: Queries["listDevices"] = {}) => perform("listDevices", { query })),
    listBySite: listUnder("devices", (site_id: string, query: Queries["listSiteDevices"] = {}) =>
      perform("listSiteDevices", { params: { site_id }, query }),
    ),
    get: (id: string, query: Queries["getDevice"] = {}) => perform("getDevice", { ...of(id), query }),
    update: (id: string, body: DeviceChange) => perform("updateDevice", { ...of(id), body }),
    delete: (id: string) => perform("deleteDevice", of(id)),
    manifest: (id: string, view?: "COMPILED" | "ORIGINAL") =>
      perform("getDeviceManifest", { ...of(id), query: { view } }),
    properties: (id: string) => perform("getDeviceProperties", of(id)),
    logs: listUnder("logs", (id: string, query: Queries["listDeviceLogs"] = {}) =>
      perform("listDeviceLogs", { ...of(id), query }),
    ),
    /** Null for a device that connects by itself. */
    runtime: (id: string) => perform("getDeviceRuntime", of(id)),
    restart: (id: string) => perform("restartDeviceRuntime", of(id)),
    configuration: configuration(transport),
    /** For a device of type SIMULATED. */
    simulation: (id: string) => perform("getSimulation", of(id)),
    adjustSimulation: (id: string, body: SimulationChange) => perform("adjustSimulation", { ...of(id), body }),
    /** Says what a doubtful step of an energy counter was. */
    correctCounter: (id: string, body: NewCounterCorrection) => perform("createCounterCorrection", { ...of(id), body }),
    corrections: listUnder("corrections", (id: string, query: Queries["listCounterCorrections"] = {}) =>
      perform("listCounterCorrections", { ...of(id), query }),
    ),
    withdrawCorrection: (device_id: string, correction_id: string) =>
      perform("deleteCounterCorrection", { params: { device_id, correction_id } }),
    assignBlueprint: (id: string, blueprint_id: string) =>
      perform("assignBlueprint", { ...of(id), body: { blueprint_id } }),
    generateConfig: (id: string, protocol: MqttProtocol) =>
      perform("generateConfig", { ...of(id), body: { protocol } }),
  };
}

/** Buckets of parameters. Sensitive values are read as `***`; one that is left out or sent as `***` stays as it is. */
function configuration({ perform }: Transport) {
  return {
    get: (id: string) => perform("getConfiguration", of(id)),
    /** Replaces the given buckets, all or none. */
    put: (id: string, body: Readonly<Record<string, JsonObject>>) => perform("putConfiguration", { ...of(id), body }),
    getBucket: (device_id: string, bucket: string) =>
      perform("getConfigurationBucket", { params: { device_id, bucket } }),
    putBucket: (device_id: string, bucket: string, body: JsonObject) =>
      perform("putConfigurationBucket", { params: { device_id, bucket }, body }),
  };
}
