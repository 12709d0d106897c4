// Two families of clients, with their own beginnings of header names, use one server at once.
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../support/server.ts";
import { useTelemetry } from "../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0", "--http-header-prefixes", "X-Acme"]);
const kit = useTelemetry(busbar);

beforeAll(async () => {
  await (await kit.connect("meter")).send("60 power=1 note=x");
});

test.each(["X-Service-Auth-Token", "X-Enapter-Auth-Token", "x-enapter-auth-token", "X-Acme-Auth-Token"])(
  "the token is taken from %s, and a stranger's token is not",
  async (name) => {
    expect((await busbar.anonymous.get("/v3/sites", { headers: { [name]: busbar.adminToken } })).status).toBe(200);
    expect((await busbar.anonymous.get("/v3/sites", { headers: { [name]: "wrong" } })).status).toBe(401);
  },
);

test.each(["Bearer", "bearer", "BEARER "])("the token is taken from Authorization: %s", async (scheme) => {
  const as = (token: string) => busbar.anonymous.get("/v3/sites", { headers: { Authorization: `${scheme} ${token}` } });
  expect((await as(busbar.adminToken)).status).toBe(200);
  expect((await as("wrong")).status).toBe(401);
});

test.each([
  ["X-Other-Auth-Token", (token: string) => token],
  ["Authorization", (token: string) => `Basic ${token}`],
  ["Authorization", (token: string) => token],
])("%s of another kind carries no token", async (name, value) => {
  const refused = await busbar.anonymous.get("/v3/sites", { headers: { [name]: value(busbar.adminToken) } });
  expect(refused.status).toBe(401);
});

test("an empty header counts as not given, so that another one carries the token", async () => {
  const headers = { "X-Service-Auth-Token": "", "X-Enapter-Auth-Token": busbar.adminToken };
  expect((await busbar.anonymous.get("/v3/sites", { headers })).status).toBe(200);
  const bearer = { "X-Service-Auth-Token": "", Authorization: `Bearer ${busbar.adminToken}` };
  expect((await busbar.anonymous.get("/v3/sites", { headers: bearer })).status).toBe(200);
});

test("headers that clients of the ecosystem add change nothing", async () => {
  const headers = { "X-Enapter-Auth-User": "does_not_exist", "X-Enapter-Allow-HTTP": "true" };
  expect((await busbar.admin.get("/v3/sites", { headers })).status).toBe(200);
});

/** The lines of headers in which the answer says the types of its columns, as they were sent. */
function typeLines(header: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const telemetry = ["power", "note"].map((attribute) => ({ device: "meter", attribute }));
  const body = JSON.stringify({ from: 0, to: 600, granularity: "1m", aggregation: "auto", telemetry });
  return new Promise((resolve, reject) => {
    const call = request(`${busbar.url}/telemetry/v1/timeseries`, { method: "POST", headers: header }, (answer) => {
      const { rawHeaders } = answer.resume();
      const pairs = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[at + 1]}`] : [],
      );
      resolve(pairs.filter((line) => /-Data-Types:/i.test(line)));
    });
    call.on("error", reject).end(body);
  });
}

test("an answer's headers begin like the header with the token: one line for X-Service, a line a column for others", async () => {
  const token = busbar.adminToken;
  const answers = await Promise.all([
    typeLines({ "X-Service-Auth-Token": token }),
    typeLines({ "X-Enapter-Auth-Token": token }),
    typeLines({ "X-Acme-Auth-Token": token }),
    typeLines({ Authorization: `Bearer ${token}` }),
  ]);
  const name = (prefix: string) => `${prefix.toLowerCase()}-timeseries-data-types`;
  expect(answers).toEqual([
    [`${name("X-Service")}: float,string`],
    [`${name("X-Enapter")}: float`, `${name("X-Enapter")}: string`],
    [`${name("X-Acme")}: float`, `${name("X-Acme")}: string`],
    [`${name("X-Service")}: float,string`],
  ]);
});

test("the document and the pages name the first prefix of the setting", async () => {
  const { securitySchemes } = busbar.document["components"] as { securitySchemes: { token: { name: string } } };
  expect(securitySchemes.token.name).toBe("X-Acme-Auth-Token");
  expect((await busbar.anonymous.get("/")).text).toContain("X-Acme-Auth-Token");
});
