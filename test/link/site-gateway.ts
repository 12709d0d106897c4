// A gateway of a site in a process of its own, with a device over MQTT and one that is a script, joined over a line. It may
// be killed, and starts again on the same ports.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type CountingDevice, startCountingDevice } from "../chaos/counting-device.ts";
import { startVictim, type Victim } from "../chaos/victim.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import type { ModbusServer } from "../support/modbus-server.ts";
import { createSession, type Session } from "../support/session.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { openTroubledLine, type TroubledLine } from "../support/troubled-line.ts";

const MQTT_MANIFEST = `blueprint_spec: device/3.0
display_name: Counting
runtime:
  type: embedded
command_groups:
  main: { display_name: Main }
commands:
  start: { group: main, display_name: Start, arguments: { power: { type: integer, display_name: Power } } }
telemetry:
  power: { type: float, display_name: Power }
  faults: { type: alerts, display_name: Faults }
`;

const LUA_MANIFEST = `blueprint_spec: device/3.0
display_name: Scripted
runtime: { type: lua, options: { file: main.lua } }
command_groups:
  main: { display_name: Main }
commands:
  start: { group: main, display_name: Start, arguments: { power: { type: integer, display_name: Register } } }
`;

const script = (port: number, unit: number) => `
local client = modbus.new("tcp://127.0.0.1:${port}")
enapter.register_command_handler("start", function(ctx, args)
  ctx.log("begun")
  local err = client:write_holding(${unit}, args.power, 1, 5000)
  if err then ctx.error(err) end
  return { power = args.power }
end)
`;

export interface SiteGateway {
  readonly line: TroubledLine;
  /** By its kind. */
  readonly devices: { readonly mqtt: string; readonly lua: string };
  readonly device: CountingDevice;
  /** The gateway while it runs. */
  session(): Session | undefined;
  kill(): Promise<void>;
  start(): Promise<void>;
}

interface Surroundings {
  readonly cloud: () => Session;
  readonly targets: () => readonly string[];
  readonly modbus: ModbusServer;
  readonly flags: readonly string[];
}

export async function openSiteGateway(unit: number, around: Surroundings): Promise<SiteGateway> {
  const data = tempFolder();
  const mqttPort = await freePort();
  const flags = ["--mqtt-port", `${mqttPort}`, "--lua-allow", `127.0.0.1:${around.modbus.port}`, ...around.flags];
  let victim: Victim | undefined;
  let session: Session | undefined;
  const start = async () => {
    victim = await startVictim(data, undefined, flags);
    if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
    session = createSession(victim.url, victim.token);
  };
  await start();
  const post = async (path: string, body: unknown) => {
    const { status, body: answer } = (await session?.post(path, body)) ?? { status: 0, body: undefined };
    if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const blueprint = (await post("/v3/blueprints/upload", MQTT_MANIFEST)).blueprint.id;
  const mqtt = (await post("/v3/provisioning/standalone", { name: `Meter ${unit}`, blueprint_id: blueprint }))
    .device_id;
  const { config } = await post(`/v3/devices/${mqtt}/generate_config`, { protocol: "MQTT" });
  const lua = await makeScript(victim, script(around.modbus.port, unit));
  const device = await startCountingDevice({ ...(config as FakeDeviceConfig), mqtt_host: "127.0.0.1" });
  onTestFinished(() => device.close());
  const line = await openTroubledLine(around.targets);
  onTestFinished(() => line.close());
  const { code } = (await around.cloud().post("/v3/gateways/join_codes", { name: `Site ${unit}` })).body;
  await post("/v3/uplink", { url: line.url, code });
  return {
    line,
    device,
    devices: { mqtt, lua },
    session: () => session,
    async kill() {
      session = undefined;
      victim?.kill();
      await victim?.end;
    },
    start,
  };
}

async function makeScript(victim: Victim | undefined, main: string): Promise<string> {
  if (victim === undefined) throw new Error("the gateway runs");
  const headers = { "X-Service-Auth-Token": victim.token };
  const files = { "manifest.yml": LUA_MANIFEST, "main.lua": main };
  const zip = packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
  const call = async (path: string, body: Buffer | string) => {
    const answer = await fetch(victim.url + path, { method: "POST", headers, body: body as never });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { readonly blueprint: { readonly id: string }; readonly device_id: string };
  };
  const { blueprint } = await call("/v3/blueprints/upload", Buffer.from(zip));
  const made = { name: "Script", blueprint_id: blueprint.id };
  return (await call("/v3/provisioning/lua_device", JSON.stringify(made))).device_id;
}

/** The broker keeps its port when its gateway starts again. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
