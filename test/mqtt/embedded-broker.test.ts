import { connectAsync } from "mqtt";
import { afterEach, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { connectFakeDevice } from "../support/fake-device.ts";

let broker: TestBroker | undefined;
afterEach(async () => {
  await broker?.stop();
  broker = undefined;
});

test("a device signs in, gets a command and answers", async () => {
  broker = await startTestBroker();
  expect(broker.channel.isReady("d1")).toBe(false);
  const device = await connectFakeDevice(broker.configFor("d1"));
  await broker.inbox.seen("reachable d1");
  expect(broker.channel.isReady("d1")).toBe(true);
  await broker.channel.send("d1", { id: "e1", name: "start", arguments: { power: 5 } });
  const command = await device.nextCommand();
  expect(command).toMatchObject({ id: "e1", name: "start", arguments: { power: 5 } });
  await command.log({ percent: 50 });
  await command.completed({ ok: true });
  expect(broker.inbox.calls.filter((call) => call.startsWith("response"))).toEqual([
    'response d1 {"executionId":"e1","state":"IN_PROGRESS","payload":{"percent":50},"repeated":false}',
    'response d1 {"executionId":"e1","state":"SUCCEEDED","payload":{"ok":true},"repeated":false}',
  ]);
  await device.close();
  await broker.inbox.seen("unreachable d1");
  expect(broker.channel.isReady("d1")).toBe(false);
});

test("a wrong secret is refused as a bad login", async () => {
  broker = await startTestBroker();
  const attempt = connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    username: "HW1",
    password: "secret2",
    reconnectPeriod: 0,
  });
  await expect(attempt).rejects.toMatchObject({ code: 4 });
});
