import { expect, test } from "vitest";
import type { Connection } from "./connections.ts";
import { createUnreadMessages } from "./unread-messages.ts";

function fakeConnection() {
  const guard = {
    unsent: 0,
    destroyed: false,
    socket: {
      destroy() {
        guard.destroyed = true;
      },
    },
  };
  return { guard } as unknown as Connection & { guard: { unsent: number; destroyed: boolean } };
}

test("beyond the limit the connection with the most is closed, and what was read counts no longer", () => {
  const unread = createUnreadMessages(100);
  const [small, large, read] = [fakeConnection(), fakeConnection(), fakeConnection()];
  const write = (to: typeof small, bytes: number) => {
    to.guard.unsent += bytes;
    unread.wrote(to);
  };
  write(small, 20);
  write(large, 40);
  write(read, 40);
  expect(unread.used()).toBe(100);
  read.guard.unsent = 0;
  expect(unread.used()).toBe(60);
  write(small, 41);
  expect([unread.used(), small.guard.destroyed, large.guard.destroyed]).toEqual([40, true, false]);
  write(read, 0);
  expect([unread.used(), read.guard.destroyed]).toEqual([40, false]);
});
