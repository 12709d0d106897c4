import fc from "fast-check";
import { expect, test } from "vitest";
import { ConnectionError } from "#runtime/drivers/peer-connections.ts";
import {
  connectPacket,
  disconnectPacket,
  PacketReader,
  pingPacket,
  pubackPacket,
  publishPacket,
  type ReceivedPacket,
  subscribePacket,
  unsubscribePacket,
} from "./mqtt-packets.ts";

const receive = (...pieces: readonly Uint8Array[]): readonly ReceivedPacket[] => {
  const reader = new PacketReader();
  return pieces.flatMap((piece) => [...reader.take(Buffer.from(piece))]);
};

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
/** Text as packets carry it: its length, then its bytes. */
const text = (value: string) => hex(Buffer.concat([Buffer.of(0, Buffer.byteLength(value)), Buffer.from(value)]));

test.each([
  [
    "a connect with a login",
    connectPacket({ clientId: "c-ü", username: "u", password: "p", keepaliveS: 30 }),
    `1016${text("MQTT")}04c2001e${text("c-ü")}${text("u")}${text("p")}`,
  ],
  [
    "a connect without one",
    connectPacket({ clientId: "c", username: undefined, password: undefined, keepaliveS: 300 }),
    `100d${text("MQTT")}0402012c${text("c")}`,
  ],
  [
    "a message that is to be acknowledged and kept",
    publishPacket({ topic: "a/b", payload: Buffer.from("x"), retain: true, id: 513 }),
    `3308${text("a/b")}020178`,
  ],
  [
    "a message that is not",
    publishPacket({ topic: "t", payload: Buffer.alloc(0), retain: false, id: undefined }),
    `3003${text("t")}`,
  ],
  ["a subscription", subscribePacket(9, "a/+", 1), `82080009${text("a/+")}01`],
  ["its end", unsubscribePacket(10, "a/+"), `a207000a${text("a/+")}`],
  ["an acknowledgement", pubackPacket(65_535), "4002ffff"],
  ["a ping", pingPacket, "c000"],
  ["a good-bye", disconnectPacket, "e000"],
])("%s is written as the standard has it", (_, packet, expected) => {
  expect(hex(packet)).toBe(expected);
});

test.each([
  [127 - 3, "307f"],
  [128 - 3, "308001"],
  [16_383 - 3, "30ff7f"],
  [16_384 - 3, "30808001"],
  [200_000, "30c39a0c"],
])("the length of a message with %i bytes takes as many bytes as it needs", (length, head) => {
  const packet = publishPacket({ topic: "t", payload: Buffer.alloc(length, 7), retain: false, id: undefined });
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
  ["a packet that only clients send", "1000"],
  ["QoS 2", "3405000174000a"],
  ["a topic that is longer than its packet", "3003ffff00"],
  ["an acknowledgement without an id", "4000"],
  ["a length without end", "30ffffffff01"],
  ["a message that is too long", "30ffffff7f"],
  ["HTTP", Buffer.from("HTTP/1.1 400 Bad Request").toString("hex")],
])("%s is refused", (_, bytes) => {
  expect(() => receive(Buffer.from(bytes, "hex"))).toThrow(ConnectionError);
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
