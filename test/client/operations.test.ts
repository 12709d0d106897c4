// Every operation of the OpenAPI document has a function in the client, which sends what the document says.

import { runInNewContext } from "node:vm";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { type Client, createClient } from "#client/create-client.ts";
import { renderOpenapi } from "#http/openapi.ts";
import { EXAMPLES } from "#http/reference/examples.ts";
import { allRoutes } from "../support/all-routes.ts";
import { operationsOf } from "../support/check-answer.ts";

type Json = Readonly<Record<string, unknown>>;

const ROUTES = allRoutes().filter(({ aliasOf }) => aliasOf === undefined);

const document = renderOpenapi(ROUTES, { version: "0", headerPrefix: "X-Service", cookieName: "busbar" });
const operations = operationsOf(document).map((operation) => ({
  ...operation,
  id: String(operation.spec["operationId"]),
  pattern: new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, "doc");

const at = "2026-11-16T00:00:00Z";
const window = { limit: 5, offset: 1 };
const question = {
  from: at,
  to: 1_800_000_000,
  granularity: "1d",
  aggregation: "auto",
  timezone: "Europe/Berlin",
  gap_filling: { method: "locf", look_around: "1h" },
  telemetry: [{ device: "d", attribute: ["power", "energy"] }],
} as const;

/** Each function with everything that it takes. */
const CALLS: readonly ((client: Client) => unknown)[] = [
  (c) => c.health(),
  (c) => c.ready(),
  (c) => c.system.get(),
  (c) => c.system.log(),
  (c) => c.system.settings(),
  (c) => c.system.putSetting("lua.allow", "public"),
  (c) => c.system.resetSetting("lua.allow"),
  (c) => c.sites.list(window),
  (c) => c.sites.get("s"),
  (c) => c.sites.create({ name: "n", timezone: "UTC", location: { name: "p", latitude: 1, longitude: 2 } }),
  (c) => c.sites.update("s", { name: "n", clear: ["location"] }),
  (c) => c.sites.delete("s"),
  (c) => c.sites.retention("s"),
  (c) => c.sites.putRetention("s", { default: "1y", attributes: { power: "30d" } }),
  (c) => c.sites.energy("s", { period: "today" }),
  (c) => c.devices.list({ ...window, expand: ["manifest", "site"] }),
  (c) => c.devices.listBySite("s", { ...window, expand: ["connectivity"] }),
  (c) => c.devices.get("d", { expand: ["properties"] }),
  (c) => c.devices.update("d", { name: "n", slug: "x", parent_id: null, child_type: null }),
  (c) => c.devices.delete("d"),
  (c) => c.devices.manifest("d", "COMPILED"),
  (c) => c.devices.properties("d"),
  (c) =>
    c.devices.logs("d", {
      ...window,
      received_at_from: at,
      received_at_to: at,
      severity: ["error"],
      order: "RECEIVED_AT_DESC",
      show: "ALL",
    }),
  (c) => c.devices.runtime("d"),
  (c) => c.devices.restart("d"),
  (c) => c.devices.configuration.get("d"),
  (c) => c.devices.configuration.put("d", { bucket: { a: 1 } }),
  (c) => c.devices.configuration.getBucket("d", "bucket"),
  (c) => c.devices.configuration.putBucket("d", "bucket", { a: 1 }),
  (c) => c.devices.simulation("d"),
  (c) => c.devices.adjustSimulation("d", { speed: 2, alerts: { a: true, b: null }, telemetry: { power: 1 } }),
  (c) => c.devices.assignBlueprint("d", "b"),
  (c) => c.devices.generateConfig("d", "MQTTS"),
  (c) => c.provisioning.standalone({ name: "n", slug: "x", site_id: "s", blueprint_id: "b" }),
  (c) => c.provisioning.luaDevice({ name: "n", slug: "x", site_id: "s", blueprint_id: "b" }),
  (c) => c.provisioning.simulatedDevice({ name: "n", slug: "x", site_id: "s", blueprint_id: "b" }),
  (c) => c.provisioning.child({ name: "n", slug: "x", parent_id: "d", child_type: "rack", blueprint_id: "b" }),
  (c) => c.blueprints.list(window),
  (c) => c.blueprints.get("b"),
  (c) => c.blueprints.manifest("b", "ORIGINAL"),
  (c) => c.blueprints.upload(new Uint8Array([0x50, 0x4b])),
  (c) => c.blueprints.validate(new TextEncoder().encode("x: 1")),
  (c) => c.blueprints.uploadProfiles(new Uint8Array([0x50, 0x4b])),
  (c) => c.blueprints.downloadProfiles(),
  (c) => c.blueprints.download("b"),
  (c) => c.catalogue.list({ ...window, q: "solar", category: "batteries" }),
  (c) => c.catalogue.download("e"),
  (c) => c.catalogue.upload("e"),
  (c) => c.tokens.create({ name: "n", level: "user", site_ids: ["s"], expires_in: "30d" }),
  (c) => c.tokens.list(window),
  (c) => c.tokens.current(),
  (c) => c.tokens.revoke("t"),
  (c) => c.sessions.create({ token: "t" }),
  (c) => c.sessions.current(),
  (c) => c.sessions.list(window),
  (c) => c.sessions.end("x"),
  (c) => c.sessions.endCurrent(),
  (c) => c.sessions.endAll(),
  (c) => c.sessions.createCode(),
  (c) =>
    c.audit.list({
      ...window,
      "at.gte": at,
      "at.lt": at,
      "action.in": ["createSite"],
      "site_id.in": ["s"],
      "outcome.in": ["OK"],
      order: "AT_ASC",
    }),
  (c) =>
    c.commands.execute(
      "d",
      { name: "run", arguments: { a: 1 }, ephemeral: true },
      { expand: ["log"], wait: 5, idempotencyKey: "k" },
    ),
  (c) => c.commands.create("d", { name: "run" }, { idempotencyKey: "k" }),
  (c) => c.commands.get("d", "e", { expand: ["log"] }),
  (c) =>
    c.commands.list("d", {
      ...window,
      retention: "ALL",
      order: "CREATED_AT_ASC",
      "created_at.gte": at,
      "created_at.lt": at,
      "name.in": ["a"],
      "state.in": ["NEW"],
    }),
  (c) =>
    c.commands.listBySite("s", {
      "device_id.in": ["d"],
      "device.profiles.has_all": ["p"],
      "device.child_type.in": ["t"],
      "device.parent_id.in": ["d"],
    }),
  (c) => c.events({ "kind.in": ["alert"], "site_id.in": ["s"], "device_id.in": ["d"] }).next(),
  (c) => c.telemetry.now({ d: ["power"] }),
  (c) => c.telemetry.ofDevice("d"),
  (c) => c.telemetry.columns(question),
  (c) => c.telemetry.export("d", { from: at, to: at, attributes: ["power"], form: "csv", shape: "wide", time: "iso" }),
  (c) => c.telemetry.import("d", new TextEncoder().encode("ts\n")),
  (c) =>
    c.alerts.list("d", {
      ...window,
      active: false,
      "state.in": ["HARD"],
      "severity.in": ["error"],
      "raised_at.gte": at,
      "raised_at.lt": at,
      order: "RAISED_AT_ASC",
    }),
  (c) => c.alerts.listBySite("s", { active: true }),
  (c) => c.webhooks.create({ url: "https://x.example", site_ids: ["s"], kinds: ["alert"] }),
  (c) => c.webhooks.list(window),
  (c) => c.webhooks.delete("w"),
  (c) => c.webhooks.test("w"),
  (c) => c.webhooks.deliveries("w", { ...window, "state.in": ["DEAD"], order: "QUEUED_AT_ASC" }),
  (c) => c.webhooks.retry("w", "x"),
  (c) => c.gateways.createJoinCode({ name: "n", expires_in: "1h" }),
  (c) => c.gateways.listJoinCodes(window),
  (c) => c.gateways.withdrawJoinCode("j"),
  (c) => c.gateways.list({ ...window, connected: "true", "version.in": "1.0.0" }),
  (c) => c.gateways.get("g"),
  (c) => c.gateways.overview(),
  (c) => c.gateways.revoke("g"),
  (c) => c.gateways.rotateCredential("g"),
  (c) => c.gateways.giveSite("g", "s"),
  (c) => c.devices.correctCounter("d", { attribute: "e", at, kind: "counter_replaced", new_start: 1, note: "n" }),
  (c) => c.devices.corrections("d", window),
  (c) => c.devices.withdrawCorrection("d", "c"),
  (c) => c.changes.list({ ...window, "site_id.in": ["s"], "device_id.in": ["d"], "state.in": ["PENDING"] }),
  (c) => c.changes.get("c"),
  (c) => c.changes.withdraw("c"),
  (c) => c.rollouts.create({ blueprint_id: "b", devices: { site_ids: ["s"] }, max_failures: 1, timeout: 60 }),
  (c) => c.rollouts.list(window),
  (c) => c.rollouts.get("r"),
  (c) => c.rollouts.devices("r", { ...window, "state.in": "FAILED" }),
  (c) => c.rollouts.pause("r"),
  (c) => c.rollouts.resume("r"),
  (c) => c.rollouts.abort("r"),
  (c) => c.uplink.join({ url: "https://c.example", code: "x" }),
  (c) => c.uplink.get(),
  (c) => c.uplink.leave(),
  (c) => c.backups.create(),
];

/** Operations for machines, browsers and older clients: those whose example has no TypeScript. */
const WITHOUT_FUNCTION = Object.entries(EXAMPLES).flatMap(([id, { ts }]) => (ts === undefined ? [id] : []));

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array | null;
}

/** What a call sends. The answer is a refusal, so that nothing waits for more. */
async function sentBy(call: (client: Client) => unknown): Promise<Sent> {
  let sent: Sent | undefined;
  const fetch = async (url: unknown, { method = "", body }: RequestInit = {}) => {
    sent = { method, url: new URL(String(url)), body: body as Sent["body"] };
    return Response.json({ errors: [{ code: "not_found", message: "no" }] }, { status: 404 });
  };
  const client = createClient({ url: "http://busbar.test", token: "t", fetch: fetch as typeof globalThis.fetch });
  await expect(Promise.resolve(call(client))).rejects.toMatchObject({ code: "not_found" });
  if (sent === undefined) throw new Error("nothing was sent");
  return sent;
}

const found = new Set<string>();

test.each(CALLS.map((call) => [String(call).replaceAll(/\s+/g, " "), call] as const))("%s", async (_text, call) => {
  const { method, url, body } = await sentBy(call);
  const operation = operations
    .filter((one) => one.method === method && one.pattern.test(url.pathname))
    .sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
  if (operation === undefined) throw new Error(`no operation ${method} ${url.pathname}`);
  found.add(operation.id);
  const parameters = (operation.spec["parameters"] ?? []) as readonly { readonly in: string; readonly name: string }[];
  const inQuery = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  expect(inQuery).toEqual(expect.arrayContaining([...url.searchParams.keys()].map((key) => key.replace(/\[.*/, ""))));
  const json = ((operation.spec["requestBody"] as Json | undefined)?.["content"] as Json | undefined)?.[
    "application/json"
  ];
  const schema = (json as Json | undefined)?.["schema"];
  expect(typeof body === "string", "a JSON body").toBe(schema !== undefined);
  if (typeof body !== "string") return;
  const pointer = [
    "paths",
    operation.path,
    method.toLowerCase(),
    "requestBody",
    "content",
    "application/json",
    "schema",
  ];
  const parts = pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
  const validate = ajv.compile({ $ref: `doc#/${parts.join("/")}` });
  validate(JSON.parse(body));
  expect(validate.errors ?? []).toEqual([]);
});

test("no operation is left out, but those for machines, browsers and older clients", () => {
  const left = operations.filter(({ id }) => !found.has(id)).map(({ id }) => id);
  expect(left.sort()).toEqual([...WITHOUT_FUNCTION].sort());
});

const SAMPLES = Object.entries(EXAMPLES).filter(([, { ts }]) => ts !== undefined);

test.each(SAMPLES)("the TypeScript of the example of %s sends what the example says", async (id, example) => {
  const bytes = new TextEncoder().encode("x");
  const { method, url, body } = await sentBy((client) => runInNewContext(example.ts ?? "", { client, bytes }));
  const operation = operations.find((one) => one.id === id);
  expect([method, operation?.pattern.test(url.pathname)]).toEqual([operation?.method, true]);
  expect(Object.fromEntries(url.searchParams)).toEqual(example.query ?? {});
  if (example.body !== undefined) expect(JSON.parse(String(body))).toMatchObject(comparable(id, example.body));
});

/** The TypeScript of these is shorter than the JSON. */
function comparable(id: string, body: unknown): object {
  const { location: _, ...rest } = body as Readonly<Record<string, unknown>>;
  return id === "createSite" ? rest : (body as object);
}

test("every operation has an example, and none is left over", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(operations.map(({ id }) => id).sort());
});
