// Execute Command: one test per sentence of the interface, and of what is decided where it is silent.

import { beforeAll, expect, test } from "vitest";
import { ADMIN_TOKEN_ID } from "#core/access/token-record.ts";
import { type CommandSite, commandsOf, makeCommandSite, type OneExecution } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Execute");
  deviceId = await site.device("Runner");
});

const commands = () => commandsOf(busbar.admin, deviceId);

test("execute runs the command on the device and answers with one field, the ended execution", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed({ speed: 12 }));
  const { status, body } = await commands().execute({ name: "start", arguments: { power: 5 } });
  expect(status).toBe(200);
  const [command] = device.commands;
  expect(command).toMatchObject({ name: "start", arguments: { power: 5, mode: "eco" } });
  expect(body).toEqual({
    execution: {
      id: command?.id,
      device_id: deviceId,
      state: "SUCCESS",
      ephemeral: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request: { name: "start", manifest_name: "start", arguments: { power: 5, mode: "eco" } },
      requested_by: { token_id: ADMIN_TOKEN_ID, name: "admin", door: "token" },
      response: {
        state: "SUCCEEDED",
        payload: { speed: 12 },
        received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      },
    },
  });
});

test("the device gets the manifest name and the execution's id, whatever name was sent", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed());
  const { body } = await commands().execute({ name: "launch" });
  expect(body.execution.request).toEqual({ name: "launch", manifest_name: "start", arguments: { mode: "eco" } });
  expect(device.commands).toMatchObject([{ id: body.execution.id, name: "start" }]);
});

test("a payload may be absent, and an absent one is not shown", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed());
  const { body } = await commands().execute({ name: "stop" });
  expect(Object.keys(body.execution.response ?? {})).toEqual(["state", "received_at"]);
});

test("a command without arguments takes none, an empty object or nothing", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed());
  for (const body of [{ name: "stop" }, { name: "stop", arguments: {} }]) {
    expect((await commands().execute(body)).body.execution.request.arguments).toEqual({});
  }
});

test("expand=log adds every response, newest first, with strictly rising microseconds; by default nothing is added", async () => {
  const device = await site.connect(deviceId);
  device.onCommand(async (command) => {
    for (const percent of [10, 20, 30]) await command.log({ percent });
    await command.completed({ percent: 100 });
  });
  const { body } = await commands().execute({ name: "stop" }, { query: "?expand=log" });
  const log = body.execution.log ?? [];
  expect(log.map(({ state, payload }) => [state, payload?.["percent"]])).toEqual([
    ["SUCCEEDED", 100],
    ["IN_PROGRESS", 30],
    ["IN_PROGRESS", 20],
    ["IN_PROGRESS", 10],
    ["STARTED", undefined],
  ]);
  expect(log[0]).toEqual(body.execution.response);
  const times = log.map(({ received_at }) => received_at);
  expect(new Set(times).size).toBe(times.length);
  expect(times).toEqual(times.toSorted().toReversed());
  for (const query of ["", "?expand="]) {
    expect((await commands().execute({ name: "stop" }, { query })).body.execution).not.toHaveProperty("log");
  }
});

test("expand takes nothing but log", async () => {
  const refused = await commands().execute({ name: "stop" }, { query: "?expand=logs" });
  expect([refused.status, refused.errors[0]?.code, refused.errors[0]?.message]).toEqual([
    400,
    "invalid_query",
    'expand must be one of log, not "logs"; did you mean log?',
  ]);
});

test("an error of the device is a value: 200, state ERROR, and a payload with its message", async () => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.error({ message: "door open", code: 7 }));
  const { status, body } = await commands().execute({ name: "start" });
  expect(status).toBe(200);
  expect(body.execution).toMatchObject({
    state: "ERROR",
    response: { state: "ERROR", payload: { message: "door open", code: 7 } },
  });
});

test.each([
  [undefined, "the device reported an error without a message"],
  [{}, "the device reported an error without a message"],
  [{ code: 7 }, '{"code":7}'],
  [{ message: 12 }, "12"],
  [{ message: ["a"] }, '["a"]'],
])("an error that carries %j has the message %j", async (payload, message) => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.error(payload));
  const { body } = await commands().execute({ name: "stop" });
  expect(body.execution.response?.payload).toEqual({ ...payload, message });
});

test.each([
  ["completed", "opened", "SUCCESS", { result: "opened" }],
  ["completed", 7, "SUCCESS", { result: 7 }],
  ["completed", [1, "a"], "SUCCESS", { result: [1, "a"] }],
  ["completed", null, "SUCCESS", undefined],
  ["error", "jammed", "ERROR", { message: "jammed" }],
  ["error", 7, "ERROR", { message: "7" }],
  ["error", ["a"], "ERROR", { message: '["a"]' }],
  ["error", null, "ERROR", { message: "the device reported an error without a message" }],
  ["error", { reason: "low gas" }, "ERROR", { reason: "low gas", message: "low gas" }],
  ["error", { error: "jammed", code: 7 }, "ERROR", { error: "jammed", code: 7, message: "jammed" }],
])("a payload that is no object never costs the state: %s with %j is %s", async (answer, payload, state, kept) => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.respond(answer, payload));
  const { body } = await commands().execute({ name: "stop" });
  expect([body.execution.state, body.execution.response?.payload]).toEqual([state, kept]);
});

