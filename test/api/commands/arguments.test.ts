// Names and arguments of commands: what is checked, stored and delivered.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import type { SentenceId } from "../../interface/register.ts";
import { check } from "../../support/check.ts";
import { commandManifest } from "../../support/command-site.ts";
import { listen } from "../../support/listen.ts";
import { type SiteDevice, useSite } from "../../support/use-site.ts";
import { manifestWith } from "../../support/validate.ts";

const site = useSite(["--log-level", "trace"]);
const { busbar } = site;

const DEVICE = commandManifest("Arguments");
/** The second default lies outside its bounds. */
const FILLED = manifestWith(`command_groups: {g: {display_name: G}}
commands:
  filled:
    group: g
    display_name: Filled
    arguments:
      mode: {display_name: M, type: string, default: eco}
      high: {display_name: H, type: float, min: 0, max: 1, default: 9}
`);

let device: SiteDevice;
beforeAll(async () => {
  device = await site.device(DEVICE);
});

const create = (name: string, args: object | undefined, at = device) => at.create({ name, arguments: args });
const stored = async (name: string, args: object, at = device) => {
  const { status, text, body } = await create(name, args, at);
  expect(status, text).toBe(200);
  return (await at.get(body.execution_id)).body.execution.request.arguments;
};

check("commands.name-or-alias", async () => {
  const named = await site.device(DEVICE);
  const mqtt = await named.connect();
  for (const name of ["start", "go"]) {
    const { request } = (await named.get(await named.started({ name }))).body.execution;
    expect(request).toMatchObject({ name, manifest_name: "start" });
    expect((await mqtt.nextCommand()).name).toBe("start");
  }
});

check("commands.effective-arguments", async () => {
  expect(await stored("start", {})).toEqual({ mode: "eco" });
  expect(await stored("start", { power: 0, mode: "boost" })).toEqual({ power: 0, mode: "boost" });
  expect(await stored("check", { flag: false })).toEqual({ flag: false, constructor: 7 });
  const filled = await site.device(FILLED);
  const mqtt = await filled.connect();
  expect(await stored("filled", { high: 0.5 }, filled)).toEqual({ mode: "eco", high: 0.5 });
  expect((await mqtt.nextCommand()).arguments).toEqual({ mode: "eco", high: 0.5 });
});

check("commands.default-as-declared", async () => {
  const filled = await site.device(FILLED);
  const mqtt = await filled.connect();
  expect(await stored("filled", {}, filled)).toEqual({ mode: "eco", high: 9 });
  expect((await mqtt.nextCommand()).arguments).toEqual({ mode: "eco", high: 9 });
  expect((await create("filled", { high: 9 }, filled)).status).toBe(400);
});

check("commands.argument-missing", async () => {
  for (const args of [undefined, {}, { flag: null }]) {
    const { status, errors } = await create("check", args);
    expect([status, errors[0]?.message]).toEqual([400, expect.stringContaining("flag")]);
    expect(errors).toMatchObject([{ code: "invalid_arguments", details: { pointer: "/arguments/flag" } }]);
  }
});

test("null counts as not given", async () => {
  expect(await stored("start", { mode: null, power: null })).toEqual({ mode: "eco" });
});

type Case = readonly [name: string, value: unknown, why?: string];

/** A sentence in cases: arguments that are taken, and some that are refused with these words. */
function checkArguments(id: SentenceId, cases: readonly Case[]): void {
  check(id, async () => {
    for (const [name, value, why] of cases) {
      const given = { flag: true, [name]: value };
      if (why === undefined) {
        expect(await stored("check", given)).toMatchObject({ [name]: value });
        continue;
      }
      const { status, errors } = await create("check", given);
      expect({ given, status, errors }).toMatchObject({
        status: 400,
        errors: [{ code: "invalid_arguments", details: { pointer: `/arguments/${name}` } }],
      });
      expect(errors[0]?.message).toContain(why);
    }
  });
}

