// Bulk commands under random kills, in virtual time: no device acts twice, none is forgotten, limits hold, and a stop after
// failures is honest.
import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import type { BulkCommand, BulkMember } from "#core/bulk/bulk-command.ts";
import type { Execution, ExecutionState } from "#core/command/execution.ts";
import { instant } from "#core/time/instant.ts";
import { createMemoryBulks } from "../../../test/support/memory-bulks.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import { type BulkRunnerNeeds, createBulkRunner } from "./bulk-runner.ts";

class Killed extends Error {}

const START = 1_800_000_000_000;
const SECRET = new TextEncoder().encode(JSON.stringify({ name: "start", arguments: {} }));

interface World {
  readonly bulk: BulkCommand;
  readonly total: number;
  /** How often each device was told to act. */
  readonly acted: Map<string, number>;
  readonly executions: Map<
    string,
    { readonly deviceId: string; readonly endsAt: number; readonly end: ExecutionState }
  >;
  readonly refused: Set<string>;
  kills: number;
  cancelAt: number;
  revokeAt: number;
}

async function runWorld(seed: number) {
  const next = randomFrom(seed);
  const random = { below: (limit: number) => Math.floor(next() * limit) };
  const bulks = createMemoryBulks();
  let now = START;
  let ids = 0;
  const total = 1 + random.below(25);
  const world: World = {
    total,
    bulk: {
      id: "bulk",
      name: "start",
      shown: {},
      rate: 1 + random.below(20),
      parallel: 1 + random.below(6),
      stopAfter: random.below(2) === 0 ? undefined : 1 + random.below(4),
      state: "RUNNING",
      reason: undefined,
      createdBy: { tokenId: "token", tokenName: "token" },
      createdAt: instant(START),
      endedAt: undefined,
      scheduleId: undefined,
    },
    acted: new Map(),
    executions: new Map(),
    refused: new Set(),
    kills: random.below(12),
    cancelAt: random.below(3) === 0 ? START + random.below(10_000) : Number.POSITIVE_INFINITY,
    revokeAt: random.below(5) === 0 ? START + random.below(10_000) : Number.POSITIVE_INFINITY,
  };
  const members = Array.from({ length: total }, (_, place): BulkMember => {
    const deviceId = `d${place}`;
    const rest = { executionId: undefined, begunAt: undefined, code: undefined, message: undefined };
    return { place, device: deviceId, deviceId, siteId: "s", state: "WAITING", ...rest };
  });
  await bulks.insert({ bulk: world.bulk, members, sealed: SECRET, idempotency: undefined }, undefined as never);

  /** Any step may be the last: before it is done, or after it is and before anybody knows. */
  const risky = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    if (world.kills > 0 && random.below(12) === 0) {
      world.kills--;
      if (random.below(2) === 0) await step();
      throw new Killed();
    }
    return await step();
  };
  const needs: BulkRunnerNeeds = {
    bulks: {
      ...bulks,
      putMembers: (...given) => risky(() => bulks.putMembers(...given)),
      turn: (...given) => risky(() => bulks.turn(...given)),
      end: (...given) => risky(() => bulks.end(...given)),
    },
    seal: { seal: () => SECRET, open: (bytes) => new TextDecoder().decode(bytes), fingerprint: () => SECRET },
    now: () => instant(now),
    newId: () => `e${ids++}`,
    executions: {
      async find(deviceId, id) {
        const one = world.executions.get(id);
        if (one === undefined || one.deviceId !== deviceId) return undefined;
        return { id, deviceId, state: now >= one.endsAt ? one.end : "IN_PROGRESS" } as Execution;
      },
    },
    execute: (_, { device, id = "" }) =>
      risky(async () => {
        if (random.below(10) === 0 && !world.acted.has(device)) {
          world.refused.add(device);
          throw refuse("forbidden", "no");
        }
        if (random.below(10) === 0) throw refuse("queue_full", "later");
        if (world.executions.has(id)) throw new Error("the id is taken");
        const end = (["SUCCESS", "SUCCESS", "ERROR", "TIMEOUT"] as const)[random.below(4)] ?? "SUCCESS";
        world.executions.set(id, { deviceId: device, endsAt: now + random.below(4_000), end });
        world.acted.set(device, (world.acted.get(device) ?? 0) + 1);
        const running = [...world.executions.values()].filter(({ endsAt }) => endsAt > now);
        expect(running.length).toBeLessThanOrEqual(world.bulk.parallel);
      }),
    cancel: async () => {
      throw refuse("not_cancellable", "it has begun");
    },
    authenticator: {
      holder() {
        if (now >= world.revokeAt) throw refuse("unauthorized", "the access token was revoked");
        return { token: {} as never, caller: { tokenId: "token", tokenName: "token", level: "user", sites: "all" } };
      },
    },
    prepareEvent: (happening) => ({ ...happening, readLevel: "user", at: instant(now), data: "{}" }),
    pause: async (ms) => {
      now += Math.max(1, ms);
      if (now >= world.cancelAt) await bulks.turn("bulk", { to: "CANCELLED", reason: undefined }, undefined);
    },
    log: {
      warn(about) {
        // A kill is the end of the program, not a failure that it survives.
        if ("err" in about && about.err instanceof Killed) throw about.err;
      },
    },
  };
  for (;;) {
    try {
      await createBulkRunner(needs).run(new AbortController().signal);
      break;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      now += random.below(5_000);
    }
  }
  return {
    world,
    bulk: await bulks.find("bulk"),
    members: (await bulks.members("bulk", {}, { limit: 99, offset: 0 })).items,
  };
}

async function check(seed: number): Promise<void> {
  const { world, bulk, members } = await runWorld(seed);
  expect(bulk?.endedAt).toBeDefined();
  expect([...world.acted.values()].filter((times) => times > 1)).toEqual([]);
  expect(members.filter(({ state }) => state === "WAITING" || state === "RUNNING")).toEqual([]);
  for (const { state, deviceId = "", executionId = "" } of members) {
    const execution = world.executions.get(executionId);
    if (state === "SUCCESS") expect(execution?.end).toBe("SUCCESS");
    if (state === "FAILED") expect(["ERROR", "TIMEOUT"]).toContain(execution?.end);
    // What acted is never called skipped or refused.
    expect(world.acted.has(deviceId)).toBe(state === "SUCCESS" || state === "FAILED");
  }
  const failures = members.filter(({ state }) => state === "FAILED" || state === "REFUSED").length;
  const skipped = members.some(({ state }) => state === "SKIPPED");
  if (bulk?.state === "DONE") expect(skipped).toBe(false);
  if (bulk?.reason?.includes("have failed") === true) {
    expect(failures).toBeGreaterThanOrEqual(world.bulk.stopAfter ?? Number.POSITIVE_INFINITY);
  }
  const { stopAfter, parallel } = world.bulk;
  if (stopAfter !== undefined && world.revokeAt > START + 1e9) expect(failures).toBeLessThan(stopAfter + parallel);
}

test("kills at any step: no device acts twice, none is forgotten, and a stop is honest", async () => {
  for (let seed = 0; seed < roundsOf("kills of bulk commands, simulated"); seed++) {
    await check(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
});
