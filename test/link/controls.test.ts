// Controls of a gateway's devices, seen and claimed in its cloud.
import { beforeAll, expect, test } from "vitest";
import { commandsOf, connected, upload } from "../support/command-site.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
telemetry:
  current: {type: float, unit: A, display_name: Current}
command_groups: {main: {display_name: Main}}
commands:
  set_current:
    group: main
    display_name: Set current
    access_level: owner
    arguments:
      current: {type: float, unit: A, min: 0, max: 32, required: true, display_name: Current}
.busbar:
  controls:
    charging: {command: set_current, argument: current, reads: current, fallback: {value: 0}}
`;

interface Wire {
  readonly value: number | null;
  readonly follow: string;
  readonly winner: { readonly id: string; readonly source: string; readonly cause: string | null } | null;
  readonly [field: string]: unknown;
}

let blueprintId = "";
beforeAll(async () => {
  blueprintId = await upload(gateway, MANIFEST);
});

/** A device of the gateway that does what it is told, once the cloud knows it. */
async function makeCharger(name: string) {
  const id = await pair.site.device(name, { blueprint_id: blueprintId });
  const device = await connected(await pair.site.configOf(id));
  device.onCommand(async (command) => {
    await command.completed();
    await device.sendTelemetry({ current: command.arguments["current"] });
  });
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  const path = `/v3/devices/${id}/controls/charging`;
  const read = async () => (await gateway.admin.get<{ control: Wire }>(path)).body.control;
  const currents = () => device.commands.map((command) => command.arguments["current"]);
  return { id, device, path, read, currents };
}

test("a command of the cloud is a claim of its caller on the gateway", async () => {
  const { id, read, currents } = await makeCharger("by-command");
  const desk = cloud.as(await cloud.token({ name: "Desk", level: "owner" }));
  const executed = await eventually(async () => {
    const answer = await commandsOf(desk, id).execute({ name: "set_current", arguments: { current: 16 } });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.execution;
  });
  expect(executed.state).toBe("SUCCESS");
  await eventually(async () =>
    expect(await read()).toMatchObject({
      value: 16,
      follow: "followed",
      winner: {
        class: "person",
        source: expect.stringMatching(/^token:[-0-9a-f]{36}$/),
        source_name: "Desk",
        cause: `execution:${executed.id}`,
      },
    }),
  );
  expect(currents()).toEqual([16]);
});
