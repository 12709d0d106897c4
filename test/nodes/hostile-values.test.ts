// Values that SQLite takes and PostgreSQL refuses: U+0000, halves of surrogate pairs, numbers beyond 64 bits, and texts
// that are too long for an index. None of them may be a fault of the service.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest } from "../support/blueprints.ts";
import { NODE_ADMIN_TOKEN, type Node, openNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
let node: Node;
beforeAll(async () => {
  server = await startPostgres();
  node = await openNode({ url: await server.prepared("values") });
  // PostgreSQL reads a list only where a row is compared with it.
  const { id } = (await node.admin.post("/v3/sites", { name: "First" })).body.site;
  await node.admin.post("/v3/provisioning/standalone", { name: "First", site_id: id, slug: "first" });
});
afterAll(async () => {
  await node.stop();
  await server.stop();
});

const HOSTILE = [
  "a%00b",
  "%ED%A0%80",
  `${"9".repeat(40)}`,
  "1.5",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.9999999Z",
  randomBytes(2_500).toString("hex"),
];
const AT_ONCE = 16;
/** What a call holds open, or sends elsewhere. */
const LEFT_OUT = /events|\/link|stream|backups|live/;

interface Parameter {
  readonly name: string;
  readonly in: string;
}
type Operations = Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>;

async function statusOf(method: string, path: string): Promise<number> {
  const headers = { "X-Service-Auth-Token": NODE_ADMIN_TOKEN };
  const hasBody = method !== "GET" && method !== "DELETE";
  const response = await fetch(node.url + path, { method, headers, ...(hasBody && { body: "{}" }) });
  await response.arrayBuffer();
  return response.status;
}

test("no parameter of any operation is a fault on PostgreSQL", async () => {
  const paths: Readonly<Record<string, Operations>> = (await node.admin.get("/openapi.json")).body.paths;
  const calls: [string, string][] = [];
  for (const [path, operations] of Object.entries(paths)) {
    if (LEFT_OUT.test(path)) continue;
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      for (const hostile of HOSTILE) {
        const filled = path.replaceAll(/\{\w+\}/g, hostile.slice(0, 1_000));
        if (filled !== path) calls.push([method.toUpperCase(), filled]);
        if (method !== "get") continue;
        for (const { name, in: place } of parameters) {
          if (place === "query") calls.push(["GET", `${path.replaceAll(/\{\w+\}/g, "x")}?${name}=${hostile}`]);
        }
      }
    }
  }
  expect(calls.length).toBeGreaterThan(500);
  const faults: string[] = [];
  for (let at = 0; at < calls.length; at += AT_ONCE) {
    const some = calls.slice(at, at + AT_ONCE).map(async ([method, path]) => {
      const status = await statusOf(method, path);
      if (status >= 500) faults.push(`${status} ${method} ${path.slice(0, 120)}`);
    });
    await Promise.all(some);
  }
  expect(faults).toEqual([]);
});

test("the audit log takes any text as a filter, and finds nothing by it", async () => {
  for (const filter of ["action.in=%00", "site_id.in=%00", "action.in=a,%00b,%EF%BF%BD"]) {
    const { status, body } = await node.admin.get(`/v3/audit?${filter}`);
    expect([filter, status, body.total_count]).toEqual([filter, 200, 0]);
  }
});

test.each([
  ["U+0000", "a\u0000b", "a\uFFFDb"],
  ["half of a surrogate pair", "a\ud800b", "a\uFFFDb"],
  ["5,000 letters", randomBytes(2_500).toString("hex"), undefined],
])("%s in what is stored is refused or replaced", async (_, text, stored) => {
  const made = await node.admin.post("/v3/sites", { name: text });
  const shown = async () => (await node.admin.get(`/v3/sites/${made.body.site.id}`)).body.site.name;
  expect(made.status === 200 ? await shown() : stored).toBe(stored);
  expect([200, 400]).toContain(made.status);
  const { id } = (await node.admin.post("/v3/sites", { name: "Values" })).body.site;
  for (const [path, body] of [
    ["/v3/provisioning/standalone", { name: text, site_id: id }],
    ["/v3/provisioning/standalone", { name: "D", site_id: text }],
    ["/v3/provisioning/standalone", { name: "D", site_id: id, slug: text }],
    ["/v3/tokens", { name: text, level: "readonly" }],
    ["/v3/tokens", { name: "t", level: "readonly", site_ids: [text] }],
    ["/v3/webhooks", { url: `https://example.com/${text}`, kinds: ["alert"] }],
    ["/telemetry/v1/timeseries", { from: 0, to: 1, granularity: "1s", telemetry: [{ device: text, attribute: text }] }],
  ] as const) {
    const { status } = await node.admin.post(path, body);
    expect([path, status < 500]).toEqual([path, true]);
  }
});

test("a manifest with a name that no index holds is refused with its place", async () => {
  const long = `a${randomBytes(2_500).toString("hex")}`;
  const named = manifest("Long").replace("telemetry:", `telemetry:\n  ${long}:\n    type: float\n    display_name: L`);
  for (const bytes of [manifest(long), named]) {
    const { status, body } = await node.admin.post("/v3/blueprints/upload", bytes);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("at most")]);
  }
});
