// Names and arguments of commands: what is checked, stored and delivered.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { listen } from "../support/listen.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite(["--log-level", "trace"]);
const { busbar } = site;

const DEVICE = manifestWith(`command_groups: {g: {display_name: G}}
commands:
  run:
    group: g
    display_name: Run
    aliases: [go]
    arguments:
      flag: {display_name: F, type: boolean}
      text: {display_name: T, type: string}
      count: {display_name: C, type: integer, min: 1, max: 10}
      ratio: {display_name: R, type: float, min: -1, max: 1}
      names: {display_name: N, type: array_of_strings, enum: [a, b]}
      color: {display_name: C, type: string, enum: [red, green]}
      level: {display_name: L, type: integer, enum: [1, 5]}
      mail: {display_name: M, type: string, format: email}
      shape: {display_name: S, type: json, json_schema: '{"type": "object", "required": ["a"]}'}
      choice: {display_name: C, type: json, enum: ['{"a":1}', '[1]']}
  must: {group: g, display_name: Must, arguments: {key: {display_name: K, type: string, required: true}}}
  filled:
    group: g
    display_name: Filled
    arguments:
      mode: {display_name: M, type: string, default: eco}
      high: {display_name: H, type: float, min: 0, max: 1, default: 9}
  unlock:
    group: g
    display_name: Unlock
    arguments: {door: {display_name: D, type: string}, pin: {display_name: P, type: string, sensitive: true}}
`);

/** Of these arguments of the command run, those that are refused. */
async function refused(cases: readonly object[]): Promise<readonly object[]> {
  const { create } = await site.device(DEVICE);
  const wrong: object[] = [];
  for (const one of cases) {
    const { status, errors } = await create({ name: "run", arguments: one });
    if (status !== 400) continue;
    expect(errors).toMatchObject([
      { code: "invalid_arguments", details: { pointer: `/arguments/${Object.keys(one)[0]}` } },
    ]);
    wrong.push(one);
  }
  return wrong;
}

check("commands.name-or-alias", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  for (const name of ["run", "go"]) {
    const { request } = (await device.get(await device.started({ name }))).body.execution;
    expect(request).toMatchObject({ name, manifest_name: "run" });
    expect((await mqtt.nextCommand()).name).toBe("run");
  }
});

check("commands.checked-before-stored", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  expect((await device.create({ name: "run", arguments: { count: 99 } })).status).toBe(400);
  expect((await device.execute({ name: "run", arguments: { count: 99 } })).status).toBe(400);
  expect((await device.list("?retention=ALL")).body.total_count).toBe(0);
  expect(mqtt.commands).toEqual([]);
});

check("commands.arguments-all-problems", async () => {
  const { create } = await site.device(DEVICE);
  const { status, errors } = await create({ name: "run", arguments: { flag: 1, count: 99, color: "blue", other: 1 } });
  expect(status).toBe(400);
  expect(errors.map(({ details }) => details?.pointer).sort()).toEqual(
    ["color", "count", "flag", "other"].map((name) => `/arguments/${name}`),
  );
});

check("commands.argument-unknown", async () => {
  const unknown: readonly object[] = [{ speed: 1 }, { constructor: 1 }];
  expect(await refused(unknown)).toEqual(unknown);
});

check("commands.argument-missing", async () => {
  const { create } = await site.device(DEVICE);
  for (const args of [undefined, {}, { key: null }]) {
    const { status, errors } = await create({ name: "must", arguments: args });
    expect([status, errors[0]?.message]).toEqual([400, expect.stringContaining("key")]);
  }
  expect((await create({ name: "must", arguments: { key: "x" } })).status).toBe(200);
});

check("commands.argument-type", async () => {
  const wrong = [{ flag: "yes" }, { text: 5 }, { count: 1.5 }, { ratio: "0.5" }, { names: "a" }, { names: [1] }];
  const right = [{ flag: true }, { text: "x" }, { count: 2.0 }, { ratio: 0.5 }, { names: [] }];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});

check("commands.argument-range", async () => {
  const wrong = [{ count: 0 }, { count: 11 }, { ratio: -1.001 }, { ratio: 1.001 }];
  expect(await refused([{ count: 1 }, { count: 10 }, { ratio: -1 }, { ratio: 1 }, ...wrong])).toEqual(wrong);
});

check("commands.argument-enum", async () => {
  const right = [{ color: "red" }, { level: 5 }, { names: ["a", "b", "a"] }, { choice: { a: 1 } }, { choice: [1] }];
  const wrong = [{ color: "blue" }, { level: 2 }, { names: ["a", "c"] }, { choice: { a: 2 } }];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});

check("commands.argument-json-schema", async () => {
  expect(await refused([{ shape: { a: 1 } }, { shape: {} }, { shape: [] }])).toEqual([{ shape: {} }, { shape: [] }]);
});

check("commands.argument-format", async () => {
  expect(await refused([{ mail: "a@example.com" }, { mail: "nobody" }])).toEqual([{ mail: "nobody" }]);
});

check("commands.effective-arguments", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  const id = await device.started({ name: "filled", arguments: { high: 0.5 } });
  const effective = { mode: "eco", high: 0.5 };
  expect((await mqtt.nextCommand()).arguments).toEqual(effective);
  expect((await device.get(id)).body.execution.request.arguments).toEqual(effective);
});

check("commands.default-as-declared", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  await device.started({ name: "filled" });
  expect((await mqtt.nextCommand()).arguments).toEqual({ mode: "eco", high: 9 });
  expect((await device.create({ name: "filled", arguments: { high: 9 } })).status).toBe(400);
});

const CANARY = "canary-9b1f";
const UNLOCK = { name: "unlock", arguments: { door: "north", pin: CANARY } };

check("commands.sensitive-shown", async () => {
  const events = await listen(busbar.url, busbar.adminToken);
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed());
  const { body, text } = await device.execute(UNLOCK);
  expect(mqtt.commands[0]?.arguments).toEqual(UNLOCK.arguments);
  expect(body.execution.request.arguments).toEqual({ door: "north", pin: "***" });
  await events.next(({ data }) => data.execution?.id === body.execution.id && data.execution.state === "SUCCESS");
  const reads = [
    (await device.list()).text,
    (await device.get(body.execution.id)).text,
    (await busbar.admin.get("/v3/audit")).text,
  ];
  for (const seen of [text, ...reads, events.text(), busbar.log]) expect(seen).not.toContain(CANARY);
});

check("commands.sensitive-sealed", async () => {
  const device = await site.device(DEVICE);
  const id = await device.started(UNLOCK);
  const files = readdirSync(busbar.data, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
  expect(bytes.includes(CANARY)).toBe(false);
  const sealed = () => {
    const database = new DatabaseSync(join(busbar.data, "records.db"), { readOnly: true });
    const row = database.prepare("SELECT sealed FROM execution WHERE id = ?").get(id);
    database.close();
    return row?.["sealed"];
  };
  expect(sealed()).toBeInstanceOf(Uint8Array);
  const mqtt = await device.connect();
  await (await mqtt.nextCommand()).completed();
  expect(sealed()).toBeNull();
});
