// kill -9 while sites, devices and tokens are made: what was acknowledged is there after the next start, and nothing twice.
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { expectSound, Ledger } from "./creates.ts";
import { send } from "./send.ts";
import { startVictim, type Victim } from "./victim.ts";

/** Two kinds of moments take turns, so two rounds have both. */
const ROUNDS = roundsOf("kills of creates");
const CREATES = 200;
/** About as long as the creates take. */
const LATEST_KILL_MS = 250;

test("a kill at a random moment loses no acknowledged create", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const data = tempFolder();
  const ledger = new Ledger();
  let victim = await start(data);
  for (let round = 1; round <= ROUNDS; round++) {
    // By turns after a number of answers and after a time, so that kills also hit the moment before the first answer.
    const answersLeft = round % 2 === 0 ? Math.floor(random() * CREATES) : Number.POSITIVE_INFINITY;
    const before = ledger.acknowledged;
    const timer = round % 2 === 1 ? setTimeout(() => victim.kill(), random() * LATEST_KILL_MS) : undefined;
    await ledger.create(victim, CREATES, () => {
      if (ledger.acknowledged - before > answersLeft) victim.kill();
    });
    clearTimeout(timer);
    victim.kill();
    expect(await victim.end).toBe("SIGKILL");
    const acknowledged = ledger.acknowledged - before;
    victim = await start(data);
    const { stored } = await ledger.check(victim, data);
    console.log(
      `round ${round}: ${acknowledged} of ${CREATES} acknowledged; in all ${ledger.acknowledged}, stored ${stored}`,
    );
  }
});

const POINTS = ["commit.before", "commit.inside", "commit.after"].flatMap((name) =>
  (IS_LONG ? [2, 4] : [4]).map((n) => `${name}:${n}`),
);
/** Each step once, over both commits of a first start; the long run has the rest, too. */
const FIRST_POINTS = ["commit.before:1", "commit.inside:2", "commit.after:1"];
const MORE_POINTS = ["commit.inside:1", "commit.before:2", "commit.after:2"];

test("a kill at every step of a commit loses no acknowledged create", async () => {
  const data = tempFolder();
  const ledger = new Ledger();
  for (const failpoint of POINTS) {
    const before = ledger.acknowledged;
    const victim = await startVictim(data, failpoint);
    if (victim !== undefined) {
      await ledger.create(victim, CREATES, () => {});
      // The creates shared so few commits that the failpoint may still lie ahead.
      await createUntilDead(victim, ledger);
      expect(await victim.end).toBe("SIGKILL");
    }
    const next = await start(data);
    const { stored } = await ledger.check(next, data);
    const acknowledged = ledger.acknowledged - before;
    console.log(`${failpoint}: ${acknowledged} acknowledged; stored in all ${stored}`);
    next.kill();
    await next.end;
  }
});

test("a first start that is killed at any commit is completed by the next", async () => {
  for (const failpoint of IS_LONG ? [...FIRST_POINTS, ...MORE_POINTS] : FIRST_POINTS) {
    const data = tempFolder();
    expect(await startVictim(data, failpoint), failpoint).toBeUndefined();
    const victim = await start(data);
    const { status, body } = await send(victim, { method: "GET", path: "/v3/sites" });
    expect({ failpoint, status, sites: body.total_count }).toEqual({ failpoint, status: 200, sites: 1 });
    expectSound(join(data, "records.db"));
    victim.kill();
    await victim.end;
  }
});

async function createUntilDead(victim: Victim, ledger: Ledger): Promise<void> {
  let isDead = false;
  const watch = victim.end.then(() => {
    isDead = true;
  });
  for (let i = 0; i < 10 && !isDead; i++) {
    await Promise.race([watch, ledger.create(victim, 3, () => {}).catch(() => watch)]);
  }
  expect(isDead, "the failpoint was passed").toBe(true);
}

async function start(data: string): Promise<Victim> {
  const victim = await startVictim(data);
  if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
  return victim;
}
