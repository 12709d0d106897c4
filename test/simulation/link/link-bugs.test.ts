// The schedules find bugs: each of these, planted alone, breaks a promise within a few of them.
import { expect, test } from "vitest";
import { LINK_BUGS } from "./link-bugs.ts";
import { playLinkSchedule } from "./link-schedule.ts";

/** A bug must show itself within so many schedules. */
const CAUGHT_WITHIN = 1_000;

test.each(LINK_BUGS)("this bug is caught: $name", { timeout: 300_000 }, async (bug) => {
  for (let seed = 1; seed <= CAUGHT_WITHIN; seed++) {
    const [violation] = (await playLinkSchedule(seed, bug)).violations;
    if (violation !== undefined) {
      console.log(`${bug.name}: schedule ${seed}, ${violation}`);
      return;
    }
  }
  expect.unreachable("nobody noticed");
});
