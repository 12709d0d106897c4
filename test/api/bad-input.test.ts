// Bad input of every kind for every route, generated from the routes themselves: always a 4xx in the one shape. The long run
// has every kind at every route. Here each kind meets a part of the routes, and each route a part of the kinds.
import { Ajv } from "ajv";
import { beforeAll, expect, test } from "vitest";
import { allRoutes } from "../support/all-routes.ts";
import { parseRaw, sendRaw } from "../support/raw-http.ts";
import { IS_LONG } from "../support/rounds.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const routes = allRoutes();
const LONG = "x".repeat(10_000);

const IDS: Readonly<Record<string, string>> = {
  "10,000 characters": LONG,
  "501 characters": "x".repeat(501),
  "500 characters": "x".repeat(500),
  __proto__: "__proto__",
  constructor: "constructor",
  toString: "toString",
  "a null byte": "%00",
  "a cut encoding": "%e4%",
  "an encoding of no character": "%ff%fe",
  "a path upwards": "..%2f..%2fadmin.token",
  "an encoded slash": "%2F",
  SQL: "'%20OR%201=1;--",
  "a wildcard": "*",
  "a percent sign of LIKE": "%25",
  "a comma": "a,b",
  emoji: "%F0%9F%94%8B",
  "an id in braces": "%7B019a8c00-0000-7000-8000-000000000001%7D",
  "a space": "%20",
};

