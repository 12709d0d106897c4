import { beforeAll, expect, test } from "vitest";
import { commandsOf, makeCommandSite } from "../../support/command-site.ts";
import { useServer } from "../../support/server.ts";

const busbar = useServer();

let deviceId: string;

beforeAll(async () => {
  deviceId = await (await makeCommandSite(busbar, "Arguments")).device("Checked");
});

const create = (name: string, args: object) => commandsOf(busbar.admin, deviceId).create({ name, arguments: args });
const stored = async (name: string, args: object) => {
  const { body } = await create(name, args);
  return (await commandsOf(busbar.admin, deviceId).get(body.execution_id)).body.execution.request.arguments;
};

test("defaults are filled in, and what is stored and shown is what counts", async () => {
  expect(await stored("start", {})).toEqual({ mode: "eco" });
  expect(await stored("start", { power: 0, mode: "boost" })).toEqual({ power: 0, mode: "boost" });
  expect(await stored("check", { flag: false })).toEqual({ flag: false, constructor: 7 });
});

test("null counts as not given", async () => {
  expect(await stored("start", { mode: null, power: null })).toEqual({ mode: "eco" });
  const refused = await create("check", { flag: null });
  expect(refused.errors).toMatchObject([{ code: "invalid_arguments", details: { pointer: "/arguments/flag" } }]);
});

test.each([
  ["flag", true],
  ["flag", false],
  ["text", ""],
  ["text", "Größe 🔋"],
  ["count", 1],
  ["count", 10],
  ["count", 2.0],
  ["ratio", 0.5],
  ["ratio", -1],
  ["ratio", 1],
  ["names", []],
  ["names", ["a", "b"]],
  ["color", "red"],
  ["level", 5],
  ["mail", "name@example.com"],
  ["setup", { a: 1, b: "more" }],
  ["constructor", 3],
])("argument %s takes %j", async (name, value) => {
  expect(await stored("check", { flag: true, [name]: value })).toMatchObject({ [name]: value });
});

test.each([
  ["flag", "true", "must be true or false"],
  ["flag", 1, "must be true or false"],
  ["text", 5, "must be a text"],
  ["text", ["a"], "must be a text"],
  ["count", 1.5, "must be a whole number"],
  ["count", "3", "must be a whole number"],
  ["count", 0, "must be at least 1"],
  ["count", 11, "must be at most 10"],
  ["count", 9007199254740992, "must be a whole number"],
  ["ratio", 1.0001, "must be at most 1"],
  ["ratio", -1.0001, "must be at least -1"],
  ["ratio", true, "must be a number"],
  ["names", "a", "must be a list of texts"],
  ["names", ["a", 1], "must be a list of texts"],
  ["color", "gren", "did you mean green?"],
  ["color", "Red", "must be one of red, green"],
  ["level", 2, "must be one of 1, 5"],
  ["mail", "name@", "must be written as email"],
  ["setup", {}, "does not fit its schema"],
  ["setup", { a: "1" }, "does not fit its schema"],
  ["setup", 5, "does not fit its schema"],
  ["constructor", "x", "must be a whole number"],
])("argument %s refuses %j: %s", async (name, value, why) => {
  const refused = await create("check", { flag: true, [name]: value });
  expect(refused.status).toBe(400);
  expect(refused.errors).toMatchObject([{ code: "invalid_arguments", details: { pointer: `/arguments/${name}` } }]);
  expect(refused.errors[0]?.message).toContain(why);
});

test("all problems are told at once: unknown, missing, wrong type, out of range, enum, format, schema", async () => {
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

test("refused arguments leave nothing behind", async () => {
  const before = (await commandsOf(busbar.admin, deviceId).list()).body.total_count;
  await create("check", { flag: "no" });
  await create("start", { power: 101 });
  expect((await commandsOf(busbar.admin, deviceId).list()).body.total_count).toBe(before);
});

test("a key that a prototype knows is an unknown argument and harms nothing", async () => {
  const path = `/v3/devices/${deviceId}/commands/executions`;
  const bytes = '{"name": "stop", "arguments": {"__proto__": {"polluted": true}, "toString": 1}}';
  const refused = await busbar.admin.call("POST", path, { bytes });
  expect(refused.status).toBe(400);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
