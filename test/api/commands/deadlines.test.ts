// What happens when the device is away, silent or late. The timeout is short here, so that it can be seen.
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const TIMEOUT_MS = 2_500;
const busbar = useServer(["--mqtt-port", "0", "--commands-response-timeout", `${TIMEOUT_MS}ms`]);

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Deadlines");
});

async function setUp(name: string) {
  const deviceId = await site.device(name);
  return { deviceId, ...commandsOf(busbar.admin, deviceId) };
}

test("without any response an execution becomes TIMEOUT, and execute answers with it", async () => {
  const { execute } = await setUp("Away");
  const { status, body } = await execute({ name: "stop" }, { query: "?expand=log" });
  expect([status, body.execution.state, body.execution.log]).toEqual([200, "TIMEOUT", []]);
  expect(body.execution).not.toHaveProperty("response");
});

test("a device that took the command and fell silent leaves TIMEOUT with its latest response", async () => {
  const { deviceId, execute } = await setUp("Silent");
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.log({ percent: 5 }));
  const { body } = await execute({ name: "stop" });
  expect(body.execution).toMatchObject({
    state: "TIMEOUT",
    response: { state: "IN_PROGRESS", payload: { percent: 5 } },
  });
});

test("every response moves the deadline, so that a command may run far longer than the timeout", async () => {
  const { deviceId, execute } = await setUp("Slow");
  const device = await site.connect(deviceId);
  const PARTS = 4;
  device.onCommand(async (command) => {
    for (let part = 0; part < PARTS; part++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, TIMEOUT_MS / 2);
      await promise;
      await command.log({ part });
    }
    await command.completed();
  });
  const began = performance.now();
  const { body } = await execute({ name: "stop" });
  expect(body.execution.state).toBe("SUCCESS");
  expect(performance.now() - began).toBeGreaterThan(1.9 * TIMEOUT_MS);
});

test("a late terminal response corrects TIMEOUT; anything else that comes late is dropped", async () => {
  for (const [answer, state] of [
    ["completed", "SUCCESS"],
    ["error", "ERROR"],
  ] as const) {
    const { deviceId, execute, get } = await setUp(`Late ${answer}`);
    const device = await site.connect(deviceId);
    const { body } = await execute({ name: "stop" });
    expect(body.execution.state).toBe("TIMEOUT");
    const { id } = body.execution;
    const command = await device.nextCommand();
    await command.log({ percent: 50 });
    await command.respond("STARTED");
    expect((await get(id, "?expand=log")).body.execution).toMatchObject({
      state: "TIMEOUT",
      log: [{ state: "STARTED" }],
    });
    await command[answer]({ message: "at last" });
    const { execution } = (await get(id, "?expand=log")).body;
    expect(execution.state).toBe(state);
    expect(execution.log).toHaveLength(2);
    const before = await dropped();
    await command.error({ message: "too late" });
    expect(await dropped()).toBe(before + 1);
    expect((await get(id)).body.execution).toMatchObject({ state, response: { payload: { message: "at last" } } });
  }
});

/** How many errors of devices came too late to count. */
async function dropped(): Promise<number> {
  const { text } = await busbar.anonymous.get("/metrics");
  return Number(/^busbar_dropped_responses_total{state="ERROR"} (\d+)$/m.exec(text)?.[1]);
}

test("a device that returns after the deadline never gets it", async () => {
  const { deviceId, execute, started } = await setUp("Too late");
  const { body } = await execute({ name: "start" });
  expect(body.execution.state).toBe("TIMEOUT");
  const device = await site.connect(deviceId);
  const id = await started({ name: "stop" });
  expect((await device.nextCommand()).id).toBe(id);
  expect(device.commands).toHaveLength(1);
});