const BODIES: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "broken JSON": '{"name": "x"',
  "JSON with a comma too many": '{"name": "x",}',
  null: "null",
  "an array": "[]",
  "a text": '"text"',
  "a number": "1e400",
  "an array of bodies": '[{"name":"x"}]',
  "an unknown field": '{"nonsense":1}',
  "an unknown field of 10,000 characters": JSON.stringify({ [LONG]: 1 }),
  "__proto__ as a key": '{"__proto__":{"name":"x"}}',
  "constructor as a key": '{"constructor":{"prototype":{"name":"x"}}}',
  "toString as a key": '{"toString":"x"}',
  "a thousand unknown fields": JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, i]))),
  "deep nesting": `{"name":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "deep nesting that is cut off": '{"name":'.repeat(20_000),
  "bytes after the end": "{}\u0000",
};

const WRONG: readonly unknown[] = [null, 0, -1, 1e300, true, [], {}, [[]], LONG, "\u0000", ["__proto__"], { a: 1 }];

function pathWith(path: string, id: string): string {
  return path.replaceAll(/:\w+/g, id);
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, object>>;
  /** False where every field is known beforehand; elsewhere the blueprint knows them. */
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
}

/** One of so many combinations is tried. */
const SHARE = IS_LONG ? 1 : 4;
/** Those of a list that meet the kind at this place. */
const shareOf = <One>(all: readonly One[], kind: number): readonly One[] =>
  all.filter((_, place) => (place + kind) % SHARE === 0);

const isSchema = (body: unknown): body is BodySchema => body !== undefined && !Array.isArray(body);
const withParams = routes.filter((route) => route.path.includes(":"));
const withJson = routes.filter((route) => isSchema(route.body));

let device: string;

beforeAll(async () => {
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "Target" });
  device = made.body.device_id;
});

test.each(Object.keys(IDS))("an id that is %s is a 4xx on routes that take one", async (name) => {
  for (const route of shareOf(withParams, Object.keys(IDS).indexOf(name))) {
    const { method, path, body } = route;
    const json = isSchema(body) ? { name: "x", protocol: "MQTT", blueprint_id: "x" } : undefined;
    const { status } = await busbar.admin.call(method, pathWith(path, IDS[name] ?? ""), { json });
    expect([method, path, status >= 400 && status < 500]).toEqual([method, path, true]);
  }
});

test.each(Object.keys(BODIES))("a body of %s is a 400 on routes that take JSON", async (name) => {
  for (const { method, path, body } of shareOf(withJson, Object.keys(BODIES).indexOf(name))) {
    const answer = await busbar.admin.call(method, pathWith(path, device), { bytes: BODIES[name] ?? "" });
    const isOpen = (body as unknown as BodySchema).additionalProperties !== false;
    expect([method, path, answer.status]).toEqual([method, path, isOpen && answer.status === 404 ? 404 : 400]);
    expect(answer.text.length).toBeLessThan(20_000);
  }
});

test("every field of every body refuses wrong types with a pointer to it", async () => {
  const ajv = new Ajv({ strict: false });
  let tried = 0;
  for (const { method, path, body } of withJson) {
    const { properties = {}, required = [] } = body as unknown as BodySchema;
    for (const [place, [field, schema]] of Object.entries(properties).entries()) {
      for (const value of shareOf(WRONG, place)) {
        const isUnset = value === null && !required.includes(field);
        if (isUnset || ajv.validate(schema, value)) continue;
        const answer = await busbar.admin.call(method, pathWith(path, device), { json: { [field]: value } });
        const what = [path, field, JSON.stringify(value).slice(0, 50)];
        expect([...what, answer.status]).toEqual([...what, 400]);
        const pointers = answer.errors.map((error) => String(error.details?.["pointer"] ?? ""));
        expect(pointers.some((pointer) => pointer.startsWith(`/${field}`))).toBe(true);
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(250);
});

test("a required field that is missing, null or empty is named", async () => {
  for (const { method, path, body } of withJson) {
    for (const field of (body as unknown as BodySchema).required ?? []) {
      // A setting may be empty: then scripts reach no address.
      const empty = path.endsWith("/settings/:setting") ? [] : [{ [field]: "" }];
      for (const json of [{}, { [field]: null }, ...empty]) {
        const answer = await busbar.admin.call(method, pathWith(path, device), { json });
        expect(answer.errors.map((error) => error.details?.["pointer"])).toContain(`/${field}`);
      }
    }
  }
});

test("a body of 2 MiB is 413 wherever a body is taken", async () => {
  const bytes = " ".repeat(2 * 1024 * 1024);
  for (const { method, path, body, streamsBody } of routes) {
    // An import is read as it comes: see docs/decisions/import-reads-as-it-comes.md.
    if (body === undefined || streamsBody === true) continue;
    const answer = await busbar.admin.call(method, pathWith(path, device), { bytes });
    expect([method, path, answer.status]).toEqual([method, path, 413]);
  }
});

test("a body where none is taken does no harm", async () => {
  for (const { method, path, body } of routes) {
    if (body !== undefined || method === "GET") continue;
    const answer = await busbar.admin.call(method, pathWith(path, "unknown"), { bytes: '{"a":' });
    // These are about the caller itself or the installation, and name nothing.
    const isOwn =
      ["/v3/sessions", "/v3/sessions/codes", "/v3/backups"].includes(path) ||
      /^\/v3\/site\/rule_engine\/\w+$/.test(path);
    // There are no passkeys at an address of digits, no provider is set, and only somebody who is signed in to the page lets programs in.
    const refused = new Map([
      ["/v3/sessions/passkey/options", 409],
      ["/v3/provider_sign_ins", 409],
      ["/v3/terminal_sign_ins/:user_code/deny", 403],
    ]);
    const status = refused.get(path) ?? (isOwn ? 200 : 404);
    expect([method, path, answer.status]).toEqual([method, path, status]);
  }
  const head = `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`;
  expect(parseRaw(await sendRaw(busbar.port, head)).status).toBe(200);
});

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  LONG,
  "a[b]",
  "a.b",
  "%00",
  "%ff",
  "limit[]",
  " ",
];

test.each(NAMES)("the query parameter %j is refused on routes", async (name) => {
  for (const { method, path, level } of shareOf(routes, NAMES.indexOf(name))) {
    const answer = await busbar.admin.call(method, `${pathWith(path, device)}?${name}=1`);
    expect([path, level, answer.status]).toEqual([path, level, 400]);
  }
});

test("every query parameter survives nasty values", async () => {
  const values = [
    LONG,
    "__proto__",
    "constructor",
    "toString",
    "%00",
    "%ff",
    "-1",
    "1e9",
    "null",
    "[]",
    ",,,",
    "'--",
    "%F0%9F%94%8B",
  ];
  for (const { method, path, query } of routes) {
    for (const [place, name] of Object.keys(query ?? {}).entries()) {
      for (const value of shareOf(values, place)) {
        const answer = await busbar.admin.call(method, `${pathWith(path, device)}?${name}=${value}`);
        expect([path, name, value.slice(0, 20), answer.status < 500]).toEqual([path, name, value.slice(0, 20), true]);
      }
    }
  }
});

test("a thousand query parameters are refused at once", async () => {
  const query = Array.from({ length: 1000 }, (_, i) => `p${i}=1`).join("&");
  expect((await busbar.admin.get(`/v3/sites?${query}`)).status).toBe(400);
});

test("a list of ten thousand ids in a query is refused or answered, not a fault", async () => {
  const ids = Array.from({ length: 3000 }, (_, i) => i.toString(36)).join(",");
  expect((await busbar.admin.get(`/v3/devices?id.in=${ids}`)).status).toBe(200);
});

test("none of it polluted a prototype", () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)["name"]).toBeUndefined();
});
