// Requests that are malformed, or well formed in an unusual way.
import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import type { ErrorCode } from "#core/app-error.ts";
import { STATUS } from "#http/problem.ts";
import { parseRaw, sendRaw } from "../support/raw-http.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const TOKEN = () => `X-Service-Auth-Token: ${busbar.adminToken}`;

test("a body with a byte order mark is read", async () => {
  const made = await busbar.admin.call("POST", "/v3/sites", { bytes: '\ufeff{"name":"Marked"}' });
  expect(made.status).toBe(200);
});

test.each([
  ["nothing", ""],
  ["broken JSON", '{"name":'],
  ["a bare word", "name"],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ["two documents", "{}{}"],
])("a body of %s is not JSON", async (_, bytes) => {
  const refused = await busbar.admin.call("POST", "/v3/sites", { bytes });
  expect(refused.errors[0]?.code).toBe("invalid_json");
});

test("a refusal of broken JSON does not quote the body, which may hold a secret", async () => {
  const refused = await busbar.admin.call("POST", "/v3/sites", { bytes: '{"name": hunter2hunter2}' });
  expect(refused.text).not.toContain("hunter2");
});

test.each([["null"], ["[]"], ['"text"'], ["5"], ["true"]])("a body of %s is refused as no object", async (bytes) => {
  const refused = await busbar.admin.call("POST", "/v3/sites", { bytes });
  expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "" } });
});

test("a chunked body over 1 MiB is 413 without ever having announced its length", async () => {
  const head = `POST /v3/sites HTTP/1.1\r\nHost: x\r\n${TOKEN()}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  const answer = parseRaw(await sendRaw(busbar.port, head + chunk.repeat(17)));
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.text).errors[0].code).toBe("body_too_large");
  expect(answer.headers.get("x-request-id")).toBeTruthy();
});

test("nothing of a body is read before the token is accepted", async () => {
  const head = "POST /v3/sites HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n";
  expect(parseRaw(await sendRaw(busbar.port, head)).status).toBe(401);
});

test.each([
  ["an unknown path", "GET", "/v3/nothing"],
  ["a path that is none", "GET", "//"],
  ["a wrong method", "PUT", "/v3/sites"],
  ["a method that no operation has", "OPTIONS", "/v3/sites"],
  ["an unknown version", "GET", "/v4/sites"],
  ["a doubled prefix", "GET", "/api/api/v3/sites"],
])("%s is 404 route_not_found", async (_, method, path) => {
  const refused = await busbar.admin.call(method, path);
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "route_not_found"]);
});

test.each([
  ["a request line of garbage", "hello\r\n\r\n"],
  ["a method of garbage", "GÉT / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["a bad header", "GET /healthz HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n"],
  ["headers over 16 KiB", `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`],
  ["a URL over 16 KiB", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["a length that is no number", "POST /v3/sites HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n"],
  [
    "a length and chunks",
    "POST /v3/sites HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
  ],
  ["a bad path encoding", "GET /v3/devices/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["a cut path encoding", "GET /v3/devices/%e4%f HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
  ["a CONNECT", "CONNECT example.com:80 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["an expectation nobody can meet", "GET /v3/nothing HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
])("%s gets a 4xx with errors, a request id and application/json", async (_, bytes) => {
  const answer = parseRaw(await sendRaw(busbar.port, Buffer.from(bytes, "latin1")));
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  const { errors } = JSON.parse(answer.text) as { errors: { code: ErrorCode }[] };
  expect(errors.length).toBeGreaterThan(0);
  for (const { code } of errors) expect(STATUS[code]).toBe(answer.status);
});

test("a broken chunk after a good head is refused and closes the connection", async () => {
  const head = `POST /v3/sites HTTP/1.1\r\nHost: x\r\n${TOKEN()}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const answer = parseRaw(await sendRaw(busbar.port, head));
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).errors[0].code).toBe("invalid_request");
});

test("the server goes on after all that", async () => {
  expect((await busbar.anonymous.get("/healthz")).body).toEqual({ status: "ok" });
});

test.each(["abc", "A-b_c.9", "x".repeat(64)])("a harmless request id %s is taken over", async (id) => {
  const answer = await busbar.admin.get("/v3/sites", { headers: { "X-Request-Id": id } });
  expect(answer.headers.get("x-request-id")).toBe(id);
});

test.each(["", "a b", "x".repeat(65), "<script>", "a;b", "ä"])("the request id %j is replaced", async (id) => {
  const answer = await busbar.admin.get("/v3/sites", { headers: { "X-Request-Id": id } });
  expect(answer.headers.get("x-request-id")).not.toBe(id);
  expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]+$/);
});

test("request ids differ from call to call", async () => {
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await busbar.anonymous.get("/healthz")).headers.get("x-request-id")),
  );
  expect(new Set(ids).size).toBe(20);
});

test("problems of the query and of the body are reported together", async () => {
  const refused = await busbar.admin.post("/v3/sites?pretty=1", { nme: "x" });
  expect(refused.errors.map(({ details }) => details?.["parameter"] ?? details?.["pointer"])).toEqual([
    "pretty",
    "/name",
    "/nme",
  ]);
});

test("a query parameter given twice is refused", async () => {
  expect((await busbar.admin.get("/v3/sites?limit=1&limit=2")).errors[0]?.message).toContain("more than once");
});

test("an operation without query parameters says so", async () => {
  expect((await busbar.anonymous.get("/healthz?verbose=1")).errors[0]?.message).toContain("takes none");
});

test("answers that are data forbid to run, frame, sniff or store them", async () => {
  const { headers } = await busbar.admin.get("/v3/sites");
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
});

test("HEAD answers like GET, without a body", async () => {
  const [head, get] = [await busbar.admin.call("HEAD", "/v3/sites"), await busbar.admin.get("/v3/sites")];
  expect(head.status).toBe(200);
  expect(head.text).toBe("");
  expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
});

test("connections are kept for the next call", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  for (let i = 0; i < 3; i++) {
    await new Promise<void>((resolve, reject) => {
      request({ agent, port: busbar.port, path: "/healthz" }, (response) => {
        ports.add(response.socket.localPort);
        response.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  }
  agent.destroy();
  expect(ports.size).toBe(1);
});
