import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { webSocketLink } from "./web-socket-link.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeSocket extends EventEmitter {
  readonly bufferedAmount = 0;
  readonly calls: string[] = [];
  send(_data: Uint8Array, sent: () => void): void {
    sent();
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

test("a reason is cut to what fits, between two characters, and told once", () => {
  const { link, calls } = open();
  link.close("ä".repeat(100));
  link.close("again");
  expect(calls).toEqual(["resume", `close 1001 ${"ä".repeat(60)}`]);
});
