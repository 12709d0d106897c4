import { expect, onTestFinished, test } from "vitest";
import { GIVE_UP_MESSAGE_MS, type SendOutcome, type SendResult } from "#core/notification/after-send.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { createBackground } from "#service/background.ts";
import type { Message } from "#service/ports/message-store.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { NOON } from "../../../test/support/records.ts";
import { createMessageDispatcher, type MessageDispatcherNeeds } from "./message-dispatcher.ts";

const TAKEN: SendOutcome = { outcome: "taken" };
const REFUSED: SendOutcome = { outcome: "refused", error: "no", isFinal: false };
const UNKNOWN: SendOutcome = { outcome: "unknown", error: "?" };

function makeWorld(kind: "webhook" | "ntfy" = "ntfy") {
  const clock = createFakeClock(NOON);
  const queue: Message[] = [];
  /** Second and message of each attempt. */
  const sent: string[] = [];
  const faults: string[] = [];
  const world = { answer: (_id: string): SendOutcome | Promise<SendOutcome> => TAKEN };
  const change = (id: string, fields: Partial<Message>) => {
    const at = queue.findIndex((one) => one.id === id);
    const before = queue[at];
    if (before !== undefined) queue[at] = { ...before, ...fields };
  };
  const messages = {
    heads: async (busy: Iterable<string>) => {
      const taken = new Set(busy);
      const open = queue.filter(({ finishedAt, channelId }) => finishedAt === undefined && !taken.has(channelId));
      return open.filter((one, n) => open.findIndex(({ channelId }) => channelId === one.channelId) === n);
    },
    find: async (id: string) => queue.find((one) => one.id === id),
    beginAttempt: async (id: string) => {
      const found = queue.find((one) => one.id === id);
      if (found?.state !== "WAITING") return false;
      change(id, { state: "SENDING", attempts: found.attempts + 1 });
      return true;
    },
    settle: async (id: string, _attempt: object, result: SendResult) => change(id, result),
  };
  const target = kind === "ntfy" ? { kind, server: "https://n", topic: "t" } : { kind, url: "https://w" };
  const needs = {
    ...{ now: clock.now, after: clock.after, messages, shares: createShares(), nodes: oneNode() },
    channels: { find: async (_site: string, id: string) => ({ id, target, sealedSecret: undefined }) },
    messageSender: {
      send: async ({ id }: { id: string }) => {
        sent.push(`${(clock.now() - NOON) / 1_000} ${id}`);
        return await world.answer(id);
      },
    },
    // Every pause is half of the longest.
    randomBytes: () => new Uint8Array([0]),
    background: createBackground((_name, error) => void faults.push((error as Error).message)),
  } as unknown as MessageDispatcherNeeds;
  const dispatcher = createMessageDispatcher(needs);
  const add = (id: string, fields: Partial<Message> = {}) =>
    queue.push({
      ...{ id, siteId: "s", channelId: id[0] ?? "", state: "WAITING", attempts: 0, history: [], queuedAt: NOON },
      ...{ nextAttemptAt: NOON, giveUpAt: instant(NOON + GIVE_UP_MESSAGE_MS), error: undefined, finishedAt: undefined },
      content: { kind: "raised", site: "S", timezone: "UTC", count: 0, items: [] },
      ...fields,
    });
  const states = () => queue.map(({ id, state }) => `${id} ${state}`);
  onTestFinished(() => expect(faults.filter((fault) => fault !== "bug")).toEqual([]));
  return { clock, dispatcher, world, sent, add, states, faults };
}

test("a channel gets its messages in order, and one that fails holds back its own later ones only", async () => {
  const { clock, dispatcher, world, sent, add, states } = makeWorld();
  for (const id of ["a1", "a2", "b1", "a3"]) add(id);
  world.answer = (id) => (id === "a1" && sent.filter((one) => one.endsWith("a1")).length < 3 ? REFUSED : TAKEN);
  dispatcher.wake();
  await clock.advance(20_000);
  expect(sent.filter((one) => !one.endsWith("b1"))).toEqual(["0 a1", "5 a1", "15 a1", "15 a2", "15 a3"]);
  expect(sent).toContain("0 b1");
  expect(states().every((one) => one.endsWith("SENT"))).toBe(true);
});

test("a message that was found marked is not sent again, and what follows it is", async () => {
  const { clock, dispatcher, sent, add, states } = makeWorld();
  add("a1", { state: "SENDING", attempts: 1, nextAttemptAt: undefined });
  add("a2");
  dispatcher.wake();
  await clock.advance(1_000);
  expect([sent, states()]).toEqual([["0 a2"], ["a1 UNKNOWN", "a2 SENT"]]);
});

test("of a webhook it is sent again, because the receiver knows its id", async () => {
  const { clock, dispatcher, sent, add, states } = makeWorld("webhook");
  add("a1", { state: "SENDING", attempts: 1, nextAttemptAt: undefined });
  dispatcher.wake();
  await clock.advance(10_000);
  expect([sent, states()]).toEqual([["5 a1"], ["a1 SENT"]]);
});

test("what nobody knows is not sent again", async () => {
  const { clock, dispatcher, world, sent, add, states } = makeWorld();
  world.answer = () => UNKNOWN;
  add("a1");
  dispatcher.wake();
  await clock.advance(GIVE_UP_MESSAGE_MS);
  expect([sent, states()]).toEqual([["0 a1"], ["a1 UNKNOWN"]]);
});

test("it is given up after a day, and a slow receiver holds up no other", async () => {
  const { clock, dispatcher, world, sent, add, states } = makeWorld();
  const slow = Promise.withResolvers<SendOutcome>();
  world.answer = (id) => (id === "a1" ? REFUSED : id === "b1" ? slow.promise : TAKEN);
  for (const id of ["a1", "b1", "c1"]) add(id);
  dispatcher.wake();
  await clock.advance(1_000);
  expect(states()).toEqual(["a1 WAITING", "b1 SENDING", "c1 SENT"]);
  await clock.advance(GIVE_UP_MESSAGE_MS);
  expect(states()[0]).toBe("a1 FAILED");
  expect(sent.filter((one) => one.endsWith("a1")).length).toBeGreaterThan(20);
  slow.resolve(TAKEN);
  await clock.advance(0);
  expect(states()[1]).toBe("b1 SENT");
});

test("a fault before anything leaves is no reason to think that the message may have arrived", async () => {
  const { clock, dispatcher, world, sent, add, states, faults } = makeWorld();
  world.answer = () => {
    if (sent.length === 1) throw new Error("bug");
    return TAKEN;
  };
  add("a1");
  dispatcher.wake();
  await clock.advance(0);
  expect([states(), faults]).toEqual([["a1 WAITING"], ["bug"]]);
  await clock.advance(20_000);
  expect([sent, states()]).toEqual([["0 a1", "5 a1"], ["a1 SENT"]]);
});

test("a stop lets what is under way end, and begins nothing", async () => {
  const { clock, dispatcher, world, add, states } = makeWorld();
  const slow = Promise.withResolvers<SendOutcome>();
  world.answer = () => slow.promise;
  add("a1");
  add("a2");
  dispatcher.wake();
  await clock.advance(0);
  dispatcher.stop();
  slow.resolve(TAKEN);
  await clock.advance(10_000);
  expect(states()).toEqual(["a1 SENT", "a2 WAITING"]);
});
