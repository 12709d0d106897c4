import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { createTroubles } from "#service/troubles.ts";
import { joinUntilDone } from "./join-until-done.ts";

/** Each call of `join` ends as the next of the outcomes says; the last one counts from then on. */
function setUp(...outcomes: readonly (Error | undefined)[]) {
  const reported: string[] = [];
  const waits: number[] = [];
  const end = new AbortController();
  const troubles = createTroubles(({ message }) => reported.push(message));
  let calls = 0;
  const needs = {
    join: async () => {
      const outcome = outcomes[Math.min(calls++, outcomes.length - 1)];
      if (outcome !== undefined) throw outcome;
    },
    troubles,
    pause: async (ms: number) => {
      waits.push(ms);
      if (waits.length === 9) end.abort();
    },
    random: () => 1,
  };
  return { needs, end, reported, waits, troubles, calls: () => calls };
}

const AWAY = refuse("cloud_unreachable", "the cloud cannot be reached");

test("a gateway that starts before its cloud joins once the cloud is there", async () => {
  const { needs, end, reported, waits, troubles, calls } = setUp(AWAY, AWAY, undefined);
  await joinUntilDone(needs, end.signal);
  expect([calls(), waits, reported]).toEqual([3, [1_000, 2_000], ["the cloud of the settings could not be joined"]]);
  expect(troubles.list()).toEqual([]);
});

test("it tries once a minute at last, and ends when the gateway stops", async () => {
  const { needs, end, waits, troubles } = setUp(AWAY);
  await joinUntilDone(needs, end.signal);
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(troubles.list()).toHaveLength(1);
});

test("what only a person can change is reported, and not tried again", async () => {
  const { needs, end, waits, troubles } = setUp(refuse("conflict", "leave that one first"));
  await joinUntilDone(needs, end.signal);
  expect([waits, troubles.list()]).toMatchObject([[], [{ part: "joining" }]]);
});
