import { afterEach, expect, test } from "vitest";
import { type FakeAnswer, type FakeBusbar, startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { createClient } from "./create-client.ts";

let server: FakeBusbar | undefined;
afterEach(() => server?.stop());

const execution = { id: "e", device_id: "d", state: "SUCCESS", request: { name: "run" } };

/** The answers to the creation, one after the other. */
async function connect(answers: (FakeAnswer | "cut")[]) {
  server = await startFakeBusbar({
    "POST /v3/devices/d/commands/executions": () => answers.shift() ?? "hang",
    "GET /v3/devices/d/commands/executions/e": () => ({ body: { execution } }),
  });
  return createClient({ url: server.url, token: "t" });
}

const creations = () => (server?.requests ?? []).filter(({ method }) => method === "POST");

test("an answer that is lost does not make a command run twice: it is asked for again with the same key", async () => {
  const client = await connect(["cut", { body: { execution_id: "e" } }]);
  const run = client.commands.run("d", { name: "run" });
  expect(await run.id).toBe("e");
  expect((await run.end()).state).toBe("SUCCESS");
  const keys = creations().map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

test("a refusal ends it at once, wherever it is waited for", async () => {
  const refusal = { status: 400, body: { errors: [{ code: "invalid_arguments", message: "no" }] } };
  const client = await connect([refusal]);
  const run = client.commands.run("d", { name: "run" });
  await expect(run.end()).rejects.toThrow("no");
  await expect(Array.fromAsync(run)).rejects.toThrow("no");
  expect(creations()).toHaveLength(1);
});

test("a device's functions are the commands of its blueprint, and awaiting them runs nothing", async () => {
  const client = await connect([{ body: { execution_id: "e" } }]);
  const { commands } = client.device("d");
  await Promise.resolve(commands);
  expect(creations()).toHaveLength(0);
  await commands["set_power"]?.({ power: 5 }, { ephemeral: true, idempotencyKey: "k" }).end();
  expect(JSON.parse(String(creations()[0]?.body))).toEqual({
    name: "set_power",
    arguments: { power: 5 },
    ephemeral: true,
  });
  expect(creations()[0]?.headers["idempotency-key"]).toBe("k");
});