test("the interface's own response states work beside log, completed and error, in any case", async () => {
  const device = await site.connect(deviceId);
  const cases = [
    [["STARTED", "IN_PROGRESS", "SUCCEEDED"], "SUCCESS"],
    [["started", "Log", "Completed"], "SUCCESS"],
    [["ERROR"], "ERROR"],
  ] as const;
  for (const [answers, state] of cases) {
    device.onCommand(async (command) => {
      for (const answer of answers) await command.respond(answer);
    });
    expect((await commands().execute({ name: "stop" })).body.execution.state).toBe(state);
  }
});

test.each(["wait=0", "respond-async, wait=0", 'wait="0"', "Wait=0; foo"])(
  "Prefer: %s answers at once",
  async (prefer) => {
    const device = await site.connect(deviceId);
    const answer = commands().execute({ name: "stop" }, { headers: { Prefer: prefer } });
    // The answer is here before the device says anything.
    const { body } = await answer;
    expect(["NEW", "IN_PROGRESS"]).toContain(body.execution.state);
    await (await device.nextCommand()).completed();
  },
);

test("a device that is away leaves the execution NEW without a response", async () => {
  const { status, body } = await commands().execute({ name: "stop" }, { headers: { Prefer: "wait=0" } });
  expect(status).toBe(200);
  expect(body.execution).toMatchObject({ state: "NEW" });
  expect(body.execution).not.toHaveProperty("response");
});

test("ephemeral is false unless asked for", async () => {
  const wait = { headers: { Prefer: "wait=0" } };
  for (const [ephemeral, expected] of [
    [undefined, false],
    [false, false],
    [true, true],
  ] as const) {
    const { body } = await commands().execute({ name: "stop", ephemeral }, wait);
    expect(body.execution.ephemeral).toBe(expected);
  }
});

test("a command that the blueprint does not contain is refused, and nothing is stored", async () => {
  const before = (await commands().list("?retention=ALL")).body.total_count;
  const refused = await commands().execute({ name: "strat" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "command_not_found"]);
  expect(refused.errors[0]?.message).toContain("did you mean start?");
  expect(refused.errors[0]?.details).toEqual({ pointer: "/name" });
  for (const name of ["constructor", "__proto__", "START", "toString"]) {
    expect((await commands().execute({ name })).status).toBe(404);
  }
  expect((await commands().list("?retention=ALL")).body.total_count).toBe(before);
});

test("a device without a blueprint has no commands", async () => {
  const bare = await site.device("Bare", { blueprint_id: undefined });
  const refused = await commandsOf(busbar.admin, bare).execute({ name: "start" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "command_not_found"]);
});

test("unknown fields and wrong types in the body are all refused at once", async () => {
  const refused = await commands().execute({ nam: "start", arguments: [], ephemeral: "yes" });
  expect(refused.status).toBe(400);
  const text = refused.errors.map(({ message }) => message).join("\n");
  for (const part of ["nam", "arguments", "ephemeral", "name"]) expect(text).toContain(part);
  expect((await busbar.admin.post(`/v3/devices/${deviceId}/commands/execute`, undefined)).status).toBe(400);
});

test("an unknown device and one of another site look the same", async () => {
  const elsewhere = await makeCommandSite(busbar, "Elsewhere");
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [elsewhere.siteId] }));
  const answers = [];
  for (const id of [deviceId, "019a8c00-0000-7000-8000-0000000000ee"]) {
    const refused = await commandsOf(owner, id).execute({ name: "start" });
    answers.push([refused.status, refused.errors[0]?.message.replace(id, "ID")]);
  }
  expect(answers[0]).toEqual([404, "there is no device ID"]);
  expect(answers[1]).toEqual(answers[0]);
});

test("the device may be named by its slug", async () => {
  const { body } = await commandsOf(busbar.admin, "runner").execute(
    { name: "stop" },
    { headers: { Prefer: "wait=0" } },
  );
  expect(body.execution.device_id).toBe(deviceId);
});

test.each([
  ["POST", `/v3/devices/DEVICE/execute_command`],
  ["POST", `/v3/sites/SITE/devices/DEVICE/execute_command`],
  ["POST", `/api/v3/devices/DEVICE/commands/execute`],
])("%s %s is the same operation", async (method, path) => {
  const device = await site.connect(deviceId);
  device.onCommand((command) => command.completed());
  const at = path.replace("SITE", site.siteId).replace("DEVICE", deviceId);
  const { status, body } = await busbar.admin.call<OneExecution>(method, `${at}?expand=log`, {
    json: { name: "stop" },
  });
  expect([status, body.execution.state, body.execution.log?.length]).toEqual([200, "SUCCESS", 2]);
});
