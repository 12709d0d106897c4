// A Lua device on a test's server: its blueprint is made of a script and pieces of a manifest.

import type { DeviceRuntime, Execution } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import type { TestServer } from "./server.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Scripted
runtime:
  type: lua
  options: { dir: lua }
properties:
  serial: { type: string, display_name: Serial }
telemetry:
  count: { type: integer, display_name: Count }
  text: { type: string, display_name: Text }
  alerts: { type: alerts, display_name: Alerts }
command_groups:
  all: { display_name: All }
commands:
  echo:
    group: all
    display_name: Echo
    arguments:
      text: { type: string, display_name: Text }
      secret: { type: string, display_name: Secret, sensitive: true }
  slow: { group: all, display_name: Slow }
  fail: { group: all, display_name: Fail }
  get: { group: all, display_name: Get }
  put:
    group: all
    display_name: Put
    arguments:
      value: { type: string, display_name: Value }
configuration:
  limits:
    display_name: Limits
    parameters:
      power: { type: float, display_name: Power }
      mode: { type: string, display_name: Mode, default: eco }
      pin: { type: string, display_name: Pin, sensitive: true }
`;

/** With a value that somebody must configure. */
export const WITH_REQUIRED: Readonly<Record<string, string>> = {
  "manifest.yml": MANIFEST.replace("display_name: Power }", "display_name: Power, required: true }"),
};

function luaPackage(main: string, files: Readonly<Record<string, string>> = {}): Uint8Array {
  const all = { "manifest.yml": MANIFEST, "lua/main.lua": main, ...files };
  return packPackage(new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)])));
}

/** Uploads the script and gives its blueprint's id. */
export async function uploadScript(
  busbar: TestServer,
  main: string,
  files?: Readonly<Record<string, string>>,
): Promise<string> {
  const { body, text } = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: luaPackage(main, files),
  });
  if (body.blueprint === undefined) throw new Error(text);
  return body.blueprint.id;
}

export interface LuaDevice {
  readonly id: string;
  readonly path: string;
  runtime(): Promise<DeviceRuntime>;
  run(name: string, args?: object): Promise<Execution>;
  /** Messages of the device's log, oldest first. */
  logs(): Promise<readonly string[]>;
  assign(main: string): Promise<void>;
}

export async function newLuaDevice(
  busbar: TestServer,
  main: string,
  files?: Readonly<Record<string, string>>,
): Promise<LuaDevice> {
  const { admin } = busbar;
  const body = { name: "Script", blueprint_id: await uploadScript(busbar, main, files) };
  const id = (await admin.post<{ device_id: string }>("/v3/provisioning/lua_device", body)).body.device_id;
  const path = `/v3/devices/${id}`;
  return {
    id,
    path,
    runtime: async () => (await admin.get<{ runtime: DeviceRuntime }>(`${path}/runtime`)).body.runtime,
    run: async (name, args = {}) =>
      (await admin.post<{ execution: Execution }>(`${path}/commands/execute`, { name, arguments: args })).body
        .execution,
    logs: async () =>
      (await admin.get<{ logs: { message: string }[] }>(`${path}/logs`)).body.logs.map(({ message }) => message),
    assign: async (next) => {
      const { status, text } = await admin.post(`${path}/assign_blueprint`, {
        blueprint_id: await uploadScript(busbar, next),
      });
      if (status !== 200) throw new Error(text);
    },
  };
}
