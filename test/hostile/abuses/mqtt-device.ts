// A device of the abuser, by hand: it sends what no client library would, as fast as the socket takes it.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FakeDeviceConfig } from "../../support/fake-device.ts";
import { connectPacket, type PublishOptions, publishPacket, subscribePacket } from "../../support/raw-mqtt.ts";
import type { World } from "../abuse.ts";
import { localAddress } from "../client.ts";

const CONNACK_BYTES = 4;

export interface MqttDevice {
  readonly socket: Socket;
  /** Resolves when the socket has taken it. */
  send(bytes: Buffer): Promise<void>;
  publish(rest: string, payload: string | Buffer, options?: PublishOptions): Promise<void>;
  /** To its commands. */
  subscribe(): Promise<void>;
}

const opened = new Set<Socket>();

/** All that were opened and are not closed yet. */
export function closeSockets(): void {
  for (const socket of opened) socket.destroy();
}

/** A connection from the abuser's address to the broker. */
export function openSocket({ mqttPort, address }: World, port = mqttPort): Promise<Socket> {
  const local = localAddress(address);
  const socket = connect({ port, host: "127.0.0.1", ...(local !== undefined && { localAddress: local }) });
  opened.add(socket);
  socket.once("close", () => opened.delete(socket));
  return new Promise((resolve, reject) => {
    socket.once("connect", () => {
      socket.off("error", reject);
      socket.on("error", () => {});
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

export function signIn({ mqtt_credentials: { username = "", password = "" } }: FakeDeviceConfig): Buffer {
  return connectPacket({ username, password });
}

export async function connectDevice(world: World, config: FakeDeviceConfig): Promise<MqttDevice> {
  const socket = await openSocket(world);
  socket.write(signIn(config));
  const [connack] = (await once(socket, "data")) as [Buffer];
  if (connack.length < CONNACK_BYTES || connack[3] !== 0) throw new Error(`the broker said ${connack.toString("hex")}`);
  socket.on("data", () => {});
  const from = `v1/from/${config.hardware_id}/${config.channel_id}`;
  const to = `v1/to/${config.hardware_id}/${config.channel_id}`;
  const send = async (bytes: Buffer): Promise<void> => {
    if (socket.destroyed) throw new Error("cut off");
    if (!socket.write(bytes)) await drainedOrClosed(socket);
    else await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    socket,
    send,
    publish: (rest, payload, options) => send(publishPacket(`${from}/${rest}`, payload, options)),
    subscribe: () => send(subscribePacket(1, [`${to}/v1/command/requests`])),
  };
}

function drainedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    socket.on("drain", done).on("close", done);
  });
}
