// A service that was away and is back. What it sends to devices that return: course.test.ts.
import { beforeAll, expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { arrival, asNew, makeExecution } from "../../support/executions.ts";
import { listen } from "../../support/listen.ts";
import { makeEntry } from "../../support/records.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Return");
});

async function setUp(name: string) {
  const deviceId = await site.device(name);
  return { deviceId, ...commandsOf(busbar.admin, deviceId) };
}

test("after a restart a device gets what waited for it, and nothing that it may have got before", async () => {
  const { deviceId, started, get, state } = await setUp("Restarted");
  const device = await site.connect(deviceId);
  const running = await started({ name: "stop" });
  const command = await device.nextCommand();
  await device.close();
  const waiting = await started({ name: "start" });
  // As a crash between the commit and the sending leaves it.
  const soon = { createdAt: instant(Date.now()), deadline: instant(Date.now() + 60_000) };
  const unsure = makeExecution({ siteId: site.siteId, deviceId }, soon);
  await busbar.withRecords(async ({ executions }) => {
    await executions.insert(asNew(unsure, { attempted: true }), makeEntry());
  });
  const again = await site.connect(deviceId);
  const delivered = await again.nextCommand("start");
  expect(delivered.id).toBe(waiting);
  await delivered.completed();
  await again.publish("v1/command/responses", JSON.stringify({ id: command.id, state: "completed" }));
  expect([await state(waiting), await state(running), await state(unsure.id)]).toEqual(["SUCCESS", "SUCCESS", "NEW"]);
  expect(again.commands.map(({ id }) => id)).toEqual([waiting]);
  expect((await get(running, "?expand=log")).body.execution.log?.map((one) => one.state)).toEqual([
    "SUCCEEDED",
    "STARTED",
  ]);
});

test("a deadline that passed while the service was down is a TIMEOUT as soon as it is up", async () => {
  const { deviceId, state } = await setUp("Expired");
  const past = { createdAt: instant(Date.now() - 60_000), deadline: instant(Date.now() - 30_000) };
  const [fresh, begun] = [0, 1].map(() => makeExecution({ siteId: site.siteId, deviceId }, past));
  await busbar.withRecords(async ({ executions }) => {
    for (const one of [fresh, begun]) if (one !== undefined) await executions.insert(asNew(one), makeEntry());
    const heard = { ...arrival("STARTED"), at: arrival("STARTED", { after: -1_000 }).at };
    await executions.record(deviceId, begun?.id ?? "", heard);
  });
  const events = await listen(busbar.url, busbar.adminToken);
  for (const one of [fresh, begun]) {
    const id = one?.id ?? "";
    if ((await state(id)) !== "TIMEOUT") await events.next(({ data }) => data.execution?.id === id);
    expect(await state(id)).toBe("TIMEOUT");
  }
});

test("a deadline that lies ahead by far, because the clock was set back, is not waited for longer than the timeout", async () => {
  const { deviceId, state } = await setUp("Clock");
  const ahead = { createdAt: instant(Date.now() + 86_400_000), deadline: instant(Date.now() + 86_430_000) };
  const execution = makeExecution({ siteId: site.siteId, deviceId }, ahead);
  await busbar.withRecords(async ({ executions }) => {
    await executions.insert(asNew(execution), makeEntry());
  });
  expect(await state(execution.id)).toBe("NEW");
  const device = await site.connect(deviceId);
  expect((await device.nextCommand()).id).toBe(execution.id);
});
