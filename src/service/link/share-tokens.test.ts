import { expect, test } from "vitest";
import type { TokenRecord } from "#core/access/token-record.ts";
import type { DownMessage } from "#core/link/messages.ts";
import { instant } from "#core/time/instant.ts";
import { createTokenSharing } from "./share-tokens.ts";

type Needs = Parameters<typeof createTokenSharing>[0];

/** A cloud with these tokens, whose reads can fail. Waits end when tokens change, and those after a failure at once. */
function cloud() {
  const tokens = new Set<string>();
  const waits: number[] = [];
  const warnings: string[] = [];
  const counts = { failing: 0, reads: 0 };
  const needs = {
    now: () => instant(0),
    log: { warn: (_about: object, text: string) => void warnings.push(text) },
    gateways: { sites: async () => ["s"] },
    tokens: {
      all: async () => {
        counts.reads++;
        if (counts.failing-- > 0) throw new Error("connection reset");
        return Array.from(tokens, (id) => ({ id, sites: "all", hash: new Uint8Array(), level: "user" }) as TokenRecord);
      },
    },
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push(ms);
        if (signal.aborted || ms <= 60_000) resolve();
        else signal.addEventListener("abort", () => resolve());
      }),
  } as unknown as Needs;
  const sharing = createTokenSharing(needs);
  const change = (...ids: string[]) => {
    tokens.clear();
    for (const id of ids) tokens.add(id);
    sharing.changed();
  };
  return { sharing, change, waits, warnings, counts };
}

/** A line to a gateway, which takes what is sent while it is free. */
function lineOf(gatewayId: string, free: () => Promise<void> = async () => {}) {
  const sent: string[] = [];
  const send = async (message: DownMessage) => {
    if (message.type === "tokens") sent.push(message.tokens.map(({ id }) => id).join(" "));
    await free();
  };
  return { gatewayId, send, sent };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}

test("a gateway that takes nothing delays no other, and gets the latest state when it is free", async () => {
  const { sharing, change } = cloud();
  const taken = Promise.withResolvers<void>();
  const [stuck, other] = [lineOf("stuck", () => taken.promise), lineOf("other")];
  const ends = [sharing.open(stuck), sharing.open(other)];
  await settle();
  for (const id of ["a", "b", "c"]) {
    change(id);
    await settle();
  }
  expect([stuck.sent, other.sent]).toEqual([[""], ["", "a", "b", "c"]]);
  const late = lineOf("late");
  ends.push(sharing.open(late));
  await settle();
  expect(late.sent).toEqual(["c"]);
  taken.resolve();
  await settle();
  expect(stuck.sent).toEqual(["", "c"]);
  for (const end of ends) end();
});

test("a read that fails is tried again, ever later, until the gateway knows its tokens", async () => {
  const { sharing, change, waits, warnings, counts } = cloud();
  const line = lineOf("g");
  counts.failing = 8;
  const end = sharing.open(line);
  await settle();
  expect(line.sent).toEqual([""]);
  expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  counts.failing = 1;
  change("a");
  await settle();
  expect([line.sent, warnings.length]).toEqual([["", "a"], 2]);
  end();
});

test("a change is read once for all gateways, and a connection that has ended gets nothing", async () => {
  const { sharing, change, counts } = cloud();
  const lines = ["a", "b", "c"].map((id) => lineOf(id));
  const ends = lines.map((line) => sharing.open(line));
  await settle();
  expect(counts.reads).toBe(1);
  ends[0]?.();
  change("t");
  await settle();
  expect([counts.reads, ...lines.map(({ sent }) => sent.length)]).toEqual([2, 1, 2, 2]);
  for (const end of ends) end();
});
