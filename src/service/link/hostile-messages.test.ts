// Messages that no honest side sends, in both directions: a gateway to its cloud, and a cloud to its gateway.
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { toFrames } from "#core/link/frames.ts";
import { MAX_JSON_BYTES, MAX_MESSAGE_BYTES, MESSAGE_JSON } from "#core/link/link-limits.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { parseDownMessage, parseUpMessage } from "#core/link/parse-message.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import type { EventLoop } from "#core/share/fair-turns.ts";
import { createShares } from "#core/share/shares.ts";
import { createLinkChannel } from "./link-channel.ts";
import { createLinkIntakes } from "./link-intake.ts";

const MIB = 1024 * 1024;
const plain = (json: string) => Buffer.concat([Buffer.of(0), Buffer.from(json)]);
const packed = (json: string | Buffer) => Buffer.concat([Buffer.of(1), deflateRawSync(json)]);
const withContent = (header: string, content: number, length = header.length) => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length);
  return Buffer.concat([Buffer.of(2), size, Buffer.from(header), Buffer.alloc(content)]);
};
const many = (count: number, piece: string) => Array(count).fill(piece).join(",");
const deep = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

/** What is sent, and a part of the reason for which the connection ends. */
const ABUSES: Readonly<Record<string, readonly [message: Uint8Array, reason: string]>> = {
  "a packed bomb of zeros": [packed(Buffer.alloc(40 * MIB)), `larger than ${MAX_JSON_BYTES} bytes`],
  "a packed bomb of 10 million objects": [
    packed(`{"type":"zz","x":[${many(3_000_000, "{}")}]}`),
    `larger than ${MAX_JSON_BYTES} bytes`,
  ],
  "a packed bomb just above the limit": [packed(" ".repeat(MAX_JSON_BYTES + 1)), `larger than ${MAX_JSON_BYTES}`],
  "objects up to the unpacked limit": [packed(`{"type":"zz","x":[${many(MIB, "{}")}]}`), "more than 50000 values"],
  "empty lists up to the unpacked limit": [packed(`{"x":[${many(MIB, "[]")}]}`), "more than 50000 values"],
  numbers: [packed(`{"x":[${many(MIB, "1")}]}`), "more than 50000 values"],
  "members of one object": [
    packed(`{${Array.from({ length: 60_000 }, (_, n) => `"${n}":1`).join(",")}}`),
    "more than 50000 values",
  ],
  "members between long spaces": [packed(`{"x":[${many(60_000, `1${" ".repeat(60)}`)}]}`), "more than 50000 values"],
  "lists nested a million deep": [packed(deep(MIB, "[", "]")), "nested more than 72 levels deep"],
  "objects nested 1,500 deep": [packed(deep(1_500, '{"a":', "}")), "nested more than 72 levels deep"],
  "nesting that never closes": [packed("[".repeat(2 * MIB)), "nested more than 72 levels deep"],
  "nesting in an unpacked message": [plain(deep(73, "[", "]")), "nested more than 72 levels deep"],
  "a text of 3 MiB": [packed(`{"type":"${"a".repeat(3 * MIB)}"}`), `a text of more than ${MESSAGE_JSON.text}`],
  "a text of 3 MiB of escapes": [packed(`{"type":"${'\\"'.repeat(1.5 * MIB)}"}`), `a text of more than`],
  "a text that never ends": [packed(`{"type":"${"a".repeat(3 * MIB)}`), `a text of more than ${MESSAGE_JSON.text}`],
  "a name of 3 MiB": [packed(`{"${"a".repeat(3 * MIB)}":1}`), `a text of more than ${MESSAGE_JSON.text}`],
  "a type of a megabyte": [packed(`{"type":"${"a".repeat(MIB)}"}`), "no message has the type aaaa"],
  "a list": [plain("[]"), "a message is no object"],
  "a number": [plain("7"), "a message is no object"],
  null: [plain("null"), "a message is no object"],
  "no type": [plain("{}"), "no message has the type"],
  "the type constructor": [plain('{"type":"constructor"}'), "no message has the type constructor"],
  "a prototype": [plain('{"__proto__":{"type":"leave"}}'), "no message has the type undefined"],
  "half of a JSON": [plain('{"type":"ack"'), "a message cannot be read"],
  "bytes that are no text": [Buffer.from([0, 0x7b, 0xff, 0xfe]), "a message cannot be read"],
  "a surrogate alone, in bytes": [
    Buffer.concat([Buffer.of(0), Buffer.from('{"type":"'), Buffer.from([0xed, 0xa0, 0x80])]),
    "cannot be read",
  ],
  "bytes that cannot be unpacked": [Buffer.from([1, 255, 255, 255]), "a message cannot be unpacked"],
  "a stream that stops half-way": [packed("a".repeat(10_000)).subarray(0, 12), "a message cannot be unpacked"],
  "a kind that nobody has": [Buffer.from([77, 1, 2, 3]), "a message cannot be read"],
  "a header of 4 GiB": [withContent("{}", 10, 0xffff_ffff), "a header is larger than 65536 bytes"],
  "a header of 100 levels": [withContent(deep(100, "[", "]"), 10), "nested more than 2 levels deep"],
  "a header of a thousand fields": [
    withContent(`{${Array.from({ length: 1_000 }, (_, n) => `"${n}":1`).join(",")}}`, 10),
    "more than 20 values",
  ],
  "a header with a long name": [withContent(`{"${"a".repeat(2_000)}":1}`, 10), "a text of more than 1000 characters"],
  "a header without its length": [Buffer.from([2, 1]), "a message cannot be read"],
  "a number that never ends": [Buffer.from([3, ...Array(30).fill(255)]), "a message cannot be read"],
  "a message above the packed limit": [Buffer.alloc(MAX_MESSAGE_BYTES + 1), `larger than ${MAX_MESSAGE_BYTES} bytes`],
};

