// The course of an execution: states, deadlines, waiting calls and idempotency.
import { expect } from "vitest";
import { luaDevice, luaManifest } from "../../interface/lua.ts";
import { check } from "../../support/check.ts";
import { connected } from "../../support/command-site.ts";
import { useSite } from "../../support/use-site.ts";
import { manifestWith } from "../../support/validate.ts";

const site = useSite();
const { busbar } = site;

const COMMANDS = `command_groups: {g: {display_name: G}}
commands:
  run: {group: g, display_name: Run, arguments: {power: {type: float, display_name: P}}}
  typed: {group: g, display_name: Typed, response: {level: {type: integer}, name: {type: string}}}
`;
const DEVICE = manifestWith(COMMANDS);
const RUN = { name: "run" };
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A connected device with one execution that it has taken. */
async function taken(body: object = RUN) {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  const id = await device.started(body);
  const command = await mqtt.nextCommand();
  const execution = async () => (await device.get(id, "?expand=log")).body.execution;
  await expect.poll(async () => (await execution()).state).toBe("IN_PROGRESS");
  return { device, mqtt, id, command, execution };
}

async function metric(name: string): Promise<number> {
  const { text } = await busbar.anonymous.get("/metrics");
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

check("commands.states-in-order", async () => {
  const device = await site.device(DEVICE);
  const id = await device.started(RUN);
  const seen = [await device.state(id)];
  const mqtt = await device.connect();
  const command = await mqtt.nextCommand();
  await expect.poll(() => device.state(id)).toBe("IN_PROGRESS");
  await command.completed();
  seen.push(await device.state(id));
  expect(seen).toEqual(["NEW", "SUCCESS"]);
});

check("commands.responses-map-to-states", async () => {
  for (const [answers, states] of [
    [["STARTED"], ["IN_PROGRESS"]],
    [
      ["IN_PROGRESS", "SUCCEEDED"],
      ["IN_PROGRESS", "SUCCESS"],
    ],
    [["ERROR"], ["ERROR"]],
  ] as const) {
    const { command, execution } = await taken();
    const seen: string[] = [];
    for (const answer of answers) {
      await command.respond(answer, answer === "ERROR" ? { message: "no" } : {});
      seen.push((await execution()).state);
    }
    expect(seen).toEqual(states);
  }
});

check("commands.timeout-is-corrected", async () => {
  for (const [answer, state] of [
    ["completed", "SUCCESS"],
    ["error", "ERROR"],
  ] as const) {
    const { command, execution } = await taken();
    site.advance(30_000);
    await expect.poll(async () => (await execution()).state).toBe("TIMEOUT");
    await command[answer]({ message: "at last" });
    expect(await execution()).toMatchObject({ state, response: { payload: { message: "at last" } } });
  }
});

check("commands.ends-never-change", async () => {
  for (const [answer, state] of [
    ["completed", "SUCCESS"],
    ["error", "ERROR"],
  ] as const) {
    const { command, execution } = await taken();
    await command[answer]({ message: "first" });
    const ended = await execution();
    for (const late of ["completed", "error", "log"] as const) await command[late]({ message: "late" });
    site.advance(60_000);
    expect(await execution()).toEqual(ended);
    expect(ended.state).toBe(state);
  }
});

check("commands.late-is-dropped", async () => {
  const { command, execution } = await taken();
  const before = await metric("busbar_dropped_responses_total");
  site.advance(30_000);
  await expect.poll(async () => (await execution()).state).toBe("TIMEOUT");
  await command.log({ percent: 99 });
  await command.respond("STARTED");
  const { state, log } = await execution();
  expect([state, log?.length]).toEqual(["TIMEOUT", 1]);
  expect((await metric("busbar_dropped_responses_total")) - before).toBe(2);
  await command.completed({ message: "at last" });
  await command.error({ message: "too late" });
  expect((await execution()).log).toHaveLength(2);
  expect((await metric("busbar_dropped_responses_total")) - before).toBe(3);
});

check("commands.received-at-rises", async () => {
  const { command, execution } = await taken();
  await Promise.all(Array.from({ length: 30 }, (_, percent) => command.log({ percent })));
  const times = ((await execution()).log ?? []).map(({ received_at }) => received_at);
  expect(times).toHaveLength(31);
  for (const time of times) expect(time).toMatch(MICROSECONDS);
  expect(new Set(times).size).toBe(31);
  expect(times).toEqual(times.toSorted().reverse());
});

check("commands.error-message-derived", async () => {
  for (const [payload, message] of [
    [{ message: "stuck", code: 5 }, "stuck"],
    [{ reason: "no power" }, "no power"],
    [{ error: "too hot" }, "too hot"],
    [{ code: 17 }, '{"code":17}'],
  ] as const) {
    const { command, execution } = await taken();
    await command.error(payload);
    expect((await execution()).response?.payload).toEqual({ ...payload, message });
  }
  const { command, execution } = await taken();
  await command.respond("error");
  expect((await execution()).response?.payload).toEqual({ message: expect.stringMatching(/./) });
});

check("commands.payload-wrapped", async () => {
  for (const value of ["done", 42, [1, "two"], true]) {
    const { command, execution } = await taken();
    await command.respond("completed", value);
    expect(await execution()).toMatchObject({ state: "SUCCESS", response: { payload: { result: value } } });
  }
  for (const [value, message] of [
    ["broken", "broken"],
    [7, "7"],
    [["a"], '["a"]'],
  ] as const) {
    const { command, execution } = await taken();
    await command.respond("error", value);
    expect(await execution()).toMatchObject({ state: "ERROR", response: { payload: { message } } });
  }
});

check("commands.deadline-30-s", async () => {
  const device = await site.device(DEVICE);
  const [away, silent] = [await device.started(RUN), await taken()];
  site.advance(15_000);
  expect([await device.state(away), (await silent.execution()).state]).toEqual(["NEW", "IN_PROGRESS"]);
  site.advance(15_000);
  await expect.poll(() => device.state(away)).toBe("TIMEOUT");
  await expect.poll(async () => (await silent.execution()).state).toBe("TIMEOUT");
  expect((await device.get(away)).body.execution).not.toHaveProperty("response");
  expect((await silent.execution()).response).toMatchObject({ state: "STARTED" });
});

check("general.execution-timeout", async () => {
  const { execution } = await taken();
  site.advance(30_000);
  await expect.poll(async () => (await execution()).state).toBe("TIMEOUT");
});

check("general.execution-failure", async () => {
  const { command, execution } = await taken();
  await command.error({ message: "no water" });
  expect(await execution()).toMatchObject({
    state: "ERROR",
    response: { state: "ERROR", payload: { message: "no water" } },
  });
});

check("general.limit-ephemeral", async () => {
  const device = await site.device(DEVICE);
  const id = await device.started({ ...RUN, ephemeral: true });
  site.advance(24 * 3_600_000 - 30_000);
  expect((await device.get(id)).status).toBe(200);
  site.advance(30_000);
  expect((await device.get(id)).status).toBe(404);
});

check("commands.deadline-moves", async () => {
  const { command, execution } = await taken();
  for (let hour = 0; hour < 5; hour++) {
    site.advance(15_000);
    await command.log({ hour });
  }
  expect((await execution()).state).toBe("IN_PROGRESS");
  await command.completed();
  expect((await execution()).state).toBe("SUCCESS");
});

check("commands.never-start-expired", async () => {
  const device = await site.device(DEVICE);
  const expired = await device.started(RUN);
  site.advance(30_000);
  await expect.poll(() => device.state(expired)).toBe("TIMEOUT");
  const mqtt = await device.connect();
  const fresh = await device.started(RUN);
  expect((await mqtt.nextCommand()).id).toBe(fresh);
  expect(mqtt.commands).toHaveLength(1);
});

check("commands.execute-waits", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  let isAnswered = false;
  const ended = device.execute(RUN).then((answer) => {
    isAnswered = true;
    return answer.body.execution.state;
  });
  const command = await mqtt.nextCommand();
  await command.log({ percent: 50 });
  expect(isAnswered).toBe(false);
  await command.completed();
  expect(await ended).toBe("SUCCESS");

  const stillRunning = device.execute(RUN);
  const second = await mqtt.nextCommand();
  for (let step = 0; step < 4; step++) {
    await second.log({ step });
    site.advance(15_000);
  }
  expect((await stillRunning).body.execution.state).toBe("IN_PROGRESS");
});

