// The devices that authors copy, as they are, against the embedded broker.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { createEmbeddedBroker, EMBEDDED_DEFAULTS, type EmbeddedBroker } from "#mqtt/embedded/create-embedded-broker.ts";
import { openSiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import type { DeviceConfiguration, HandOver } from "#service/ports/carrier.ts";
import { SILENT } from "../support/embedded-broker.ts";
import { createFakeInbox, type FakeInbox } from "../support/fake-inbox.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/devices/", import.meta.url));
const PYTHON = "/usr/bin/python3";

interface Kit {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const KITS: readonly Kit[] = [
  { name: "TypeScript", command: [process.execPath, join(EXAMPLES, "typescript/device.ts")] },
  ...(hasPaho() ? [{ name: "Python", command: [PYTHON, join(EXAMPLES, "python/device.py")] as const }] : []),
];
if (KITS.length === 1) console.log("no python3 with paho-mqtt here: the Python device is not tested");

describe.each(KITS)("the $name device", ({ command: [program, ...args] }) => {
  let folder: string;
  let inbox: FakeInbox;
  let broker: EmbeddedBroker;
  let credentials: Record<"MQTT" | "MQTTS", object>;
  let configuration: DeviceConfiguration;
  let device: ChildProcess | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "busbar-kit-"));
    configuration = new Map([["limits", { max_power: 50 }]]);
    const now = () => instant(Date.now());
    const authority = openSiteAuthority(join(folder, "pki"), now);
    const { privateKey, certificate, caChain, fingerprint } = authority.issueDeviceCertificate("HW1");
    inbox = createFakeInbox([{ deviceId: "d1", hardwareId: "HW1", channelId: "main", secret: "secret1", fingerprint }]);
    broker = await createEmbeddedBroker(
      {
        inbox,
        log: SILENT,
        shares: createShares(),
        budgets: createByteBudgets(),
        now,
        configurationOf: async () => configuration,
      },
      { ...EMBEDDED_DEFAULTS, host: "127.0.0.1", port: 0, tls: { port: 0, names: ["127.0.0.1"], authority } },
    );
    const { port, tlsPort } = await broker.listen();
    const common = { mqtt_host: "127.0.0.1", hardware_id: "HW1", channel_id: "main" };
    credentials = {
      MQTT: {
        ...common,
        mqtt_protocol: "MQTT",
        mqtt_port: port,
        mqtt_credentials: { username: "HW1", password: "secret1" },
      },
      MQTTS: {
        ...common,
        mqtt_protocol: "MQTTS",
        mqtt_port: tlsPort,
        mqtt_credentials: { private_key: privateKey, certificate, ca_chain: caChain },
      },
    };
  });
  afterEach(async () => {
    if (device !== undefined && device.exitCode === null) {
      const gone = once(device, "exit");
      device.kill("SIGTERM");
      await gone;
    }
    device = undefined;
    await broker.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async (protocol: "MQTT" | "MQTTS"): Promise<void> => {
    const path = join(folder, "config.json");
    writeFileSync(path, JSON.stringify({ config: credentials[protocol] }));
    device = spawn(program, [...args, path], { stdio: ["ignore", "ignore", "inherit"] });
    await inbox.seen("reachable d1");
  };
  const execute = (id: string, name: string, given: Record<string, unknown> = {}): Promise<HandOver> =>
    broker.channel.send("d1", { id, name, arguments: given });
  const states = (id: string): readonly string[] =>
    inbox.calls.flatMap(
      (call) => new RegExp(`^response d1 {"executionId":"${id}","state":"(\\w+)"`).exec(call)?.[1] ?? [],
    );

  test.each(["MQTT", "MQTTS"] as const)(
    "over %s reports its properties, a log line and its telemetry",
    async (protocol) => {
      await start(protocol);
      expect(await inbox.seen("properties d1")).toContain('"serial_number":"HW1"');
      expect(await inbox.seen("log d1")).toContain('"text":"connected","persist":true');
      expect(await inbox.seen("telemetry d1")).toMatch(/"takenAt":\d{13}.*"power":0,.*"alerts":\[\]/);
      expect(inbox.calls.filter((call) => call.startsWith("malformed"))).toEqual([]);
    },
  );

  test("runs a command with progress, and a repeated one only once", async () => {
    await start("MQTT");
    await execute("e1", "set_power", { power: 40 });
    await execute("e1", "set_power", { power: 40 });
    await inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
    await execute("e1", "set_power", { power: 40 });
    await inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
    // The one that came while it ran may be answered once more when it has ended.
    expect(states("e1").join(" ")).toMatch(/^IN_PROGRESS IN_PROGRESS SUCCEEDED SUCCEEDED( SUCCEEDED)?$/);
    expect(inbox.calls.find((call) => call.includes('"e1","state":"SUCCEEDED"'))).toContain('"payload":{"power":40');
  });

  test("answers a wrong command and a wrong argument with an error, by its configuration", async () => {
    await start("MQTT");
    await execute("e1", "fly");
    expect(await inbox.seen('response d1 {"executionId":"e1"')).toContain(
      '"payload":{"message":"this device has no command fly"}',
    );
    await execute("e2", "set_power", { power: 51 });
    expect(await inbox.seen('response d1 {"executionId":"e2"')).toContain("power must be a number from 0 to 50");
    await broker.channel.sendConfiguration("d1", new Map([["limits", { max_power: 60 }]]), ["limits"]);
    await execute("e3", "set_power", { power: 51 });
    await inbox.seen('response d1 {"executionId":"e3","state":"SUCCEEDED"');
  });

  test("comes back by itself after its connection was cut", async () => {
    await start("MQTT");
    broker.disconnect("d1");
    await inbox.seen("unreachable d1");
    await inbox.seen("reachable d1");
    await execute("e1", "reset_energy");
    await inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
  });
});

function hasPaho(): boolean {
  return existsSync(PYTHON) && spawnSync(PYTHON, ["-c", "import paho.mqtt.client"]).status === 0;
}
