import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listenLocally } from "./listen-locally.ts";
import { createModbusServer } from "./serve-modbus.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open() {
  const listening = await listenLocally(
    createModbusServer((pdu) => Uint8Array.of(...pdu, 0x99)),
    undefined,
  );
  closers.push(listening.close);
  const socket = connect(listening.port, "127.0.0.1");
  await once(socket, "connect");
  return { socket, port: listening.port };
}

async function bytes(socket: ReturnType<typeof connect>, count: number): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (received.length < count) received = Buffer.concat([received, (await once(socket, "data"))[0] as Buffer]);
  return received;
}

test("each frame is answered with its own transaction and unit, however the bytes arrive", async () => {
  const { socket } = await open();
  socket.write(Buffer.from("00070000000301", "hex"));
  socket.write(Buffer.from("0304000800000003020506", "hex"));
  expect((await bytes(socket, 20)).toString("hex")).toBe("0007000000040103049900080000000402050699");
});

test.each([
  ["another protocol", "000100010003010304"],
  ["a length that is too large", "0001000003e8010304"],
  ["a length of nothing", "0001000000010103"],
])("whoever speaks %s is cut off", async (_, frame) => {
  const { socket } = await open();
  const closed = once(socket, "close");
  socket.write(Buffer.from(frame, "hex"));
  await closed;
  expect(socket.destroyed).toBe(true);
});

test("a port that is taken gives way to another one", async () => {
  const { port } = await open();
  const other = await listenLocally(
    createModbusServer((pdu) => pdu),
    port,
  );
  closers.push(other.close);
  expect(other.port).not.toBe(port);
});
