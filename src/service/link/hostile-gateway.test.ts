// What a gateway that keeps to no rules does to its cloud.
import { expect, test } from "vitest";
import type { Gateway } from "#core/link/gateway.ts";
import { type DownMessage, LINK_PROTOCOL, type UpMessage } from "#core/link/messages.ts";
import { parseDownMessage, parseUpMessage } from "#core/link/parse-message.ts";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import { PLAIN_INTAKE } from "../../../test/support/plain-intake.ts";
import { createGatewaySession, type SessionNeeds } from "./gateway-session.ts";
import { createLinkChannel, type LinkChannel } from "./link-channel.ts";
import { createLinkTurns } from "./link-turns.ts";

const HELLO: UpMessage = { type: "hello", protocol: LINK_PROTOCOL, version: "1", epoch: "e" };

/** Lets a gateway with the device `own` say this, until it has, or for this time. */
async function say(
  messages: Iterable<UpMessage>,
  send: (message: DownMessage) => Promise<void> = async () => {},
  { open = [], patienceMs }: { readonly open?: readonly (readonly string[])[]; readonly patienceMs?: number } = {},
) {
  let read = 0;
  async function* reading(): AsyncIterable<UpMessage> {
    for (const message of messages) {
      read++;
      yield message;
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate);
    }
  }
  const { done } = await listen(
    { messages: reading(), send, turn: PLAIN_INTAKE.turn, close: () => {} },
    open,
    patienceMs,
  );
  return { done, read };
}

/** A cloud that has these executions open, page by page. Resolves when nothing is left to say, or after this time. */
async function listen(
  channel: LinkChannel<DownMessage, UpMessage>,
  open: readonly (readonly string[])[],
  patienceMs?: number,
) {
  const done: string[] = [];
  const ready = Promise.withResolvers<void>();
  const pages = [...open];
  const nothing = async () => {};
  const note = (what: string) => async (id: string) => {
    done.push(`${what} ${id}`);
    return true;
  };
  const needs = {
    version: "1",
    linkedLimits: { sites: 100, devices: 10_000, series: 200_000 },
    now: () => 0,
    log: { info: () => {}, warn: () => {} },
    liveBudget: createByteBudget("link_values", 1_000),
    uplinks: { epoch: async () => "c" },
    gateways: {
      find: async () => undefined,
      devices: async () => [{ id: "own", siteId: "s", type: "STANDALONE" }],
      sites: async () => ["s"],
      refusals: async () => [],
      noteTaken: nothing,
      noteGone: nothing,
    },
    executions: { ownedElsewhere: async () => (pages.shift() ?? []).map((id) => ({ id, isRemote: true })) },
    dispatcher: {
      devicesReachable: () => ready.resolve(),
      loseSight: nothing,
      returned: note("returned"),
      lost: note("lost"),
    },
    linkTurns: createLinkTurns(createShares()),
    connectivity: { connected: () => {}, loseSight: () => {} },
    reportedRules: { changed: () => {} },
    reportedControls: { changed: nothing, gatewayChanged: nothing },
    gatewayQuestions: { open: () => ({ replied: () => {}, close: () => {} }) },
    gatewayChanges: { open: () => ({ lane: { close: () => {} }, done: Promise.resolve() }) },
    tokenSharing: { open: () => () => {} },
  } as unknown as SessionNeeds;
  const session = createGatewaySession(needs, { id: "g", epoch: "e", taken: 0 } as Gateway, channel, {
    lost: new AbortController().signal,
    onWay: () => {},
    onTakeover: () => {},
  });
  const ends: Promise<unknown>[] = [session.talk()];
  if (open.length > 1) ends.push(ready.promise);
  if (patienceMs !== undefined) ends.push(new Promise((resolve) => setTimeout(resolve, patienceMs)));
  await Promise.race(ends);
  return { done };
}

test("what it says not to know counts only where it was asked", async () => {
  const answer: UpMessage = { type: "executions", changes: [], unknown: ["another's", "own"] };
  const records: UpMessage = { type: "records", to: 1, isWhole: false, isLast: true, items: [] };
  const { done } = await say([HELLO, records, answer], undefined, { open: [["own"]] });
  expect(done).toEqual(["returned own"]);
});

test("one that reads no confirmations is not read any further", async () => {
  const records: UpMessage = { type: "records", to: 1, isWhole: false, isLast: false, items: [] };
  const send = async ({ type }: DownMessage) => {
    if (type === "ack") await new Promise(() => {});
  };
  const { read } = await say([HELLO, ...Array.from({ length: 50 }, () => records)], send, { patienceMs: 500 });
  expect(read).toBeLessThan(20);
});

// It ends when the gateway is ready. The time is for a machine that is very busy, and for a line on which both wait forever.
test("both sides agree about many open executions over a line that holds little", async () => {
  const [cloud, gateway] = lineOf(64 * 1024);
  const pages = Array.from({ length: 200 }, (_, page) => Array.from({ length: 100 }, (__, n) => `${page} ${n}`));
  const records: UpMessage = { type: "records", to: 1, isWhole: false, isLast: true, items: [] };
  const answering = async () => {
    const channel = createLinkChannel<UpMessage, DownMessage>(gateway, {
      parse: parseDownMessage,
      nonce: 1,
      intake: PLAIN_INTAKE,
    });
    await channel.send(HELLO);
    for await (const message of channel.messages) {
      if (message.type === "welcome") await channel.send(records);
      if (message.type === "ask") await channel.send({ type: "executions", changes: [], unknown: message.executions });
    }
  };
  void answering();
  const channel = createLinkChannel<DownMessage, UpMessage>(cloud, {
    parse: parseUpMessage,
    nonce: 2,
    intake: PLAIN_INTAKE,
  });
  const { done } = await listen(channel, pages);
  expect(done).toHaveLength(20_000);
});

/** Two ends of a connection. A frame is sent once there is room for it. */
function lineOf(room: number): readonly [LinkSocket, LinkSocket] {
  const lanes = [0, 1].map(() => {
    const frames: Uint8Array[] = [];
    let held = 0;
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
    return {
      send: async (frame: Uint8Array) => {
        while (held + frame.length > room) await turn();
        held += frame.length;
        frames.push(frame);
      },
      async *frames() {
        for (;;) {
          const frame = frames.shift();
          if (frame === undefined) await turn();
          else {
            held -= frame.length;
            yield frame;
          }
        }
      },
    };
  });
  const end = (own: number, other: number) => {
    const [out, into] = [lanes[own], lanes[other]];
    if (out === undefined || into === undefined) throw new Error("there are two");
    return { send: out.send, frames: into.frames(), close: () => {} };
  };
  return [end(0, 1), end(1, 0)];
}
