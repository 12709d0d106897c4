import fc from "fast-check";
import type { Packet } from "mqtt-packet";
import { expect, test } from "vitest";
import { ConnectionError } from "#drivers/connection-error.ts";
import { PacketReader, type ReceivedPacket, renderPacket } from "./mqtt-codec.ts";

const MIB = 1024 * 1024;

const receive = (...pieces: readonly Uint8Array[]): readonly ReceivedPacket[] => {
  const reader = new PacketReader();
  return pieces.flatMap((piece) => [...reader.take(Buffer.from(piece))]);
};

const message = { cmd: "publish", topic: "t", payload: Buffer.alloc(0), qos: 0, retain: false, dup: false } as const;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
/** Text as packets carry it: its length, then its bytes. */
const text = (value: string) => hex(Buffer.concat([Buffer.of(0, Buffer.byteLength(value)), Buffer.from(value)]));

test.each<readonly [string, Packet, string]>([
  [
    "a connect with a login",
    { cmd: "connect", clientId: "c-ü", username: "u", password: Buffer.from("p"), keepalive: 30 },
    `1016${text("MQTT")}04c2001e${text("c-ü")}${text("u")}${text("p")}`,
  ],
  [
    "a connect without one",
    { cmd: "connect", clientId: "c", keepalive: 300 },
    `100d${text("MQTT")}0402012c${text("c")}`,
  ],
  [
    "a message that is to be acknowledged and kept",
    { ...message, topic: "a/b", payload: Buffer.from("x"), retain: true, qos: 1, messageId: 513 },
    `3308${text("a/b")}020178`,
  ],
  ["a message that is not", message, `3003${text("t")}`],
  [
    "a subscription",
    { cmd: "subscribe", messageId: 9, subscriptions: [{ topic: "a/+", qos: 1 }] },
    `82080009${text("a/+")}01`,
  ],
  ["its end", { cmd: "unsubscribe", messageId: 10, unsubscriptions: ["a/+"] }, `a207000a${text("a/+")}`],
  ["an acknowledgement", { cmd: "puback", messageId: 65_535 }, "4002ffff"],
  ["a ping", { cmd: "pingreq" }, "c000"],
  ["a good-bye", { cmd: "disconnect" }, "e000"],
])("%s is written as the standard has it", (_, packet, expected) => {
  expect(hex(renderPacket(packet))).toBe(expected);
});

test.each([
  [127 - 3, "307f"],
  [128 - 3, "308001"],
  [16_383 - 3, "30ff7f"],
  [16_384 - 3, "30808001"],
  [200_000, "30c39a0c"],
])("the length of a message with %i bytes takes as many bytes as it needs", (length, head) => {
  const packet = renderPacket({ ...message, payload: Buffer.alloc(length, 7) });
  expect(hex(packet).startsWith(`${head}${text("t")}07`)).toBe(true);
  expect(receive(packet)).toEqual([{ type: "publish", topic: "t", payload: Buffer.alloc(length, 7), id: undefined }]);
});

test("what a broker sends is read, in pieces too", () => {
  const all = Buffer.from(
    ["20020005", `320a${text("ü/b")}00070102`, `3103${text("t")}`, "900400030180", "b0020004", "40020005", "d000"].join(
      "",
    ),
    "hex",
  );
  const expected = [
    { type: "connack", code: 5 },
    { type: "publish", topic: "ü/b", payload: Buffer.of(1, 2), id: 7 },
    { type: "publish", topic: "t", payload: Buffer.alloc(0), id: undefined },
    { type: "ack", id: 3, codes: [1, 128] },
    { type: "ack", id: 4, codes: [] },
    { type: "ack", id: 5, codes: [] },
    { type: "pingresp" },
  ];
  expect(receive(all)).toEqual(expected);
  expect(receive(...Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test.each([
  ["a packet that only clients send", `100d${text("MQTT")}0402012c${text("c")}`],
  ["QoS 2", "3405000174000a"],
  ["QoS 3", "3605000174000a"],
  ["a topic that is longer than its packet", "3003ffff00"],
  ["a topic that reaches into the next packet", "30030004740000d000"],
  ["a message without its id", "3203000174"],
  ["a message with its id in the next packet", "3203000174d000"],
  ["an acknowledgement without an id", "4000"],
  ["an acknowledgement with its id in the next packet", "4000d000"],
  ["a subscription's acknowledgement without a code", "90020003"],
  ["an answer to CONNECT without a code", "2000"],
  ["an answer to CONNECT with its code in the next packet", "2000d000"],
  ["a length without end", "30ffffffff01"],
  ["HTTP", Buffer.from("HTTP/1.1 400 Bad Request").toString("hex")],
])("%s is refused", (_, bytes) => {
  expect(() => receive(Buffer.from(bytes, "hex"))).toThrow(ConnectionError);
});

test.each([
  ["in one piece", 2 * MIB],
  ["in pieces, as soon as a mebibyte of it has come", 65_536],
])("a message of two mebibytes is refused %s", (_, pieceLength) => {
  const packet = renderPacket({ ...message, payload: Buffer.alloc(2 * MIB) });
  const reader = new PacketReader();
  let given = 0;
  const feed = () => {
    for (; given < packet.length; given += pieceLength) {
      for (const one of reader.take(packet.subarray(given, given + pieceLength))) expect.fail(one.type);
    }
  };
  expect(feed).toThrow("a message is longer than 1048576 bytes");
  expect(given).toBeLessThanOrEqual(MIB + pieceLength);
});

test("a message of a mebibyte is read", () => {
  const packet = renderPacket({ ...message, payload: Buffer.alloc(MIB - 3) });
  expect(receive(packet)).toMatchObject([{ type: "publish" }]);
});

test("any bytes are packets or a ConnectionError", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
      try {
        receive(...pieces);
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectionError);
      }
    }),
  );
});
