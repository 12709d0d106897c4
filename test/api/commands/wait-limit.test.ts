// How long Execute Command waits at most. The limit is short, so nothing here expects an answer of the device within it.

import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--commands-wait-limit", "2s"]);

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Waiting");
  deviceId = await site.device("Runner");
});

const commands = () => commandsOf(busbar.admin, deviceId);

test("execute answers with the state as it is after at most the wait limit", async () => {
  const device = await site.connect(deviceId);
  const { status, body } = await commands().execute({ name: "stop" });
  expect([status, body.execution.state, body.execution.response?.state]).toEqual([200, "IN_PROGRESS", "STARTED"]);
  await (await device.nextCommand()).completed();
  expect(await commands().state(body.execution.id)).toBe("SUCCESS");
});

test("Prefer: wait cannot make a call wait longer than the limit", async () => {
  const { body } = await commands().execute({ name: "stop" }, { headers: { Prefer: "wait=999999" } });
  expect(body.execution.state).toBe("NEW");
});
