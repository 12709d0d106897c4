// The schedules find bugs: each of these, planted alone, breaks a promise within a few of them.
import { expect, test } from "vitest";
import { IS_LONG } from "../../support/rounds.ts";
import { LINK_BUGS } from "./link-bugs.ts";
import { playLinkSchedule } from "./link-schedule.ts";

/** A bug must show itself within so many schedules. */
const CAUGHT_WITHIN = 2_000;
const SEEDS = Array.from({ length: CAUGHT_WITHIN }, (_, index) => index + 1);

test.each(LINK_BUGS)("this bug is caught: $name", async (bug) => {
  // The known schedule saves a search of up to a minute. Once schedules have changed, the search finds another one.
  const known = bug.caughtBy === undefined || IS_LONG ? [] : [bug.caughtBy];
  for (const seed of [...known, ...SEEDS]) {
    const [violation] = (await playLinkSchedule(seed, bug)).violations;
    if (violation !== undefined) {
      console.log(`${bug.name}: schedule ${seed}, ${violation}`);
      return;
    }
  }
  expect.unreachable("nobody noticed");
});
