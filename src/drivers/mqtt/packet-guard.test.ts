import { Duplex } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConnectionError } from "#drivers/connection-error.ts";
import { PacketGuard } from "./packet-guard.ts";

const MIB = 1024 * 1024;

/** What the guard hands on of what a broker sends, and why it refuses the rest. */
async function receive(...pieces: readonly Uint8Array[]) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  let refusal: ConnectionError | undefined;
  const packets: Buffer[] = [];
  const guard = new PacketGuard(socket, (error) => {
    refusal = error;
  });
  guard.on("data", (packet: Buffer) => packets.push(packet));
  for (const piece of pieces) socket.push(piece);
  socket.push(null);
  await new Promise((resolve) => socket.once("close", resolve).once("end", resolve));
  return { packets, refusal };
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytesOf = (text: string) => Buffer.from(text, "hex");
const message = (length: number) => {
  const digits = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, ((length >> 14) & 0x7f) | 0x80, length >> 21];
  return Buffer.concat([Buffer.of(0x30, ...digits), Buffer.alloc(length, 7)]);
};

test("what a broker sends is handed on packet by packet, in pieces too", async () => {
  const packets = [
    "20020005",
    "320a0004c3bc2f6200070102",
    "3103000174",
    "900400030180",
    "b0020004",
    "40020005",
    "d000",
  ];
  const all = bytesOf(packets.join(""));
  const whole = await receive(all);
  expect(whole.packets.map(hex)).toEqual(packets);
  const apart = await receive(...Array.from(all, (byte) => Uint8Array.of(byte)));
  expect(apart.packets.map(hex)).toEqual(packets);
  expect([whole.refusal, apart.refusal]).toEqual([undefined, undefined]);
});

test.each([
  ["a packet that only clients send", "100d00044d5154540402012c000163"],
  ["QoS 2", "3405000174000a"],
  ["QoS 3", "3605000174000a"],
  ["a message without its id", "3203000174"],
  ["an acknowledgement without an id", "4000"],
  ["a subscription's acknowledgement without a code", "90020003"],
  ["an answer to CONNECT without a code", "2000"],
  ["an answer with flags", "2f020000"],
  ["a length without end", "30ffffffff01"],
  ["HTTP", Buffer.from("HTTP/1.1 400 Bad Request").toString("hex")],
])("%s is refused", async (_, bytes) => {
  const { packets, refusal } = await receive(bytesOf(bytes));
  expect(packets).toEqual([]);
  expect(refusal?.message).toBe("the broker does not speak MQTT 3.1.1");
});

test.each([
  ["two mebibytes", "3080808001"],
  ["the most that a packet can have", "30ffffff7f"],
])("a message of %s is refused by its first bytes", async (_, head) => {
  const { refusal } = await receive(bytesOf(head));
  expect(refusal?.message).toBe("a message is longer than 1048576 bytes");
});

test("a message of a mebibyte is handed on whole, in one piece and in many", async () => {
  const packet = message(MIB);
  const pieces = Array.from({ length: Math.ceil(packet.length / 1000) }, (_, at) =>
    packet.subarray(at * 1000, (at + 1) * 1000),
  );
  for (const given of [[packet], pieces]) {
    const { packets, refusal } = await receive(...given);
    expect(refusal).toBeUndefined();
    expect(packets.length).toBe(1);
    expect(packets[0]?.equals(packet)).toBe(true);
  }
});

test("a long message that is promised and does not come takes little memory", async () => {
  const promise = bytesOf("308080400000");
  const before = process.memoryUsage().arrayBuffers;
  const guards = await Promise.all(Array.from({ length: 100 }, () => receive(promise)));
  expect(guards.flatMap(({ packets, refusal }) => [...packets, refusal])).toEqual(guards.map(() => undefined));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MIB);
});

test("any bytes are packets or a refusal", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 })), async (pieces) => {
      const { packets, refusal } = await receive(...pieces);
      const handed = Buffer.concat(packets);
      expect(handed.equals(Buffer.concat(pieces).subarray(0, handed.length))).toBe(true);
      if (refusal !== undefined) expect(refusal).toBeInstanceOf(ConnectionError);
    }),
  );
});