const UP_ALONE: typeof ABUSES = {
  "hello with a long version": [
    plain(`{"type":"hello","protocol":"1.0","version":"${"v".repeat(2_000)}","epoch":"e"}`),
    "version has more than 1000",
  ],
  "packed points without bytes": [plain('{"type":"packed","number":1}'), "points come without their bytes"],
  "a record that is no list": [
    plain('{"type":"records","to":1,"isWhole":true,"isLast":true,"items":{}}'),
    "items is no list",
  ],
  "a negative number": [plain('{"type":"records","to":-1,"isWhole":true,"isLast":true,"items":[]}'), "to is no count"],
  "the connectivity of a long id": [
    plain(`{"type":"connectivity","devices":[["${"d".repeat(2_000)}","ONLINE"]]}`),
    "more than 1000",
  ],
  "a credential that is no hash": [plain('{"type":"credential","hash":"x","isUsed":true}'), "hash is no hash"],
  "plain points of 60,000 values": [
    packed(`{"type":"points","number":1,"messages":[["d",1,[${many(60_000, '["a",1]')}]]]}`),
    "more than 50000 values",
  ],
};

const DOWN_ALONE: typeof ABUSES = {
  "a welcome with a long epoch": [
    plain(`{"type":"welcome","protocol":"1.0","version":"1","epoch":"${"e".repeat(2_000)}","taken":0}`),
    "epoch has more than 1000",
  ],
  "a question about 60,000 executions": [
    packed(`{"type":"ask","executions":[${many(60_000, '"e"')}]}`),
    "more than 50000 values",
  ],
  "an execution with a long id": [
    plain(`{"type":"ask","executions":["${"e".repeat(2_000)}"]}`),
    "executions is no list of texts",
  ],
  "60,000 tokens": [packed(`{"type":"tokens","tokens":[${many(60_000, "{}")}]}`), "more than 50000 values"],
  "a token with more rights than a call can grant": [
    plain(
      `{"type":"tokens","tokens":[{"id":"t","name":"n","level":"system","createdAt":1,"sites":"all","hash":"${"0".repeat(64)}"}]}`,
    ),
    "level is none of",
  ],
  "an order of arguments nested 100 deep": [
    plain(`{"type":"execute","order":{"arguments":${deep(100, '{"a":', "1}").replace("1}", "1}")}}}`),
    "nested more than 72 levels deep",
  ],
  "an operation with a long name": [
    plain(`{"type":"change","isLate":false,"change":{"operation":"${"x".repeat(10_000)}"}}`),
    "operation",
  ],
  "a package without bytes": [plain('{"type":"package","digest":"d"}'), "a package comes without its bytes"],
};

const loop: EventLoop = {
  elapsed: () => performance.now(),
  nextTurn: setImmediate,
  settled: (task) => queueMicrotask(() => process.nextTick(task)),
};
const pause = async () => {};

