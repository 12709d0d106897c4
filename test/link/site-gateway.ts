// A gateway of a site in a process of its own, with a device over MQTT and one that is a script, joined over a line. It may
// be killed, and starts again on the same ports.
import { onTestFinished } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type CountingDevice, startCountingDevice } from "../chaos/counting-device.ts";
import { startVictim, type Victim } from "../chaos/victim.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { freePort } from "../support/free-port.ts";
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
  /** Resolves when the cloud runs. */
  readonly cloud: () => Promise<Session>;
  /** Where connections of the line lead. */
  readonly targets: () => readonly string[];
  readonly modbus: ModbusServer;
  readonly flags: readonly string[];
}

export async function openSiteGateway(unit: number, around: Surroundings): Promise<SiteGateway> {
  const data = tempFolder();
  // The broker keeps its port when its gateway starts again.
  const mqttPort = await freePort();
  const flags = [
    "--mqtt-port",
    `${mqttPort}`,
    "--link-allow-local",
    "--lua-allow",
    `127.0.0.1:${around.modbus.port}`,
    ...around.flags,
  ];
  let victim: Victim | undefined;
  let session: Session | undefined;
  const start = async () => {
    victim = await startVictim(data, undefined, flags);
    if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
    session = createSession(victim.url, victim.token);
  };
  await start();
  const post = async (path: string, body: unknown) => {
    let answer = await session?.post(path, body);
    // A busy machine may be too slow for a limit.
    while (answer?.status === 503) answer = await session?.post(path, body);
    if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return answer.body;
  };
  const provision = async (how: "standalone" | "lua_device", name: string, blueprint: string | Uint8Array) => {
    const { id } = (await post("/v3/blueprints/upload", blueprint)).blueprint;
    return (await post(`/v3/provisioning/${how}`, { name, blueprint_id: id })).device_id as string;
  };
  const mqtt = await provision("standalone", `Meter ${unit}`, MQTT_MANIFEST);
  const lua = await provision("lua_device", `Script ${unit}`, luaPackage(script(around.modbus.port, unit)));
  const { config } = await post(`/v3/devices/${mqtt}/generate_config`, { protocol: "MQTT" });
  const device = await startCountingDevice({ ...(config as FakeDeviceConfig), mqtt_host: "127.0.0.1" });
  onTestFinished(() => device.close());
  const line = await openTroubledLine(around.targets);
  onTestFinished(() => line.close());
  const cloud = await around.cloud();
  const { code } = (await cloud.post("/v3/gateways/join_codes", { name: `Site ${unit}` })).body;
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

function luaPackage(main: string): Uint8Array {
  const files = { "manifest.yml": LUA_MANIFEST, "main.lua": main };
  return packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}
