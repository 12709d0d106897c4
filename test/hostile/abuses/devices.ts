// Devices over MQTT that send too much, too large, too strange or too slowly.
import { connectPacket, headerOnly, subscribePacket } from "../../support/raw-mqtt.ts";
import { type Abuse, flood, type World } from "../abuse.ts";
import { connectDevice, type MqttDevice, openSocket, signIn } from "./mqtt-device.ts";

const LARGEST = 262_144;
/** A message as large as the broker takes, its topic and header included. */
const ROOM = LARGEST - 1_000;

/** Publishes without end on a topic of the device, and comes back when it is cut off. */
function publishing(rest: string, payload: (turn: number) => string | Buffer, qos = 0): Abuse["start"] {
  return (world) =>
    sending(world, (device, turn) => device.publish(rest, payload(turn), { qos, id: (turn % 65_535) + 1 }));
}

async function sending(
  world: World,
  act: (device: MqttDevice, turn: number) => Promise<void>,
): Promise<() => void | Promise<void>> {
  const config = await world.configOf(await world.newDevice());
  let device = await connectDevice(world, config);
  return flood(world, 1, async (turn) => {
    if (device.socket.destroyed) {
      world.count("cut off");
      device = await connectDevice(world, config);
    }
    await act(device, turn);
    world.count("sent");
  });
}

const now = () => Date.now() / 1000;

