import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { webSocketLink } from "./web-socket-link.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

class FakeSocket extends EventEmitter {
  bufferedAmount = 0;
  readonly calls: string[] = [];
  /** Frames that the system has not taken, if it does not take them at once. */
  readonly untaken: ((error?: Error) => void)[] = [];
  takesAll = true;
  send(_data: Uint8Array, sent: () => void): void {
    if (this.takesAll) sent();
    else this.untaken.push(sent);
  }
  ping = () => void this.calls.push("ping");
  pause = () => void this.calls.push("pause");
  resume = () => void this.calls.push("resume");
  close = (code: number, reason: string) => void this.calls.push(`close ${code} ${reason}`);
  terminate = () => void this.calls.push("terminate");
}

function open() {
  const socket = new FakeSocket();
  const link = webSocketLink(socket);
  const receive = (count: number) => {
    for (let i = 0; i < count; i++) socket.emit("message", Buffer.of(i), true);
  };
  return { socket, link, receive, frames: link.frames[Symbol.asyncIterator](), calls: socket.calls };
}

test("why the other side has closed the connection is known, unless this side has closed it", () => {
  const first = open();
  first.socket.emit("close", 1001, Buffer.from("the cloud stops"));
  expect(first.link.reason?.()).toBe("the cloud stops");
  const cut = open();
  cut.socket.emit("close", 1006, Buffer.of());
  expect(cut.link.reason?.()).toBeUndefined();
  const own = open();
  own.link.close("the gateway stops");
  own.socket.emit("close", 1001, Buffer.from("the gateway stops"));
  expect(own.link.reason?.()).toBeUndefined();
});

test("a connection whose frames are not taken is read no further, until some are", async () => {
  const { receive, calls, frames } = open();
  receive(3);
  expect(calls).toEqual([]);
  receive(1);
  expect(calls).toEqual(["pause"]);
  expect((await frames.next()).value).toEqual(Buffer.of(0));
  expect(calls).toEqual(["pause", "resume"]);
});

test("text ends the connection, and so does silence for a minute; paused reading is no silence", () => {
  const text = open();
  text.socket.emit("message", "hello", false);
  expect(text.calls).toEqual(["terminate"]);
  const silent = open();
  vi.advanceTimersByTime(45_000);
  silent.socket.emit("pong");
  vi.advanceTimersByTime(45_000);
  expect(silent.calls).not.toContain("terminate");
  vi.advanceTimersByTime(15_000);
  expect(silent.calls).toContain("terminate");
  const paused = open();
  paused.receive(4);
  vi.advanceTimersByTime(600_000);
  expect(paused.calls).not.toContain("terminate");
});

test("after the end there are no more frames, and nothing can be sent", async () => {
  const { socket, link, frames, receive } = open();
  receive(1);
  socket.emit("close", 1000, Buffer.of());
  expect((await frames.next()).done).toBe(false);
  expect((await frames.next()).done).toBe(true);
  await expect(link.send(Buffer.of(1))).rejects.toThrow("has ended");
});

test("a reason is cut to what fits, between two characters, and sent once", () => {
  const { link, calls } = open();
  link.close("ä".repeat(100));
  link.close("again");
  expect(calls).toEqual(["resume", `close 1001 ${"ä".repeat(60)}`]);
});

const NOT_TAKEN = "has taken nothing of what waits for it for a minute";

test("a side that takes nothing of what waits for it is given up after a minute, also while it is not read", async () => {
  const { socket, link, receive, calls, frames } = open();
  receive(4);
  socket.takesAll = false;
  const sent = link.send(Buffer.of(1));
  // Signs of life say nothing about what waits.
  for (let seconds = 0; seconds < 45; seconds += 15) {
    vi.advanceTimersByTime(15_000);
    socket.emit("pong");
  }
  expect(calls).not.toContain("terminate");
  vi.advanceTimersByTime(15_000);
  expect(calls).toContain("terminate");
  socket.emit("close", 1006, Buffer.of());
  socket.untaken[0]?.(new Error("write ECANCELED"));
  await expect(sent).rejects.toThrow(NOT_TAKEN);
  await expect(link.send(Buffer.of(1))).rejects.toThrow(NOT_TAKEN);
  for (let read = 0; read < 4; read++) await frames.next();
  await expect(frames.next()).rejects.toThrow(NOT_TAKEN);
});

test("over a very slow line a frame that is taken from time to time is a sign of life", async () => {
  const { socket, link, calls } = open();
  socket.takesAll = false;
  const frame = () => link.send(Buffer.of(1));
  const sent = [frame()];
  for (let round = 0; round < 20; round++) {
    vi.advanceTimersByTime(40_000);
    sent.push(frame());
    socket.untaken.shift()?.();
  }
  expect(calls).not.toContain("terminate");
  socket.takesAll = true;
  socket.untaken.shift()?.();
  await Promise.all(sent);
  // From here on nothing waits, and silence counts.
  vi.advanceTimersByTime(75_000);
  expect(calls).toContain("terminate");
});

test("a side that asks for answers and does not read them is given up before they fill the memory", () => {
  const { socket, calls } = open();
  socket.emit("ping");
  expect(calls).not.toContain("terminate");
  socket.bufferedAmount = 2 * 1024 * 1024;
  socket.emit("ping");
  expect(calls).toContain("terminate");
});

test("a real connection whose other side does not read ends, though this side has stopped to read, too", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const accepted = new Promise<WebSocket>((resolve) => server.once("connection", resolve));
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const raw = connect(port, "127.0.0.1");
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { createConnection: () => raw });
  client.on("error", () => {});
  const link = webSocketLink(await accepted);
  await once(client, "open");
  for (let count = 0; count < 10; count++) client.send(Buffer.of(count));
  raw.pause();
  const sending = (async () => {
    for (;;) await link.send(Buffer.alloc(32 * 1024));
  })();
  const failed = expect(sending).rejects.toThrow(NOT_TAKEN);
  // Until the buffers of the system are full.
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (let beats = 0; beats < 8; beats++) {
    vi.advanceTimersByTime(15_000);
    for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
  }
  await failed;
  client.terminate();
  await new Promise((resolve) => server.close(resolve));
});