check("commands.execute-prefer", async () => {
  const device = await site.device(DEVICE);
  const { status, body } = await device.execute(RUN, { headers: { Prefer: "wait=0" } });
  expect([status, body.execution.state]).toEqual([200, "NEW"]);
  const waiting = device.execute(RUN, { headers: { Prefer: "wait=10" } });
  await expect.poll(() => device.ids()).toHaveLength(2);
  site.advance(10_000);
  expect((await waiting).body.execution.state).toBe("NEW");
});

check("commands.execute-always-200", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  const failing = device.execute(RUN);
  await (await mqtt.nextCommand()).error({ message: "no" });
  const failed = await failing;
  expect([failed.status, failed.body.execution.state]).toEqual([200, "ERROR"]);
  const silent = device.execute(RUN);
  await (await mqtt.nextCommand()).log({ percent: 5 });
  site.advance(30_000);
  const timedOut = await silent;
  expect([timedOut.status, timedOut.body.execution]).toMatchObject([
    200,
    { state: "TIMEOUT", response: { state: "IN_PROGRESS", payload: { percent: 5 } } },
  ]);
  const away = await site.device(DEVICE);
  const unheard = away.execute(RUN, { query: "?expand=log" });
  await expect.poll(() => away.ids()).toHaveLength(1);
  site.advance(30_000);
  expect((await unheard).body.execution).toMatchObject({ state: "TIMEOUT", log: [] });
});