export const DEVICE_ABUSES: readonly Abuse[] = [
  {
    name: "a flood of small telemetry messages",
    who: "device",
    start: publishing("v1/telemetry", (turn) => `{"counter":${turn}}`),
  },
  {
    name: "a flood of acknowledged messages",
    who: "device",
    start: publishing("v1/telemetry", (turn) => `{"timestamp":${now()},"counter":${turn},"power":1}`, 1),
  },
  {
    name: "telemetry messages of 256 KiB",
    who: "device",
    start: publishing("v1/telemetry", (turn) => `{"text":"${`${turn}`.padEnd(ROOM, "t")}"}`),
  },
  {
    name: "a message that begins with NaN and never closes its text",
    who: "device",
    start: publishing("v1/telemetry", () => `{"a":NaN,"b":"${'\\"'.repeat(ROOM / 2)}`),
  },
  {
    name: "messages of brackets alone",
    who: "device",
    start: publishing("v1/telemetry", () => "[".repeat(ROOM)),
  },
  {
    name: "telemetry of thousands of undeclared names",
    who: "device",
    start: publishing("v1/telemetry", () => wide("attribute", 15_000)),
  },
  {
    name: "properties of thousands of undeclared names",
    who: "device",
    start: publishing("v1/properties", () => wide("property", 15_000)),
  },
  {
    name: "values of the wrong type, each of which is reported in the log",
    who: "device",
    start: publishing("v1/telemetry", () => '{"counter":"x","power":[],"text":1,"alerts":7}'),
  },
  {
    name: "a flood of short log lines",
    who: "device",
    start: publishing("v3/logs", (turn) => `{"message":"line ${turn}","persist":true}`),
  },
  {
    name: "log lines of 256 KiB",
    who: "device",
    start: publishing("v3/logs", (turn) => `{"message":"${`${turn}`.padEnd(ROOM, "l")}","persist":true}`),
  },
  {
    name: "points scattered over years, each in an hour of its own",
    who: "device",
    start: publishing("v1/telemetry", (turn) => `{"timestamp":${now() - turn * 3_600},"counter":${turn}}`),
  },
  {
    name: "alerts that come and go with every message",
    who: "device",
    start: publishing("v1/telemetry", (turn) => {
      const ids = Array.from({ length: 200 }, (_, n) => `"alert-${n}"`);
      return `{"timestamp":${now()},"alerts":[${turn % 2 === 0 ? ids.join(",") : ""}]}`;
    }),
  },
  {
    name: "progress of one execution without end",
    who: "device",
    start: async (world) => {
      const deviceId = await world.newDevice();
      const config = await world.configOf(deviceId);
      const device = await connectDevice(world, config);
      await device.subscribe();
      const { execution_id: id } = await world.ask<{ execution_id: string }>(
        "user",
        "POST",
        `/v3/devices/${deviceId}/commands/executions`,
        { name: "echo" },
      );
      const text = "p".repeat(60_000);
      return flood(world, 1, async (turn) => {
        await device.publish("v1/command/responses", JSON.stringify({ id, state: "log", payload: { turn, text } }));
        world.count("sent");
      });
    },
  },
  {
    name: "progress of executions with 1 MiB of arguments",
    who: "device",
    start: async (world) => {
      const deviceId = await world.newDevice();
      const device = await connectDevice(world, await world.configOf(deviceId));
      await device.subscribe();
      device.socket.resume();
      const path = `/v3/devices/${deviceId}/commands/executions`;
      const body = { name: "free", arguments: { text: "a".repeat(1_000_000) } };
      const ids: string[] = [];
      for (let n = 0; n < 12; n++) {
        ids.push((await world.ask<{ execution_id: string }>("user", "POST", path, body)).execution_id);
      }
      return flood(world, 1, async (turn) => {
        const id = ids[turn % ids.length];
        await device.publish("v1/command/responses", JSON.stringify({ id, state: "log", payload: { turn } }));
        world.count("sent");
      });
    },
  },
  {
    name: "responses to executions that never were",
    who: "device",
    start: publishing("v1/command/responses", (turn) => `{"id":"unknown-${turn}","state":"completed","payload":{}}`),
  },
  {
    name: "sign-ins without end",
    who: "device",
    start: async (world) => {
      const config = await world.configOf(await world.newDevice());
      return flood(world, 32, async () => {
        const device = await connectDevice(world, config);
        device.socket.destroy();
        world.count("signed in");
      });
    },
  },
  {
    name: "sign-ins with a wrong secret",
    who: "address",
    start: async (world) =>
      flood(world, 32, async (turn) => {
        const socket = await openSocket(world);
        socket.write(connectPacket({ username: `V${turn}`, password: "wrong" }));
        await new Promise((resolve) => socket.once("close", resolve).resume());
        world.count("tried");
      }),
  },
  {
    name: "headers that announce 256 MB and nothing after them",
    who: "device",
    start: async (world) => {
      const config = await world.configOf(await world.newDevice());
      return flood(world, 4, async () => {
        const device = await connectDevice(world, config);
        await device.send(headerOnly(0x30, 268_435_455));
        world.count("announced");
        await new Promise((resolve) => setTimeout(resolve, 100));
      });
    },
  },
  {
    name: "connections that never finish their first packet",
    who: "address",
    start: async (world) =>
      flood(world, 16, async () => {
        const socket = await openSocket(world);
        socket.write(signIn({ mqtt_credentials: { username: "u", password: "p" } } as never).subarray(0, 5));
        world.count("opened");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }),
  },
  {
    name: "subscriptions to thousands of topics",
    who: "device",
    start: (world) =>
      sending(world, (device, turn) =>
        device.send(
          subscribePacket(
            (turn % 65_535) + 1,
            Array.from({ length: 2_000 }, (_, n) => `v1/to/${n}/#`),
          ),
        ),
      ),
  },
  {
    name: "a subscriber that reads nothing of what it is sent",
    who: "device",
    start: async (world) => {
      const deviceId = await world.newDevice();
      const device = await connectDevice(world, await world.configOf(deviceId));
      await device.subscribe();
      device.socket.pause();
      const body = { name: "free", arguments: { text: "s".repeat(100_000) } };
      return flood(world, 8, () => world.call("user", "POST", `/v3/devices/${deviceId}/commands/executions`, { body }));
    },
  },
];

function wide(name: string, count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"${name}_${n}":1`).join(",")}}`;
}
