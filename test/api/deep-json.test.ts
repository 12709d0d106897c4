// Bodies that are nested deeper, or hold more values, than anything that walks over them could stand.
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, commandsOf, makeCommandSite } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const LIMIT = 64;

let site: CommandSite;
let deviceId: string;

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Deep");
  deviceId = await site.device("Target");
});

const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const PATHS = [
  ["POST", "commands/executions", (value: string) => `{"name":"check","arguments":{"flag":true,"setup":${value}}}`],
  ["PUT", "configuration", (value: string) => `{"network":{"extra":${value}}}`],
  ["PATCH", "simulation", (value: string) => `{"properties":{"firmware":${value}}}`],
] as const;

test.each(
  PATHS.flatMap(([method, path, body]) => [3_500, 5_000, 200_000].map((n) => [method, path, n, body] as const)),
)(
  "%s %s with a value nested %i deep is a 400 that names the limit, and the process goes on",
  async (method, path, levels, body) => {
    for (const headers of [{}, { "Idempotency-Key": `k${levels}` }]) {
      const answer = await busbar.admin.call(method, `/v3/devices/${deviceId}/${path}`, {
        bytes: body(lists(levels)),
        headers,
      });
      expect([answer.status, answer.errors[0]?.code]).toEqual([400, "invalid_json"]);
      expect(answer.errors[0]?.message).toMatch(/^the body is nested more than 64 levels deep, from character \d+ on$/);
    }
    expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
  },
);

test("as many levels as are allowed are taken, stored and shown", async () => {
  // The body and its arguments are two levels.
  const setup = { a: 1, b: JSON.parse(lists(LIMIT - 3)) };
  const made = await commandsOf(busbar.admin, deviceId).create(
    { name: "check", arguments: { flag: true, setup } },
    { "Idempotency-Key": "deepest" },
  );
  expect(made.status).toBe(200);
  const { execution } = (await commandsOf(busbar.admin, deviceId).get(made.body.execution_id)).body;
  expect(execution.request.arguments).toMatchObject({ setup });
});

test("a body of more than 20,000 values is a 400 that names the limit", async () => {
  const bytes = `{"name":"x","list":[${"1,".repeat(20_000)}1]}`;
  const { status, errors } = await busbar.admin.call("POST", "/v3/sites", { bytes });
  expect([status, errors[0]?.code]).toEqual([400, "invalid_json"]);
  expect(errors[0]?.message).toMatch(/^the body is of more than 20000 values, from character \d+ on$/);
});
