// kill -9 while a simulated device works: its command ends as interrupted and is not run again, and its settings stay.
import { expect, test } from "vitest";
import { createClient } from "#client/create-client.ts";
import { manifest } from "../support/blueprints.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startVictim, type Victim } from "./victim.ts";

const clientOf = ({ url, token }: Victim) => createClient({ url, token });

test("a command that a simulated device was running when the process was killed ends as interrupted", async () => {
  const data = tempFolder();
  const start = async () => {
    const victim = await startVictim(data, undefined, ["--mqtt-port", "off"]);
    if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
    return victim;
  };
  const first = await start();
  const before = clientOf(first);
  const { blueprint } = await before.blueprints.upload(new TextEncoder().encode(manifest("Killed")));
  const { device_id: id } = await before.provisioning.simulatedDevice({ name: "Killed", blueprint_id: blueprint.id });
  const slow = { kind: "slow", delay: "10m", progress: false } as const;
  await before.devices.adjustSimulation(id, { telemetry: { power: 42 }, next_command: slow });
  const { execution_id: executionId } = await before.commands.create(id, { name: "start" });
  await expect.poll(async () => (await before.commands.get(id, executionId)).execution.state).toBe("IN_PROGRESS");
  first.kill();
  expect(await first.end).toBe("SIGKILL");

  const after = clientOf(await start());
  const { execution } = await after.commands.get(id, executionId, { expand: ["log"] });
  expect([execution.state, execution.response?.payload]).toEqual([
    "ERROR",
    { message: "interrupted by restart, outcome unknown" },
  ]);
  expect(execution.log?.map(({ state }) => state)).toEqual(["ERROR", "STARTED"]);
  const { simulation } = await after.devices.simulation(id);
  expect([simulation.telemetry, simulation.next_command]).toEqual([{ power: 42 }, null]);
});
