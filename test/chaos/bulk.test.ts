// kill -9 in the middle of a command for many devices: the next start goes on, each device has one execution, none is left out.
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startVictim, type Victim } from "./victim.ts";

const MANIFEST = readFileSync(new URL("../client/project/manifest.yml", import.meta.url));
const DEVICES = 30;
const PATIENCE = { timeout: 60_000, interval: 50 };

test("kills in the middle of a bulk command repeat no device and forget none", { timeout: 600_000 }, async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const random = randomFrom(seed);
  const data = tempFolder();
  let victim = await start(data);
  const open = () => createClient({ url: victim.url, token: victim.token });
  const { blueprint } = await open().blueprints.upload(MANIFEST);
  const ids: string[] = [];
  for (let n = 0; n < DEVICES; n++) {
    const fields = { name: `Converter ${n}`, slug: `c${n}`, blueprint_id: blueprint.id };
    ids.push((await open().provisioning.simulatedDevice(fields)).device_id);
  }
  const input = { name: "read_mode", devices: { device_ids: ids }, rate: 20, parallel: 4 };
  const { id } = (await open().bulk.create(input)).bulk;
  for (let kill = 0; kill < roundsOf("kills of bulk commands"); kill++) {
    // So many more devices have begun, one at least: the first kill, too, is in the middle.
    const begun = 1 + Math.floor(random() * 6);
    const doneBefore = (await open().bulk.get(id)).bulk.devices.waiting;
    await vi.waitFor(async () => {
      const { devices } = (await open().bulk.get(id)).bulk;
      expect(devices.waiting === 0 || devices.waiting <= doneBefore - begun).toBe(true);
    }, PATIENCE);
    victim.kill();
    expect(await victim.end).toBe("SIGKILL");
    victim = await start(data);
  }
  await vi.waitFor(async () => expect((await open().bulk.get(id)).bulk.ended_at).not.toBeNull(), {
    ...PATIENCE,
    timeout: 300_000,
  });
  const { devices } = await open().bulk.devices(id, { limit: 100 });
  expect(devices.map(({ device_id }) => device_id)).toEqual(ids);
  for (const { device_id, execution_id, state } of devices) {
    expect(["SUCCESS", "FAILED"]).toContain(state);
    const { executions } = await open().commands.list(device_id ?? "");
    expect(executions.map((one) => [one.id, one.bulk_id])).toEqual([[execution_id, id]]);
  }
});

async function start(data: string): Promise<Victim> {
  const victim = await startVictim(data);
  if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
  return victim;
}