check("commands.create-at-once", async () => {
  const device = await site.device(DEVICE);
  await device.connect();
  const { status, body } = await device.create(RUN);
  expect([status, Object.keys(body)]).toEqual([200, ["execution_id"]]);
  expect(["NEW", "IN_PROGRESS"]).toContain(await device.state(body.execution_id));
});

check("commands.offline-waits", async () => {
  const device = await site.device(DEVICE);
  const id = await device.started({ ...RUN, arguments: { power: 3 } });
  site.advance(10_000);
  expect(await device.state(id)).toBe("NEW");
  const mqtt = await device.connect();
  const command = await mqtt.nextCommand();
  expect(command).toMatchObject({ id, name: "run", arguments: { power: 3 } });
  await command.completed();
  const { state, log } = (await device.get(id, "?expand=log")).body.execution;
  expect([state, log?.map((one) => one.state)]).toEqual(["SUCCESS", ["SUCCEEDED", "STARTED"]]);
});

check("commands.delivered-once", async () => {
  const device = await site.device(DEVICE);
  const config = await device.config();
  const first = await connected(config);
  const id = await device.started(RUN);
  expect((await first.nextCommand()).id).toBe(id);
  first.drop();
  const second = await connected(config);
  const next = await device.started(RUN);
  expect((await second.nextCommand()).id).toBe(next);
  expect([first.commands.length, second.commands.length]).toEqual([1, 1]);
  // It may answer over its new connection.
  await second.publish("v1/command/responses", JSON.stringify({ id, state: "completed" }));
  expect(await device.state(id)).toBe("SUCCESS");
});

check("commands.interrupted-by-restart", async () => {
  const device = await luaDevice(site, {
    "manifest.yml": luaManifest("file: main.lua", COMMANDS),
    "main.lua": `enapter.register_command_handler("run", function(ctx)
      enapter.log("begun")
      ctx.log("begun")
      while true do system.delay(50) end
    end)`,
  });
  const id = await device.started(RUN);
  await expect.poll(() => device.logs()).toContain("begun");
  await busbar.restart();
  await expect
    .poll(async () => (await device.get(id)).body.execution)
    .toMatchObject({
      state: "ERROR",
      response: { payload: { message: "interrupted by restart, outcome unknown" } },
    });
  expect((await device.logs()).filter((line) => line === "begun")).toHaveLength(1);
});

const key = (text: string) => ({ "Idempotency-Key": text });

check("commands.idempotency-same", async () => {
  const device = await site.device(DEVICE);
  const body = { name: "run", arguments: { power: 1 } };
  const [first, again] = [await device.create(body, key("a")), await device.create(body, key("a"))];
  expect(again.body).toEqual(first.body);
  const execute = (text: string) => device.execute(body, { headers: { ...key(text), Prefer: "wait=0" } });
  expect((await execute("b")).body.execution.id).toBe((await execute("b")).body.execution.id);
  expect((await device.list()).body.total_count).toBe(2);
});

check("commands.idempotency-other", async () => {
  const device = await site.device(DEVICE);
  await device.create({ name: "run", arguments: { power: 1 } }, key("a"));
  const refused = await device.create({ name: "run", arguments: { power: 2 } }, key("a"));
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "idempotency_conflict"]);
});

check("commands.idempotency-scope", async () => {
  const [one, other] = [await site.device(DEVICE), await site.device(DEVICE)];
  const first = (await one.create(RUN, key("scope"))).body.execution_id;
  const ofOther = (await other.create(RUN, key("scope"))).body.execution_id;
  const ofUser = (await one.as(await site.user("user")).create(RUN, key("scope"))).body.execution_id;
  expect(new Set([first, ofOther, ofUser]).size).toBe(3);
  site.advance(24 * 3_600_000 - 60_000);
  expect((await one.create(RUN, key("scope"))).body.execution_id).toBe(first);
  site.advance(60_000);
  expect((await one.create(RUN, key("scope"))).body.execution_id).not.toBe(first);
});

check("commands.responses-are-checked", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed({ level: "high", name: "ok" }));
  for (let n = 0; n < 3; n++) {
    const { body } = await device.execute({ name: "typed" });
    expect(body.execution).toMatchObject({ state: "SUCCESS", response: { payload: { level: "high", name: "ok" } } });
  }
  await expect.poll(() => device.logs()).toHaveLength(1);
  expect((await device.logs())[0]).toContain("level");
});