checkArguments("commands.argument-type", [
  ["flag", true],
  ["flag", false],
  ["flag", "true", "must be true or false"],
  ["flag", 1, "must be true or false"],
  ["text", ""],
  ["text", "Größe 🔋"],
  ["text", 5, "must be a text"],
  ["text", ["a"], "must be a text"],
  ["count", 2.0],
  ["count", 1.5, "must be a whole number"],
  ["count", "3", "must be a whole number"],
  ["count", 9007199254740992, "must be a whole number"],
  ["ratio", 0.5],
  ["ratio", "0.5", "must be a number"],
  ["ratio", true, "must be a number"],
  ["names", []],
  ["names", ["a", "b"]],
  ["names", "a", "must be a list of texts"],
  ["names", ["a", 1], "must be a list of texts"],
  ["constructor", 3],
  ["constructor", "x", "must be a whole number"],
]);
checkArguments("commands.argument-range", [
  ["count", 1],
  ["count", 10],
  ["count", 0, "must be at least 1"],
  ["count", 11, "must be at most 10"],
  ["ratio", -1],
  ["ratio", 1],
  ["ratio", 1.0001, "must be at most 1"],
  ["ratio", -1.0001, "must be at least -1"],
]);
checkArguments("commands.argument-format", [
  ["mail", "name@example.com"],
  ["mail", "name@", "must be written as email"],
  ["mail", "nobody", "must be written as email"],
]);
checkArguments("commands.argument-json-schema", [
  ["setup", { a: 1, b: "more" }],
  ["setup", {}, "does not fit its schema"],
  ["setup", [], "does not fit its schema"],
  ["setup", { a: "1" }, "does not fit its schema"],
  ["setup", 5, "does not fit its schema"],
]);
checkArguments("commands.argument-unknown", [
  ["speed", 1, `there is no "speed"`],
  ["toString", 1, `there is no "toString"`],
]);
checkArguments("commands.argument-enum", [
  ["color", "red"],
  ["color", "gren", "did you mean green?"],
  ["color", "Red", "must be one of red, green"],
  ["level", 5],
  ["level", 2, "must be one of 1, 5"],
  ["chosen", ["a", "b", "a"]],
  ["chosen", ["a", "c"], "must be one of a, b"],
  ["choice", { a: 1 }],
  ["choice", [1]],
  ["choice", { a: 2 }, "must be one of"],
]);

check("commands.arguments-all-problems", async () => {
  const refused = await create("check", {
    colour: "red",
    text: 5,
    count: 11,
    color: "blue",
    mail: "no",
    setup: {},
    "a/b~c": 1,
    __proto__x: 1,
  });
  expect(refused.status).toBe(400);
  expect(refused.errors.map(({ details }) => (details as { pointer: string }).pointer).sort()).toEqual(
    ["colour", "a~1b~0c", "__proto__x", "flag", "text", "count", "color", "mail", "setup"]
      .map((name) => `/arguments/${name}`)
      .sort(),
  );
  expect(refused.errors.find(({ message }) => message.includes("colour"))?.message).toContain("did you mean color?");
});

check("commands.checked-before-stored", async () => {
  const fresh = await site.device(DEVICE);
  const mqtt = await fresh.connect();
  expect((await create("check", { flag: "no" }, fresh)).status).toBe(400);
  expect((await fresh.execute({ name: "start", arguments: { power: 101 } })).status).toBe(400);
  expect((await fresh.list("?retention=ALL")).body.total_count).toBe(0);
  expect(mqtt.commands).toEqual([]);
});

test("a key that a prototype knows is an unknown argument and harms nothing", async () => {
  const path = `/v3/devices/${device.id}/commands/executions`;
  const bytes = '{"name": "stop", "arguments": {"__proto__": {"polluted": true}, "toString": 1}}';
  const refused = await busbar.admin.call("POST", path, { bytes });
  expect(refused.status).toBe(400);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

const CANARY = "canary-9b1f";
const UNLOCK = { name: "unlock", arguments: { door: "north", pin: CANARY } };

check("commands.sensitive-shown", async () => {
  const events = await listen(busbar.url, busbar.adminToken);
  const fresh = await site.device(DEVICE);
  const mqtt = await fresh.connect();
  mqtt.onCommand((command) => command.completed());
  const { body, text } = await fresh.execute(UNLOCK);
  expect(mqtt.commands[0]?.arguments).toEqual(UNLOCK.arguments);
  expect(body.execution.request.arguments).toEqual({ door: "north", pin: "***" });
  await events.next(({ data }) => data.execution?.id === body.execution.id && data.execution.state === "SUCCESS");
  const reads = [
    (await fresh.list()).text,
    (await fresh.get(body.execution.id)).text,
    (await busbar.admin.get("/v3/audit")).text,
  ];
  for (const seen of [text, ...reads, events.text(), busbar.log]) expect(seen).not.toContain(CANARY);
});

check("commands.sensitive-sealed", async () => {
  const fresh = await site.device(DEVICE);
  const id = await fresh.started(UNLOCK);
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
  const mqtt = await fresh.connect();
  await (await mqtt.nextCommand()).completed();
  expect(sealed()).toBeNull();
});
