// kill -9 while commands run: nothing acknowledged is lost, no command starts twice, every execution ends.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { makeCommandDevice } from "./command-device.ts";
import { CommandLoad } from "./command-load.ts";
import { type CountingDevice, startCountingDevice } from "./counting-device.ts";
import { send } from "./send.ts";
import { startVictim, type Victim } from "./victim.ts";

const ROUNDS = roundsOf("kills of commands");
const TIMEOUT_S = 2;
/** A promise of the service: an execution ends at the latest so long after its deadline. The long run judges it: it depends on the machine. */
const GRACE_S = IS_LONG ? 5 : 300;
const POINTS = ["commit.before", "commit.inside", "commit.after"].flatMap((name) =>
  (IS_LONG ? [5, 40] : [40]).map((n) => `${name}:${n}`),
);

test("kills at random moments and at every step of a commit, under load", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const data = tempFolder();
  const port = await freePort();
  const start = (failpoint?: string) =>
    startVictim(data, failpoint, ["--mqtt-port", `${port}`, "--commands-response-timeout", `${TIMEOUT_S}s`]);
  const startForSure = async () => (await start()) ?? fail("without a failpoint nothing kills the program");

  let victim = await startForSure();
  const { deviceId, config } = await makeCommandDevice(victim);
  const device = await startCountingDevice(config);
  onTestFinished(() => device.close());
  const load = new CommandLoad(deviceId);
  const readyMs: number[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    // The first answer takes longest, so the moment counts from there: after some answers, and a bit.
    const answers = random() * 150;
    const more = random() * 10;
    await load.run(victim, (count) => {
      if (count >= answers) setTimeout(() => victim.kill(), more);
    });
    expect(await victim.end).toBe("SIGKILL");
    const began = performance.now();
    victim = await startForSure();
    readyMs.push(performance.now() - began);
  }
  victim.kill();
  await victim.end;
  for (const point of POINTS) {
    const doomed = await start(point);
    if (doomed !== undefined) {
      await load.run(doomed);
      expect(await doomed.end).toBe("SIGKILL");
    }
  }
  victim = await startForSure();
  await load.settle(victim);
  const states = await ended(victim, deviceId);
  victim.kill();
  await victim.end;

  check(load, device, states);
  expectSound(join(data, "records.db"));
  const count = (state: string) => [...states.values()].filter((one) => one === state).length;
  const started = [...device.starts.keys()].length;
  console.log(
    `seed ${seed}: ${ROUNDS + POINTS.length} kills, ${load.acknowledged.size} executions acknowledged, ${started} started, ` +
      `${count("SUCCESS")} succeeded, ${count("TIMEOUT")} timed out; ready again after ${Math.round(Math.max(...readyMs))} ms at most`,
  );
});

function check(load: CommandLoad, device: CountingDevice, states: ReadonlyMap<string, string>): void {
  expect(load.contradictions).toEqual([]);
  const lost = [...load.acknowledged.values()].filter((id) => !states.has(id));
  expect(lost, "acknowledged and lost").toEqual([]);
  // Every create was repeated until it was acknowledged, so there is one execution for each and none more.
  expect(load.acknowledged.size).toBe(load.asked);
  expect(states.size, "executions").toBe(load.asked);
  const twice = [...device.starts].filter(([, count]) => count > 1);
  expect(twice, "started twice").toEqual([]);
  const forgotten = [...device.acknowledged].filter((id) => states.get(id) !== "SUCCESS");
  expect(forgotten, "successes that were acknowledged to the device and lost").toEqual([]);
  const invented = [...states].filter(([id, state]) => state === "SUCCESS" && !device.starts.has(id));
  expect(invented, "successes without a start").toEqual([]);
  const stuck = [...states].filter(([, state]) => !["SUCCESS", "TIMEOUT"].includes(state));
  expect(stuck, "executions that did not end").toEqual([]);
  expect(device.starts.size, "the load reached the device").toBeGreaterThan(0);
}

/** Waits for the end of everything, and gives the state of every execution. */
async function ended(victim: Victim, deviceId: string): Promise<ReadonlyMap<string, string>> {
  const base = `/v3/devices/${deviceId}/commands/executions`;
  const open = async () =>
    (await send(victim, { method: "GET", path: `${base}?state.in=NEW,IN_PROGRESS&limit=0` })).body.total_count;
  await expect.poll(open, { timeout: (TIMEOUT_S + GRACE_S) * 1_000 }).toBe(0);
  const states = new Map<string, string>();
  for (let offset = 0; ; offset += 1_000) {
    const { body } = await send(victim, { method: "GET", path: `${base}?limit=1000&offset=${offset}` });
    for (const { id, state } of body.executions ?? []) states.set(id, state);
    if (offset + 1_000 >= (body.total_count ?? 0)) return states;
  }
}

function expectSound(file: string): void {
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const counted = "SELECT group_id AS id, count(*) AS total FROM execution GROUP BY 1 ORDER BY 1";
  expect(database.prepare("SELECT id, total FROM execution_group WHERE total <> 0 ORDER BY 1").all()).toEqual(
    database.prepare(counted).all(),
  );
  database.close();
}

function fail(text: string): never {
  throw new Error(text);
}
