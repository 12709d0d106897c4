import { expect, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { MessageInbox } from "./message-inbox.ts";

const message = (bytes: number, topic = "t") => ({ topic, payload: new Uint8Array(bytes) });
const sizes = (inbox: MessageInbox) => {
  const { messages, dropped } = inbox.take();
  return [messages.map(({ payload }) => payload.length), dropped];
};

test("the oldest messages make room, by number and by bytes, topics included", () => {
  const inbox = new MessageInbox(createByteBudget("inboxes", 1e9));
  for (let n = 1; n <= 258; n++) inbox.add(message(n));
  expect(sizes(inbox)).toEqual([Array.from({ length: 256 }, (_, n) => n + 3), 2]);
  for (let n = 1; n <= 3; n++) inbox.add(message(n, "x".repeat(400_000)));
  expect(sizes(inbox)).toEqual([[2, 3], 1]);
  expect(sizes(inbox)).toEqual([[], 0]);
});

test("all inboxes share their room, and one that finds none drops its own", () => {
  const room = createByteBudget("inboxes", 10_000);
  const [full, other] = [new MessageInbox(room), new MessageInbox(room)];
  for (let n = 0; n < 5; n++) full.add(message(3_000));
  expect(room.used()).toBeLessThanOrEqual(10_000);
  other.add(message(3_000));
  expect(sizes(other)).toEqual([[], 1]);
  expect(sizes(full)).toEqual([[3_000, 3_000, 3_000], 2]);
  expect(room.used()).toBe(0);
  other.add(message(3_000));
  expect(sizes(other)).toEqual([[3_000], 0]);
});
