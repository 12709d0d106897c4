import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { FrameGuard } from "./frame-guard.ts";

const PIECE = 65_536;

/** A long PUBLISH, and the bytes of its header. */
function publishOf(length: number): Buffer {
  const header = Buffer.from([0x30, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14]);
  return Buffer.concat([header, Buffer.alloc(length)]);
}

test.each([0, 1, 2, 3, 4])("a long message arrives also where read %d finds no time left in the turn", async (busy) => {
  const later: (() => void)[] = [];
  let reads = 0;
  const turns = {
    hasTime: () => reads++ !== busy + 1,
    later: (_key: string, task: () => void) => later.push(task) > 0,
  };
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const socket = Object.assign(stream, { destroySoon: () => stream.destroy() });
  const guard = new FrameGuard(socket as unknown as Socket, { maxPayload: 1e6, onPacket: () => {}, turns });
  let received = 0;
  // One read each time it may read, as the broker does.
  guard.on("readable", () => {
    received += guard.read(undefined)?.length ?? 0;
  });
  const connect = Buffer.from([0x10, 0]);
  socket.write(connect);
  await turn();
  guard.open("d1", { take: () => 0 });
  const message = publishOf(4 * PIECE);
  for (let at = 0; at < message.length; at += PIECE) {
    socket.write(message.subarray(at, at + PIECE));
    await turn();
    // What was put off comes when the next piece is there already.
    if (later.length > 0) {
      socket.write(message.subarray(at + PIECE, at + 2 * PIECE));
      at += PIECE;
      for (const task of later.splice(0)) task();
    }
    await turn();
  }
  await turn();
  expect(received).toBe(connect.length + message.length);
  guard.destroy();
});

/** A guard of a device that has signed in; `paid` are the tokens that it took. */
async function openGuard(maxPayload: number) {
  const turns = { hasTime: () => true, later: () => true };
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const socket = Object.assign(stream, { destroySoon: () => stream.destroy() });
  const guard = new FrameGuard(socket as unknown as Socket, { maxPayload, onPacket: () => {}, turns });
  const paid: number[] = [];
  guard.on("readable", () => guard.read(undefined));
  socket.write(Buffer.from([0x10, 0]));
  await turn();
  guard.open("d1", { take: (tokens) => paid.push(tokens) && 0 });
  return { socket, guard, paid };
}

test("a header that announces 256 MB costs what is read, and the rest when it arrives", async () => {
  const { socket, guard, paid } = await openGuard(8_192);
  socket.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
  await turn();
  expect(paid).toEqual([3]);
  // Of these 9,216 bytes are within the cap.
  socket.write(Buffer.alloc(9_216 + 40_960));
  await turn();
  expect(paid).toEqual([3, 10]);
  guard.destroy();
});

test.each([
  ["a short message", 0x30, 100, 1],
  ["a message of one byte less than a piece", 0x30, 4_091, 1],
  ["a message of one piece", 0x30, 4_092, 2],
  ["a long message", 0x30, 40_960, 11],
  ["a short SUBSCRIBE", 0x82, 50, 1],
  ["a long SUBSCRIBE", 0x82, 40_960, 641],
  ["a long UNSUBSCRIBE", 0xa2, 40_960, 641],
])(
  "%s costs a token, and one more for each 4,096 bytes with its header, or for each 64 of a list of topics",
  async (_, type, length, tokens) => {
    const { socket, guard, paid } = await openGuard(1e6);
    // The length always takes three bytes here, so that a header has four.
    socket.write(Buffer.from([type, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14]));
    socket.write(Buffer.alloc(length));
    await turn();
    expect(paid).toEqual([tokens]);
    guard.destroy();
  },
);

test("a message that has to wait for its tokens does not pass before", async () => {
  const turns = { hasTime: () => true, later: () => true };
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const socket = Object.assign(stream, { destroySoon: () => stream.destroy() });
  const guard = new FrameGuard(socket as unknown as Socket, { maxPayload: 1e6, onPacket: () => {}, turns });
  let received = 0;
  guard.on("readable", () => {
    received += guard.read(undefined)?.length ?? 0;
  });
  socket.write(Buffer.from([0x10, 0]));
  await turn();
  const waits = [0, 200];
  guard.open("d1", { take: () => waits.shift() ?? 0 });
  socket.write(Buffer.from([0x30, 1, 0, 0x30, 1, 0]));
  await turn();
  expect(received).toBe(5);
  await expect.poll(() => received).toBe(8);
  guard.destroy();
});

test.each([
  ["PUBACKs as they should be", [0x40, 2, 0, 7], 0],
  ["PUBACKs with another bit", [0x41, 2, 0, 7], 4],
  ["PUBACKs that are longer", [0x40, 3, 0, 7, 0], 5],
  ["PUBACKs with a length in two bytes", [0x40, 0x82, 0, 0, 7], 5],
])("%s cost a token each, and the broker reads of each the bytes that it has to judge", async (_, bytes, read) => {
  const { guard, socket, paid, passed } = await openPlainGuard();
  socket.write(Buffer.concat(Array.from({ length: 50 }, () => Buffer.from(bytes))));
  await turn();
  expect(paid).toEqual(Array.from({ length: 50 }, () => 1));
  expect(passed()).toBe(50 * read);
  guard.destroy();
});

/** Such a guard whose own messages go past the broker; `passed` are the bytes that the broker has read since. */
async function openPlainGuard() {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const socket = Object.assign(stream, { destroySoon: () => stream.destroy() });
  const turns = { hasTime: () => true, later: () => true };
  const guard = new FrameGuard(socket as unknown as Socket, { maxPayload: 8_192, onPacket: () => {}, turns });
  let bytes = 0;
  guard.on("readable", () => {
    bytes += guard.read(undefined)?.length ?? 0;
  });
  socket.write(Buffer.from([0x10, 0]));
  await turn();
  const [connect, paid] = [bytes, [] as number[]];
  const bucket = { take: (tokens: number) => paid.push(tokens) && 0 };
  guard.open("d1", bucket, { topics: [Buffer.from("own")], take: () => {} });
  return { guard, socket, paid, passed: () => bytes - connect };
}
