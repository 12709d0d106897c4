// kill -9 around the times of scheduled commands: each time runs once, whether it was due before, in or after the kill.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startVictim, type Victim } from "./victim.ts";

const MANIFEST = readFileSync(new URL("../client/project/manifest.yml", import.meta.url));
const DEVICES = 4;
/** More than bulk commands of one token run at once, so that some have to wait after a start. */
const SCHEDULES = 16;
/** Their times are within this time. */
const SPREAD_MS = 2_500;
/** A start takes less; a time that is missed by more is skipped, or made up for. */
const AHEAD_MS = 1_500;
const PATIENCE = { timeout: 120_000, interval: 200 };

test("kills around the times of schedules lose no run and repeat none", { timeout: 1_200_000 }, async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const random = randomFrom(seed);
  const data = tempFolder();
  let victim = await start(data);
  const open = () => createClient({ url: victim.url, token: victim.token });
  const { blueprint } = await open().blueprints.upload(MANIFEST);
  const devices: string[] = [];
  for (let n = 0; n < DEVICES; n++) {
    const fields = { name: `Converter ${n}`, slug: `c${n}`, blueprint_id: blueprint.id };
    devices.push((await open().provisioning.simulatedDevice(fields)).device_id);
  }
  const everyMinute = { name: "each minute", missed: "run_late", late_within: "1h", cron: "* * * * *" } as const;
  const minutely = (await open().schedules.create({ ...everyMinute, bulk: bulkOf(devices[0]) })).schedule.id;
  const bulks: string[] = [];
  for (let round = 1; round <= roundsOf("kills of schedules"); round++) {
    const from = Date.now() + AHEAD_MS;
    const ids = await Promise.all(
      Array.from({ length: SCHEDULES }, async (_, n) => {
        const at = new Date(from + random() * SPREAD_MS).toISOString();
        const input = {
          name: `round ${round} ${n}`,
          at,
          missed: "run_late",
          bulk: bulkOf(devices[n % DEVICES]),
        } as const;
        return (await open().schedules.create(input)).schedule.id;
      }),
    );
    for (let kills = 1 + Math.floor(random() * 2); kills > 0; kills--) {
      const killAt = Math.max(from, Date.now()) + random() * SPREAD_MS;
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThanOrEqual(killAt), { ...PATIENCE, interval: 5 });
      victim.kill();
      expect(await victim.end).toBe("SIGKILL");
      victim = await start(data);
    }
    for (const id of ids) bulks.push(...(await bulksOf(id)));
    expect(bulks).toHaveLength(round * SCHEDULES);
    console.log(`round ${round}: ${ids.length} times, each ran once`);
  }
  const { schedule } = await open().schedules.get(minutely);
  await open().schedules.update(minutely, { revision: schedule.revision, is_enabled: false });
  const { runs } = await open().schedules.runs(minutely, { limit: 100 });
  const due = runs.map(({ due_at }) => Date.parse(due_at) / 60_000);
  // A start that takes minutes skips times, and says how many.
  const missed = runs.map(({ outcome, reason }) =>
    outcome === "SKIPPED" ? Number.parseInt(reason ?? "", 10) || 1 : 1,
  );
  // Few kills may be over before the first full minute.
  const minutes = due.length === 0 ? 0 : Math.max(...due) - Math.min(...due) + 1;
  expect(missed.reduce((sum, one) => sum + one, 0)).toBe(minutes);
  bulks.push(...(await bulksOf(minutely)));
  await vi.waitFor(async () => {
    const { bulks: all } = await open().bulk.list({ limit: 1000 });
    expect(all.filter(({ ended_at }) => ended_at === null)).toEqual([]);
  }, PATIENCE);
  const ran: (string | null)[] = [];
  for (const id of devices) for await (const one of open().commands.list.all(id)) ran.push(one.bulk_id ?? null);
  expect(ran.sort()).toEqual(bulks.sort());

  /** Of each time that was due. All of them have run. */
  async function bulksOf(id: string): Promise<readonly string[]> {
    return await vi.waitFor(async () => {
      const { schedule: now } = await open().schedules.get(id);
      const { runs: all } = await open().schedules.runs(id, { limit: 100 });
      const outcomes = all.filter(({ outcome }) => outcome !== "SKIPPED");
      if (now.cron === null) expect({ next: now.next_at, outcomes: all.length }).toEqual({ next: null, outcomes: 1 });
      expect(outcomes.map(({ outcome, reason, bulk_id }) => bulk_id ?? { outcome, reason })).toEqual(
        outcomes.map(() => expect.any(String)),
      );
      return outcomes.map(({ bulk_id }) => bulk_id ?? "");
    }, PATIENCE);
  }
});

const bulkOf = (device: string | undefined) => ({ name: "read_mode", devices: { device_ids: [device ?? ""] } });

async function start(data: string): Promise<Victim> {
  const victim = await startVictim(data);
  if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
  return victim;
}
