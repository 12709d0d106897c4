// Settings of commands, and what a call gets while it waits in real time.
import { expect } from "vitest";
import { check } from "../../support/check.ts";
import { useSite } from "../../support/use-site.ts";
import { manifestWith } from "../../support/validate.ts";

const site = useSite(["--commands-response-timeout", "100s", "--commands-wait-limit", "20s"]);
const DEVICE = manifestWith("command_groups: {g: {display_name: G}}\ncommands: {run: {group: g, display_name: Run}}");

check("commands.deadline-setting", async () => {
  const { started, state } = await site.device(DEVICE);
  const id = await started({ name: "run" });
  site.advance(60_000);
  expect(await state(id)).toBe("NEW");
  site.advance(40_000);
  await expect.poll(() => state(id)).toBe("TIMEOUT");
});

check("commands.execute-wait-setting", async () => {
  const { execute, ids } = await site.device(DEVICE);
  const waiting = execute({ name: "run" });
  await expect.poll(() => ids()).toHaveLength(1);
  site.advance(20_000);
  expect((await waiting).body.execution.state).toBe("NEW");
});

check("commands.execute-keeps-alive", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  const asked = fetch(`${site.busbar.url}${device.path}/commands/execute`, {
    method: "POST",
    headers: { "X-Service-Auth-Token": site.busbar.adminToken },
    body: JSON.stringify({ name: "run" }),
  });
  const command = await mqtt.nextCommand();
  // The headers and two pieces of white space come while the device is still at work.
  const answer = await asked;
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
  const reader = answer.body?.getReader();
  let text = "";
  const read = async () => {
    const piece = await reader?.read();
    text += Buffer.from(piece?.value ?? []).toString();
    return piece?.done !== true;
  };
  while (text.length < 2) await read();
  expect(text.trim()).toBe("");
  await command.completed({ done: true });
  while (await read());
  expect(JSON.parse(text)).toMatchObject({ execution: { state: "SUCCESS", response: { payload: { done: true } } } });
});
