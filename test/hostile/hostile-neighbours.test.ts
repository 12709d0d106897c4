// While one neighbour abuses the gateway, the others' reads, commands and points stay in their limits, memory too, and
// everything that was acknowledged is there. How it measures on a busy machine: docs/decisions/hostile-neighbours.md.
import { afterAll, beforeAll, expect, test } from "vitest";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import type { Abuse } from "./abuse.ts";
import { createAbusers } from "./abuser.ts";
import { ABUSES } from "./abuses.ts";
import { createGateways } from "./gateways.ts";
import { strictFaults, TABLE_HEAD, tableLine, tolerantFaults } from "./judge.ts";
import { type Echo, startEcho } from "./machine.ts";
import { runAbuse } from "./run-abuse.ts";

const LENGTHS = IS_LONG ? { calmMs: 1_000, abuseMs: 6_000 } : { calmMs: 150, abuseMs: 500 };
const ATTEMPTS = 3;
/** Some of every kind; the long run has all. */
const EVERY = Math.ceil(ABUSES.length / roundsOf("abuses beside a neighbour"));
const PLAYED = ABUSES.filter((_, index) => index % EVERY === 0);
const faultsOf = IS_LONG ? strictFaults : tolerantFaults;

const table: string[] = [];
const gateways = createGateways();
const abusers = createAbusers();
let echo: Echo;

beforeAll(async () => {
  echo = await startEcho();
});

afterAll(async () => {
  console.log([TABLE_HEAD, ...table].join("\n"));
  abusers.close();
  echo.close();
  await gateways.close();
});

test("there are at least 40 abuses, each with a name of its own", () => {
  expect(ABUSES.length).toBeGreaterThanOrEqual(40);
  expect(new Set(ABUSES.map(({ name }) => name)).size).toBe(ABUSES.length);
});

test.each(PLAYED)("$who: $name", async (abuse) => {
  expect(await harmOf(abuse)).toEqual([]);
});

test("a gateway that was killed after all this starts again and has all of it", async () => {
  const gateway = await gateways.get("gateway");
  await gateway.restart();
  await expect.poll(() => gateway.honest.measure(200).then(({ refused }) => refused)).toEqual([]);
  expect((await gateway.honest.verify("beginning")).missing).toEqual([]);
});

/** What was wrong at the last attempt. Each attempt after the first has a new gateway, so that it pays for itself alone. */
async function harmOf(abuse: Abuse): Promise<readonly string[]> {
  let faults: readonly string[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const gateway = await gateways.get(abuse.role);
    // Only what seems too slow is compared with a calm time.
    const calmMs = IS_LONG || attempt > 1 ? LENGTHS.calmMs : 0;
    const figures = await runAbuse({ gateway, abusers, echo, ...LENGTHS, calmMs }, abuse);
    faults = faultsOf(figures);
    table.push(tableLine(figures, faults));
    if (faults.length === 0) return [];
    await gateways.giveUp();
  }
  return faults;
}
