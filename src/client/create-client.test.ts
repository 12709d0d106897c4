import { afterEach, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { type Client, createClient } from "./create-client.ts";
import { ApiError, UnreachableError } from "./errors.ts";
import { listAll } from "./list-all.ts";

let server: FakeBusbar | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function connect(routes: Parameters<typeof startFakeBusbar>[0], options: object = {}): Promise<Client> {
  server = await startFakeBusbar(routes);
  return createClient({ url: server.url, token: "bb_secret", timeout: 5_000, ...options });
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What each call sends: `METHOD path?query {body}`. */
test.each<[string, (client: Client) => Promise<unknown>]>([
  ["GET /healthz", (client) => client.health()],
  ["GET /readyz", (client) => client.ready()],
  ["GET /v3/sites", (client) => client.sites.list()],
  ["GET /v3/sites?limit=5&offset=10", (client) => client.sites.list({ limit: 5, offset: 10 })],
  ["GET /v3/sites/s%2F1", (client) => client.sites.get("s/1")],
  ['POST /v3/sites {"name":"a"}', (client) => client.sites.create({ name: "a" })],
  ['PATCH /v3/sites/s1 {"timezone":"UTC"}', (client) => client.sites.update("s1", { timezone: "UTC" })],
  ["DELETE /v3/sites/s1", (client) => client.sites.delete("s1")],
  [
    "GET /v3/devices?expand=manifest%2Cproperties",
    (client) => client.devices.list({ expand: ["manifest", "properties"] }),
  ],
  ["GET /v3/sites/s1/devices?limit=0", (client) => client.devices.listBySite("s1", { limit: 0 })],
  ["GET /v3/devices/meter-1", (client) => client.devices.get("meter-1")],
  ['PATCH /v3/devices/d {"slug":"x"}', (client) => client.devices.update("d", { slug: "x" })],
  ["DELETE /v3/devices/d", (client) => client.devices.delete("d")],
  ["GET /v3/devices/d/manifest", (client) => client.devices.manifest("d")],
  ["GET /v3/devices/d/properties", (client) => client.devices.properties("d")],
  ["GET /v3/devices/d/runtime", (client) => client.devices.runtime("d")],
  ["POST /v3/devices/d/runtime/restart", (client) => client.devices.restart("d")],
  ['POST /v3/devices/d/assign_blueprint {"blueprint_id":"b"}', (client) => client.devices.assignBlueprint("d", "b")],
  ['POST /v3/devices/d/generate_config {"protocol":"MQTTS"}', (client) => client.devices.generateConfig("d", "MQTTS")],
  [
    'POST /v3/provisioning/standalone {"name":"n","site_id":"s"}',
    (client) => client.provisioning.standalone({ name: "n", site_id: "s" }),
  ],
  [
    'POST /v3/provisioning/lua_device {"name":"n","blueprint_id":"b"}',
    (client) => client.provisioning.luaDevice({ name: "n", blueprint_id: "b" }),
  ],
  [
    'POST /v3/provisioning/child_device {"name":"n","parent_id":"p","child_type":"t"}',
    (client) => client.provisioning.child({ name: "n", parent_id: "p", child_type: "t" }),
  ],
  [
    "GET /v3/devices/d/logs?received_at_from=x&severity=error%2Cwarning&order=RECEIVED_AT_DESC",
    (client) =>
      client.devices.logs("d", { received_at_from: "x", severity: ["error", "warning"], order: "RECEIVED_AT_DESC" }),
  ],
  ["GET /v3/devices/d/configuration", (client) => client.devices.configuration.get("d")],
  ['PUT /v3/devices/d/configuration {"b":{"k":1}}', (client) => client.devices.configuration.put("d", { b: { k: 1 } })],
  ["GET /v3/devices/d/configuration/b", (client) => client.devices.configuration.getBucket("d", "b")],
  ['PUT /v3/devices/d/configuration/b {"k":1}', (client) => client.devices.configuration.putBucket("d", "b", { k: 1 })],
  [
    'POST /v3/devices/d/commands/execute?expand=log {"name":"run","arguments":{"a":1},"ephemeral":true}',
    (client) =>
      client.commands.execute("d", { name: "run", arguments: { a: 1 }, ephemeral: true }, { expand: ["log"] }),
  ],
  ['POST /v3/devices/d/commands/executions {"name":"run"}', (client) => client.commands.create("d", { name: "run" })],
  ["GET /v3/devices/d/commands/executions/e", (client) => client.commands.get("d", "e")],
  [
    "GET /v3/devices/d/commands/executions?state.in=ERROR%2CTIMEOUT&order=CREATED_AT_DESC&limit=3",
    (client) => client.commands.list("d", { "state.in": ["ERROR", "TIMEOUT"], order: "CREATED_AT_DESC", limit: 3 }),
  ],
  [
    "GET /v3/sites/s/commands/executions?device.profiles.has_all=a%2Cb",
    (client) => client.commands.listBySite("s", { "device.profiles.has_all": ["a", "b"] }),
  ],
  ["GET /v3/blueprints", (client) => client.blueprints.list()],
  ["GET /v3/blueprints/b", (client) => client.blueprints.get("b")],
  [
    "POST /v3/blueprints/upload blueprint_spec: x",
    (client) => client.blueprints.upload(Buffer.from("blueprint_spec: x")),
  ],
  ["POST /v3/blueprints/validate x", (client) => client.blueprints.validate(Buffer.from("x"))],
  ['POST /v3/tokens {"name":"n","level":"user"}', (client) => client.tokens.create({ name: "n", level: "user" })],
  ["GET /v3/tokens", (client) => client.tokens.list()],
  ["DELETE /v3/tokens/t", (client) => client.tokens.revoke("t")],
  [
    "GET /v3/audit?at.gte=x&outcome.in=OK%2CREFUSED&order=AT_ASC",
    (client) => client.audit.list({ "at.gte": "x", "outcome.in": ["OK", "REFUSED"], order: "AT_ASC" }),
  ],
])("%s is what is sent", async (expected, call) => {
  const answer = () => ({ body: { answered: true } });
  const [method = "", target = ""] = expected.split(" ");
  const client = await connect({ [`${method} ${target.split("?")[0]}`]: answer });
  expect(await call(client)).toEqual({ answered: true });
  const [request] = server?.requests ?? [];
  const sent = `${request?.method} ${request?.target} ${request?.body}`.trim();
  expect(sent).toBe(expected);
  expect(request?.headers["x-service-auth-token"]).toBe("bb_secret");
});

test("a command may carry a key that makes a repetition safe, and how long to wait", async () => {
  const client = await connect({ "POST /v3/devices/d/commands/execute": () => ({ body: {} }) });
  await client.commands.execute("d", { name: "run" }, { wait: 5, idempotencyKey: "k" });
  expect(server?.requests[0]?.headers).toMatchObject({ prefer: "wait=5", "idempotency-key": "k" });
  await client.commands.execute("d", { name: "run" });
  expect(server?.requests[1]?.headers).not.toHaveProperty("prefer");
});

test("the address may have a path, and the header another prefix", async () => {
  server = await startFakeBusbar({ "GET /api/v3/sites": () => ({ body: { sites: [], total_count: 0 } }) });
  await createClient({ url: `${server.url}/api/`, token: "t", headerPrefix: "X-Enapter" }).sites.list();
  expect(server.requests[0]?.headers["x-enapter-auth-token"]).toBe("t");
});

test("a package comes back byte for byte", async () => {
  const bytes = Uint8Array.from([0x50, 0x4b, 0, 255, 13, 10]);
  const client = await connect({ "GET /v3/blueprints/b/zip": () => ({ body: bytes }) });
  expect(await client.blueprints.download("b")).toEqual(bytes);
});

test("a zip says that it is one", async () => {
  const client = await connect({ "POST /v3/blueprints/upload": () => ({ body: {} }) });
  await client.blueprints.upload(Buffer.from("PK\u0003\u0004"));
  expect(server?.requests[0]?.headers["content-type"]).toBe("application/zip");
});

test("a refusal is an ApiError with every item and the request id", async () => {
  const errors = [
    { code: "invalid_body", message: "name is missing", details: { pointer: "/name" } },
    { code: "invalid_body", message: "timezone is unknown" },
  ];
  const client = await connect({ "POST /v3/sites": () => ({ status: 400, body: { errors } }) });
  const failure = await failureOf(client.sites.create({ name: "" }));
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({
    status: 400,
    code: "invalid_body",
    message: "name is missing",
    details: { pointer: "/name" },
    errors,
    requestId: "request-1",
  });
});

test.each<[string, { status: number; body: unknown }]>([
  ["an error page", { status: 502, body: "<html>" }],
  ["errors that are none", { status: 500, body: { errors: [] } }],
  ["errors of another kind", { status: 500, body: { errors: [{ what: 1 }, null, 3] } }],
  ["a page where JSON was expected", { status: 200, body: "<html>" }],
  ["a bare value", { status: 200, body: "3" }],
])("%s is an ApiError that says so", async (_what, answer) => {
  const client = await connect({ "GET /v3/sites": () => answer });
  expect(await failureOf(client.sites.list())).toMatchObject({ status: answer.status, code: "strange_answer" });
});

test("a redirect is not followed, because it would take the token along", async () => {
  const client = await connect({
    "GET /v3/sites": () => ({ status: 302, headers: { Location: "/elsewhere" }, body: "" }),
  });
  expect(await failureOf(client.sites.list())).toMatchObject({ reason: "redirect" });
  expect(server?.requests).toHaveLength(1);
});

test("silence ends with a timeout", async () => {
  const client = await connect({ "GET /v3/sites": () => "hang" }, { timeout: 50 });
  expect(await failureOf(client.sites.list())).toMatchObject({ reason: "timeout" });
});

test("the caller can give up", async () => {
  const client = await connect({ "GET /healthz": () => "hang" });
  expect(await failureOf(client.health({ signal: AbortSignal.abort() }))).toMatchObject({ reason: "aborted" });
});

test("a broken connection and a closed port are distinguished", async () => {
  const client = await connect({ "GET /v3/sites": () => "cut" });
  expect(await failureOf(client.sites.list())).toMatchObject({ reason: "connection" });
  await server?.stop();
  const failure = await failureOf(client.sites.list());
  expect(failure).toBeInstanceOf(UnreachableError);
  expect(failure).toMatchObject({ reason: "refused" });
});

test.each(["", ".", ".."])(
  "the id %j, which an address would swallow, is refused before anything is sent",
  async (id) => {
    const client = await connect({});
    expect(() => client.sites.delete(id)).toThrow(RangeError);
    expect(server?.requests).toHaveLength(0);
  },
);

test("listAll walks through all pages once", async () => {
  const all = Array.from({ length: 1201 }, (_, index) => ({ id: `s${index}` }));
  const client = await connect({
    "GET /v3/sites": (_request, query) => {
      const offset = Number(query.get("offset"));
      return { body: { sites: all.slice(offset, offset + Number(query.get("limit"))), total_count: all.length } };
    },
  });
  const found = await Array.fromAsync(listAll("sites", client.sites.list));
  expect(found).toEqual(all);
  expect(server?.requests).toHaveLength(3);
});

test("listAll ends when the list shrinks while it is read", async () => {
  const client = await connect({ "GET /v3/sites": () => ({ body: { sites: [], total_count: 9 } }) });
  expect(await Array.fromAsync(listAll("sites", client.sites.list))).toEqual([]);
});
