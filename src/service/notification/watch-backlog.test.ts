import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { type BacklogNeeds, createBacklogWatch, LONG_WAIT_MS } from "./watch-backlog.ts";

test("a kind of channel that takes nothing for long is a trouble until it does, said once and without names", async () => {
  let now = 1_000_000;
  let backlog: Awaited<ReturnType<BacklogNeeds["messages"]["backlog"]>> = [];
  const said: string[] = [];
  const look = createBacklogWatch({
    now: () => instant(now),
    messages: { backlog: async () => backlog } as unknown as BacklogNeeds["messages"],
    troubles: {
      report: ({ part, message }) => void said.push(`+ ${part}: ${message}`),
      clear: (part, message) => void said.push(`- ${part}: ${message}`),
    },
  });
  backlog = [
    { kind: "mail", count: 3, oldestAt: instant(now) },
    { kind: "push", count: 1, oldestAt: instant(now + LONG_WAIT_MS) },
  ];
  now += LONG_WAIT_MS;
  await look();
  expect(said).toEqual([]);
  now += 1;
  await look();
  await look();
  const trouble = "notifications: messages by mail wait for more than 15 minutes; the messages of the sites say why";
  expect(said).toEqual([`+ ${trouble}`]);
  backlog = [];
  await look();
  await look();
  expect(said).toEqual([`+ ${trouble}`, `- ${trouble}`]);
});
