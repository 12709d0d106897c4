// Random schedules of commands, changes, cuts, crashes, restored backups, clock jumps and broken frames, of a gateway and
// a cloud with two nodes. They are dealt out among files, because files
// run at the same time. Other ranges: BUSBAR_TEST_SEED is the first one, BUSBAR_TEST_SCHEDULES how many there are.
import { expect, test } from "vitest";
import { roundsOf } from "../../support/rounds.ts";
import { playLinkSchedule } from "./link-schedule.ts";

const FIRST = Number(process.env["BUSBAR_TEST_SEED"] ?? 1);
const ALL = Number(process.env["BUSBAR_TEST_SCHEDULES"] ?? roundsOf("schedules of a link"));
/** A long run reports how far it is, so that it can go on from there. */
const REPORT_EVERY = 10_000;

/** Plays every schedule whose place in the range, divided by `files`, leaves this rest. */
export function playSchedules(rest: number, files: number): void {
  const count = Math.ceil((ALL - rest) / files);
  test(`${count} schedules of a link break no promise`, { timeout: 120_000 + count * 500 }, async () => {
    for (let played = 0; played < count; played++) {
      const seed = FIRST + rest + played * files;
      const { violations, log } = await playLinkSchedule(seed);
      if (violations.length > 0) {
        const again = `BUSBAR_TEST_SEED=${seed} BUSBAR_TEST_SCHEDULES=1 npx vitest run --project busbar test/simulation/link/schedules`;
        expect.fail(`schedule ${seed} breaks promises\n${[...violations, ...log.slice(-20)].join("\n")}\n${again}`);
      }
      if ((played + 1) % REPORT_EVERY === 0) console.log(`${played + 1} schedules up to seed ${seed}, 0 violations`);
    }
    console.log(`${count} schedules of a link, 0 violations`);
  });
}
