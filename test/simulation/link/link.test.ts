// Random schedules of commands, changes, cuts, crashes, restored backups, clock jumps and broken frames, of a gateway and
// a cloud with two nodes. BUSBAR_LONG=1 plays 200,000.
// One schedule alone: BUSBAR_TEST_SEED=17 BUSBAR_TEST_SCHEDULES=1 npx vitest run test/simulation/link
import { expect, test } from "vitest";
import { LINK_BUGS } from "./link-bugs.ts";
import { playLinkSchedule } from "./link-schedule.ts";

const SCHEDULES = Number(process.env["BUSBAR_TEST_SCHEDULES"] ?? (process.env["BUSBAR_LONG"] === "1" ? 200_000 : 150));

test(`${SCHEDULES} schedules of a link break no promise`, { timeout: 120_000 + SCHEDULES * 200 }, async () => {
  const first = Number(process.env["BUSBAR_TEST_SEED"] ?? 1);
  for (let seed = first; seed < first + SCHEDULES; seed++) {
    const { violations, log } = await playLinkSchedule(seed);
    const how = `BUSBAR_TEST_SEED=${seed} BUSBAR_TEST_SCHEDULES=1`;
    expect(violations, `${how}\n${log.slice(-20).join("\n")}`).toEqual([]);
  }
  console.log(`${SCHEDULES} schedules of a link, 0 violations`);
});

/** A bug must show itself within so many schedules. */
const CAUGHT_WITHIN = 100;

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