async function readAll(
  message: Uint8Array,
  parse: typeof parseUpMessage | typeof parseDownMessage,
): Promise<unknown[]> {
  async function* frames() {
    yield* toFrames(Buffer.concat([Buffer.alloc(4), message]));
  }
  const intakes = createLinkIntakes({ shares: createShares(), budgets: createByteBudgets(), loop, pause });
  const socket = { frames: frames(), close: () => {}, send: async () => {} };
  const intake = intakes.open("g", () => {});
  return await Array.fromAsync(createLinkChannel<object, object>(socket, { parse, nonce: 1, intake }).messages);
}

describe.each([
  ["a gateway sends", parseUpMessage, { ...ABUSES, ...UP_ALONE }],
  ["a cloud sends", parseDownMessage, { ...ABUSES, ...DOWN_ALONE }],
] as const)("%s", (_, parse, abuses) => {
  test.each(Object.entries(abuses))("%s: the connection ends with the reason", async (__, [message, reason]) => {
    const failure = await readAll(message, parse).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LinkMistake);
    expect((failure as Error).message).toContain(reason);
  });
});

test("there are at least 40 abuses of each side", () => {
  for (const alone of [UP_ALONE, DOWN_ALONE])
    expect(Object.keys({ ...ABUSES, ...alone }).length).toBeGreaterThanOrEqual(40);
});

test("a large message is read in many turns, and what others do comes between them", async () => {
  const spaces = `{"type":"leave","x":[${many(40_000, `1${" ".repeat(60)}`)}]}`;
  let between = 0;
  let isOver = false;
  const others = () => {
    between++;
    if (!isOver) setImmediate(others);
  };
  // Nobody has time left, so each step waits for a turn.
  const busy: EventLoop = { ...loop, elapsed: () => (now += 6) };
  let now = 0;
  const intakes = createLinkIntakes({ shares: createShares(), budgets: createByteBudgets(), loop: busy, pause });
  async function* frames() {
    yield* toFrames(Buffer.concat([Buffer.alloc(4), packed(spaces)]));
  }
  const socket = { frames: frames(), close: () => {}, send: async () => {} };
  const intake = intakes.open("g", () => {});
  others();
  const read = await Array.fromAsync(
    createLinkChannel<object, object>(socket, { parse: parseUpMessage, nonce: 1, intake }).messages,
  );
  isOver = true;
  expect(read).toEqual([{ type: "leave" }]);
  expect(between).toBeGreaterThan(Math.floor(spaces.length / 65_536));
});

test("a connection rests after a message that took long, and others do not", async () => {
  const rests: number[] = [];
  let now = 0;
  const virtual: EventLoop = { elapsed: () => now, nextTurn: (task) => setImmediate(task), settled: loop.settled };
  const intakes = createLinkIntakes({
    shares: createShares(),
    budgets: createByteBudgets(),
    loop: virtual,
    pause: async (ms) => {
      rests.push(ms);
      now += ms;
    },
  });
  const [greedy, honest] = [intakes.open("greedy", () => {}), intakes.open("honest", () => {})];
  await greedy.run(() => (now += 30));
  await honest.run(() => (now += 1));
  expect(rests).toEqual([]);
  await greedy.run(() => {});
  expect(rests).toEqual([269]);
});

test("connections that hold many large messages make room for others: the one with the most ends", () => {
  const budgets = createByteBudgets();
  const intakes = createLinkIntakes({ shares: createShares(), budgets, loop, pause });
  const closed: string[] = [];
  const open = (key: string) => intakes.open(key, () => closed.push(key));
  const hostile = Array.from({ length: 17 }, (_, n) => open(`hostile ${n}`));
  for (const one of hostile) one.hold(4 * MIB);
  const honest = open("honest");
  honest.hold(2 * MIB);
  expect(closed.length).toBeGreaterThan(0);
  expect(closed).not.toContain("honest");
  const [use] = budgets.list();
  expect(use?.used()).toBeLessThanOrEqual(use?.limit ?? 0);
  const first = hostile.find((_, n) => closed.includes(`hostile ${n}`));
  expect(() => first?.hold(4 * MIB + 1)).toThrow("no room for so many large messages");
  for (const one of [...hostile, honest]) one.end();
  expect(use?.used()).toBe(0);
});
