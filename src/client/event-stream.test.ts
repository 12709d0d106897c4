import { expect, test } from "vitest";
import { createEventStream } from "./event-stream.ts";

/** Messages as `event=data`, from pieces as they arrive. */
function read(...pieces: readonly string[]): string {
  const stream = createEventStream();
  const encoder = new TextEncoder();
  const messages = pieces.flatMap((piece) => stream.push(encoder.encode(piece)));
  return messages.map(({ event, data }) => `${event}=${data}`).join(" | ");
}

test.each([
  ["data: a\n\n", "message=a"],
  ["event: log\ndata: a\n\n", "log=a"],
  ["data:a\n\n", "message=a"],
  ["data:  a\n\n", "message= a"],
  ["data: a\ndata: b\n\n", "message=a\nb"],
  ["data\n\n", "message="],
  ["data: a:b\n\n", "message=a:b"],
  [": still here\n\n", ""],
  ["event: log\n\ndata: a\n\n", "message=a"],
  ["data: a\r\n\r\ndata: b\r\n\r\n", "message=a | message=b"],
  ["data: a\r\rdata: b\r\r", "message=a | message=b"],
  ["data: never ended\n", ""],
  ["other: x\ndata: a\n\n", "message=a"],
  ["\ufeffdata: a\n\n", "message=a"],
])("%j is %s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test("a stream reads the same however it is cut", () => {
  const text = "id: 1\r\nevent: log\r\ndata: Zürich 电池 🔋\r\n\r\ndata: b\r\ndata: c\r\n\r\n";
  const bytes = new TextEncoder().encode(text);
  const whole = createEventStream().push(bytes);
  expect(whole).toHaveLength(2);
  for (let size = 1; size <= bytes.length; size += 1) {
    const stream = createEventStream();
    const found = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...stream.push(bytes.subarray(at, at + size)));
    expect(found, `pieces of ${size}`).toEqual(whole);
    expect(stream.lastId).toBe("1");
  }
});

test("the last id and the time to wait are kept, those that make no sense are not", () => {
  const stream = createEventStream();
  const push = (text: string) => stream.push(new TextEncoder().encode(text));
  push("retry: 2000\n\nid: run:7\ndata: x\n\n");
  expect([stream.lastId, stream.retry]).toEqual(["run:7", 2000]);
  push("retry: soon\nid: a\0b\n\ndata: y\n\n");
  expect([stream.lastId, stream.retry]).toEqual(["run:7", 2000]);
});
