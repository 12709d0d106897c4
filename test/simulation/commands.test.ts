// Thousands of random schedules of creates, connections, answers, crashes, clock jumps and trouble with the disk.
import { expect, test } from "vitest";
import { roundsOf } from "../support/rounds.ts";
import { BUGS } from "./bugs.ts";
import { playSchedule } from "./schedule.ts";

const SCHEDULES = roundsOf("schedules of commands");
/** A bug must show itself within so many schedules. */
const CAUGHT_WITHIN = 500;

test(`${SCHEDULES} schedules break no promise`, { timeout: SCHEDULES * 200 }, async () => {
  const first = Number(process.env["BUSBAR_TEST_SEED"] ?? 1);
  for (let seed = first; seed < first + SCHEDULES; seed++) {
    expect(await playSchedule(seed), `BUSBAR_TEST_SEED=${seed}`).toEqual([]);
  }
  console.log(`${SCHEDULES} schedules, 0 violations`);
});

test.each(BUGS)("this bug is caught: $name", async (bug) => {
  for (let seed = 1; seed <= CAUGHT_WITHIN; seed++) {
    const [violation] = await playSchedule(seed, bug);
    if (violation !== undefined) {
      console.log(`${bug.name}: schedule ${seed}, ${violation}`);
      return;
    }
  }
  expect.unreachable("nobody noticed");
});

test("the same seed is the same schedule", async () => {
  const [bug] = BUGS;
  for (let seed = 1; seed <= 20; seed++) expect(await playSchedule(seed, bug)).toEqual(await playSchedule(seed, bug));
});
