// A site with devices that speak MQTT, for tests of commands over HTTP.
import { onTestFinished } from "vitest";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig, type FakeDeviceOptions } from "./fake-device.ts";
import type { Session, TestServer } from "./server.ts";

interface WireResponse {
  readonly state: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly received_at: string;
}

interface WireExecution {
  readonly id: string;
  readonly device_id: string;
  readonly state: string;
  readonly ephemeral: boolean;
  readonly created_at: string;
  readonly request: { readonly name: string; readonly manifest_name: string; readonly arguments: object };
  readonly response?: WireResponse;
  readonly log?: readonly WireResponse[];
  readonly requested_by?: { readonly door: string } | null;
}

export type OneExecution = { readonly execution: WireExecution };
export type ExecutionPage = { readonly executions: readonly WireExecution[]; readonly total_count: number };

/** Commands of every kind; `implements` and other top-level fields may be added. */
export function commandManifest(name: string, more = ""): string {
  return `blueprint_spec: device/3.0
display_name: ${name}
runtime:
  type: embedded
${more}
properties:
  firmware: {type: string, display_name: Firmware, aliases: fw}
  rating: {type: float, unit: kW, display_name: Rating}
  mode: {type: string, display_name: Mode, enum: [auto, manual], access_level: owner}
  serial: {type: integer, display_name: Serial, access_level: vendor}
command_groups:
  main: {display_name: Main}
commands:
  start:
    group: main
    display_name: Start
    aliases: [go, launch]
    arguments:
      power: {display_name: Power, type: float, min: 0, max: 100}
      mode: {display_name: Mode, type: string, enum: [eco, boost], default: eco}
  stop: {group: main, display_name: Stop}
  check:
    group: main
    display_name: Check
    arguments:
      flag: {display_name: Flag, type: boolean, required: true}
      text: {display_name: Text, type: string}
      count: {display_name: Count, type: integer, min: 1, max: 10}
      ratio: {display_name: Ratio, type: float, min: -1, max: 1}
      names: {display_name: Names, type: array_of_strings}
      color: {display_name: Color, type: string, enum: [red, green]}
      chosen: {display_name: Chosen, type: array_of_strings, enum: [a, b]}
      choice: {display_name: Choice, type: json, enum: ['{"a":1}', '[1]']}
      level: {display_name: Level, type: integer, enum: [1, 5]}
      mail: {display_name: Mail, type: string, format: email}
      setup:
        display_name: Setup
        type: json
        json_schema: '{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}'
      constructor: {display_name: Named like a trap, type: integer, default: 7}
  unlock:
    group: main
    display_name: Unlock
    arguments:
      door: {display_name: Door, type: string}
      pin: {display_name: PIN, type: string, sensitive: true}
      keys: {display_name: Keys, type: json, sensitive: true}
  status: {group: main, display_name: Status, access_level: readonly}
  service: {group: main, display_name: Service, access_level: installer}
  audit: {group: main, display_name: Audit, access_level: user, read_access_level: installer}
  open_book: {group: main, display_name: Open book, access_level: installer, read_access_level: readonly}
configuration:
  network:
    display_name: Network
    parameters:
      host: {display_name: Host, type: string, required: true, format: hostname}
      port: {display_name: Port, type: integer, min: 1, max: 65535, default: 502}
      mode: {display_name: Mode, type: string, enum: [tcp, rtu], default: tcp}
      password: {display_name: Password, type: string, sensitive: true}
      constructor: {display_name: Named like a trap, type: string, sensitive: true}
  factory:
    display_name: Factory
    access_level: vendor
    parameters:
      trim: {display_name: Trim, type: float, min: -1, max: 1}
      labels: {display_name: Labels, type: array_of_strings}
`;
}

export interface CommandSite {
  readonly siteId: string;
  readonly blueprintId: string;
  /** Makes a device and gives its id. */
  device(name: string, fields?: object): Promise<string>;
  /** Connects it; the connection ends with the test. Each call makes a new secret, so a device is connected again by its config. */
  connect(deviceId: string, options?: FakeDeviceOptions): Promise<FakeDevice>;
  configOf(deviceId: string): Promise<FakeDeviceConfig>;
}

export async function makeCommandSite(busbar: TestServer, name: string): Promise<CommandSite> {
  const siteId = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name })).body.site.id;
  const blueprintId = await upload(busbar, commandManifest(name));
  const configOf = async (deviceId: string) => {
    const path = `/v3/devices/${deviceId}/generate_config`;
    return (await busbar.admin.post<{ config: FakeDeviceConfig }>(path, { protocol: "MQTT" })).body.config;
  };
  return {
    siteId,
    blueprintId,
    configOf,
    async device(deviceName, fields = {}) {
      const body = { name: deviceName, site_id: siteId, blueprint_id: blueprintId, ...fields };
      const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body);
      if (made.status !== 200) throw new Error(made.text);
      return made.body.device_id;
    },
    connect: async (deviceId, options) => await connected(await configOf(deviceId), options),
  };
}

/** A device that leaves when the running test ends. */
export async function connected(config: FakeDeviceConfig, options: FakeDeviceOptions = {}): Promise<FakeDevice> {
  const device = await connectFakeDevice(config, options);
  onTestFinished(() => device.drop());
  return device;
}

export async function upload(busbar: TestServer, bytes: string): Promise<string> {
  const answer = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.blueprint.id;
}

/** The calls about executions, by one caller and under one device. */
export function commandsOf(session: Session, deviceId: string) {
  const base = `/v3/devices/${deviceId}/commands`;
  return {
    execute: (body: object, { query = "", headers = {} as Readonly<Record<string, string>> } = {}) =>
      session.post<OneExecution>(`${base}/execute${query}`, body, { headers }),
    create: (body: object, headers: Readonly<Record<string, string>> = {}) =>
      session.post<{ readonly execution_id: string }>(`${base}/executions`, body, { headers }),
    /** Creates and gives the id. */
    started: async (body: object) => {
      const answer = await session.post<{ readonly execution_id: string }>(`${base}/executions`, body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body.execution_id;
    },
    get: (id: string, query = "") => session.get<OneExecution>(`${base}/executions/${id}${query}`),
    state: async (id: string) => (await session.get<OneExecution>(`${base}/executions/${id}`)).body.execution.state,
    list: (query = "") => session.get<ExecutionPage>(`${base}/executions${query}`),
    ids: async (query = "") =>
      (await session.get<ExecutionPage>(`${base}/executions${query}`)).body.executions.map(({ id }) => id),
  };
}
