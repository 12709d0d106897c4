import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { LuaValue } from "#drivers/lua-value.ts";
import { createReach } from "#drivers/net/create-reach.ts";
import { openSiteAuthority } from "#mqtt/pki/open-site-authority.ts";
import { reachRules, startDrivers } from "../../../test/support/drivers.ts";
import { startUpgradingServer } from "../../../test/support/upgrading-server.ts";
import { createHttpConnection } from "./http-connection.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

async function serve(answer: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body: Buffer.concat(pieces) };
      seen.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, seen };
}

interface Options {
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly timeout?: number;
  readonly jar?: number;
}

function client(...allow: readonly string[]) {
  const { drivers } = startDrivers(...allow);
  return async (method: string, url: string, { headers, body, timeout, jar }: Options = {}) => {
    const [answer, problem] = await drivers.call("http.send", [method, url, headers, body, timeout, false, jar]);
    const fields = answer instanceof Map ? (answer as ReadonlyMap<string, LuaValue>) : new Map<string, LuaValue>();
    return {
      code: fields.get("code"),
      body: fields.get("body"),
      headers: fields.get("headers"),
      cookies: fields.get("cookies"),
      problem,
    };
  };
}

test("a request goes out as it was made, and the answer comes back byte by byte", async () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const { url, seen } = await serve((response, { body }) => response.writeHead(201, { "X-One": "1" }).end(body));
  const send = client("127.0.0.1");
  const answer = await send("post", `${url}/a?b=c`, {
    headers: [
      ["Content-Type", "application/octet-stream"],
      ["auth-token", "t"],
    ],
    body: every.toString("latin1"),
  });
  expect(answer).toMatchObject({ code: 201, body: every.toString("latin1"), problem: undefined });
  expect(seen[0]).toMatchObject({ method: "POST", url: "/a?b=c", body: every });
  expect(seen[0]?.headers).toMatchObject({
    "content-type": "application/octet-stream",
    "auth-token": "t",
    "content-length": "256",
    "user-agent": "Busbar",
    host: new URL(url).host,
  });
});

test("a name and password in the URL are a login", async () => {
  const { url, seen } = await serve((response) => response.end());
  const send = client("127.0.0.1");
  await send("GET", url.replace("http://", "http://Aladdin:open%20sesame@"));
  await send("GET", url.replace("http://", "http://a:%zz@"), { headers: [["Authorization", "Bearer own"]] });
  await send("GET", url.replace("http://", "http://a:%zz@"));
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "Bearer own",
    `Basic ${Buffer.from("a:%zz").toString("base64")}`,
  ]);
});

test("headers are lists by their usual name, cookies are kept apart", async () => {
  const { url } = await serve((response) =>
    response
      .writeHead(404, [
        ...["content-type", "application/json; charset=UTF-8"],
        ...["cache-control", "no-store, max-age=0"],
        ...["last-modified", "Sun, 06 Nov 1994 08:49:37 GMT"],
        ...["set-cookie", "sid=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT; HttpOnly"],
        ...["set-cookie", "lang=de"],
      ])
      .end("no"),
  );
  const { code, headers, cookies } = await client("127.0.0.1")("GET", url);
  expect(code).toBe(404);
  expect(headers).toBeInstanceOf(Map);
  expect(Object.fromEntries(headers as ReadonlyMap<string, LuaValue>)).toMatchObject({
    "Content-Type": ["application/json", "charset=UTF-8"],
    "Cache-Control": ["no-store", "max-age=0"],
    "Last-Modified": ["Sun, 06 Nov 1994 08:49:37 GMT"],
    "Set-Cookie": [expect.any(String), "lang=de"],
  });
  expect(cookies).toEqual([
    new Map(Object.entries({ name: "sid", value: "1", expires: "Sun, 06 Nov 2094 08:49:37 GMT" })),
    new Map(Object.entries({ name: "lang", value: "de", expires: "" })),
  ]);
});

test.each([
  ["http://127.0.0.1:1/", ["public", "private"], "127.0.0.1:1 is not allowed for this device"],
  ["http://localhost:1/", ["private"], "localhost:1 is not allowed for this device"],
  ["http://2130706433/", ["0.0.0.0/0"], "127.0.0.1:80 is not allowed for this device"],
  ["http://0x7f.1/", ["public"], "127.0.0.1:80 is not allowed for this device"],
  ["http://[::ffff:127.0.0.1]/", ["public"], "is not allowed for this device"],
  ["https://169.254.169.254/latest", ["public", "169.254.0.0/16"], "169.254.169.254:443 is not allowed"],
  ["http://127.0.0.1:1/", ["127.0.0.1"], "the connection was refused"],
  ["ftp://127.0.0.1/", ["127.0.0.1"], "a URL starts with http:// or https://, not ftp:"],
  ["file:///etc/passwd", ["127.0.0.1"], "a URL starts with http:// or https://, not file:"],
  ["nonsense", ["127.0.0.1"], '"nonsense" is no URL'],
])("%s with %j: %s", async (url, allow, problem) => {
  expect(await client(...allow)("GET", url)).toMatchObject({
    code: undefined,
    problem: expect.stringContaining(problem),
  });
});

test("redirects are followed to where the device may go, with the method that fits", async () => {
  const { url, seen } = await serve((response, { url: path }) => {
    const code = Number(path?.slice(1));
    if (code) response.writeHead(code, { Location: "/end" }).end();
    else response.end("there");
  });
  const send = client("127.0.0.1");
  for (const code of [301, 302, 303, 307, 308])
    expect(
      await send("POST", `${url}/${code}`, { body: "x", headers: [["Content-Type", "text/plain"]] }),
    ).toMatchObject({ body: "there" });
  const ends = seen.filter(({ url: path }) => path === "/end");
  expect(ends.map(({ method, body }) => `${method} ${body}`)).toEqual(["GET ", "GET ", "GET ", "POST x", "POST x"]);
  expect(ends[0]?.headers["content-type"]).toBeUndefined();
});

test("a redirect to where the device may not go is not followed", async () => {
  const inner = await serve((response) => response.end("secret"));
  const { url, port } = await serve((response) => response.writeHead(302, { Location: inner.url }).end());
  expect(await client(`127.0.0.1:${port}`)("GET", url)).toMatchObject({
    problem: expect.stringContaining("is not allowed for this device"),
  });
  expect(inner.seen).toEqual([]);
});

test("what is said to one host is not said to another that it redirects to", async () => {
  const other = await serve((response) => response.end("ok"));
  const { url } = await serve((response, { url: path }) =>
    path === "/same"
      ? response.end("same")
      : response.writeHead(307, { Location: path === "/" ? "/same" : other.url }).end(),
  );
  const send = client("127.0.0.1");
  const headers = [
    ["Authorization", "Basic x"],
    ["Cookie", "a=b"],
    ["X-Other", "1"],
  ] as const;
  await send("GET", `${url}/away`, { headers });
  expect(other.seen[0]?.headers).toMatchObject({ "x-other": "1" });
  expect(other.seen[0]?.headers).not.toHaveProperty("authorization");
  expect(other.seen[0]?.headers).not.toHaveProperty("cookie");
});

test("redirects without end are given up", async () => {
  const { url, seen } = await serve((response) => response.writeHead(302, { Location: "/again" }).end());
  expect(await client("127.0.0.1")("GET", url)).toMatchObject({ problem: "more than 5 redirects" });
  expect(seen).toHaveLength(6);
});

test("an answer that is too long is refused", async () => {
  const { url } = await serve((response) => {
    response.write(Buffer.alloc(1024 * 1024));
    response.end("x");
  });
  expect(await client("127.0.0.1")("GET", url)).toMatchObject({
    problem: expect.stringMatching(/^the answer of .* is longer than 1048576 bytes$/),
  });
});

test("an answer that does not come, or does not end, is given up in time", async () => {
  const { url } = await serve((response, { url: path }) => {
    if (path === "/slow") response.writeHead(200).write("a");
  });
  const send = client("127.0.0.1");
  for (const path of ["/never", "/slow"])
    expect(await send("GET", url + path, { timeout: 0.05 })).toMatchObject({ problem: "no answer within 50 ms" });
});

test("a server that breaks off or speaks otherwise is explained in words", async () => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      if (bytes.includes("/odd")) socket.end("SSH-2.0-x\r\n\r\n");
      else if (bytes.includes("/cut")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
      else socket.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = client("127.0.0.1");
  expect((await send("GET", `${url}/odd`)).problem).toBe("the answer is no HTTP");
  expect((await send("GET", `${url}/cut`)).problem).toBe("the connection broke");
  expect((await send("GET", `${url}/bye`)).problem).toBe("the connection broke");
});

test("a connection that is open is no longer used when the rules have changed", async () => {
  const { port, seen } = await serve((response) => void response.end("ok"));
  let rules = reachRules("localhost");
  const http = createHttpConnection({ reach: createReach({ rules: () => rules }), now: Date.now });
  onTestFinished(() => http.close());
  const get = () =>
    http.send({
      ...{ method: "GET", url: `http://localhost:${port}/`, headers: [], body: undefined },
      ...{ timeoutMs: 30_000, isInsecure: false, jar: undefined },
    });
  expect([(await get()).code, (await get()).code]).toEqual([200, 200]);
  // Public names are looked up, and only then is it known where they lead.
  rules = reachRules("public");
  await expect(get()).rejects.toThrow(`localhost:${port} is not allowed for this device`);
  expect(seen).toHaveLength(2);
});

test("a request has one Host, which may be the script's", async () => {
  const { url, seen } = await serve((response) => void response.end("ok"));
  const send = client("127.0.0.1");
  const two = await send("GET", url, {
    headers: [
      ["Host", "one"],
      ["host", "two"],
    ],
  });
  expect(two.problem).toBe("a request has at most one header Host");
  await send("GET", url, { headers: [["host", "one"]] });
  expect(seen.map(({ headers }) => headers.host)).toEqual(["one"]);
});

test("a server that switches to another protocol has answered, and nobody waits for it", async () => {
  const { problem } = await client("127.0.0.1")("GET", await startUpgradingServer());
  expect(problem).toMatch(/switches to another protocol, which nobody asked for$/);
});

test("a jar keeps cookies for their host, through redirects too", async () => {
  const { url, seen } = await serve((response, { url: path }) => {
    if (path === "/login") response.writeHead(302, { Location: "/", "Set-Cookie": ["sid=1; Path=/", "x=2"] }).end();
    else if (path === "/logout") response.writeHead(200, { "Set-Cookie": "sid=; Max-Age=0" }).end();
    else response.end("ok");
  });
  const send = client("127.0.0.1");
  await send("POST", `${url}/login`, { jar: 1 });
  await send("GET", `${url}/one`, { jar: 1, headers: [["Cookie", "own=3"]] });
  await send("GET", `${url}/two`, { jar: 2 });
  await send("GET", `${url}/three`);
  await send("GET", `${url}/logout`, { jar: 1 });
  await send("GET", `${url}/four`, { jar: 1 });
  expect(seen.map(({ url: path, headers }) => [path, headers.cookie])).toEqual([
    ["/login", undefined],
    ["/", "sid=1; x=2"],
    ["/one", "own=3; sid=1; x=2"],
    ["/two", undefined],
    ["/three", undefined],
    ["/logout", "sid=1; x=2"],
    ["/four", "x=2"],
  ]);
});

test.each<[string, string, Options, string]>([
  ["BREW", "/", {}, 'method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, got "BREW"'],
  ["GET", "/", { headers: [["a b", "c"]] }, '"a b" is no name of a header'],
  ["GET", "/", { headers: [["a", "b\r\nc: d"]] }, "the value of header a has characters that no header may have"],
  ["GET", "/", { timeout: 0 }, "timeout must be longer than 0 s, got 0"],
  ["POST", "/", { body: "x".repeat(1024 * 1024 + 1) }, "body must not be longer than 1048576 bytes, got 1048577"],
])("%s %s %j says: %s", async (method, path, options, problem) => {
  expect((await client("127.0.0.1")(method, `http://127.0.0.1:1${path}`, options)).problem).toBe(problem);
});

test("headers that belong to the connection are left out alone", async () => {
  const { url, seen } = await serve((response) => response.end("ok"));
  const own = ["TE", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Trailer", "Expect", "Keep-Alive"];
  const headers: [string, string][] = [...own.map((name): [string, string] => [name, "5"]), ["X-Own", "yes"]];
  const answer = await client("127.0.0.1")("POST", url, { headers, body: "four" });
  expect(answer.problem).toBeUndefined();
  expect(seen[0]?.headers).toMatchObject({ "x-own": "yes", "content-length": "4" });
  for (const name of ["te", "transfer-encoding", "upgrade", "trailer", "expect"])
    expect(seen[0]?.headers).not.toHaveProperty(name);
});

test("connections are kept for the next request", async () => {
  const ports = new Set<number | undefined>();
  const { url } = await serve((response) => {
    ports.add(response.socket?.remotePort);
    response.end("ok");
  });
  const send = client("127.0.0.1");
  for (let round = 0; round < 5; round++) await send("GET", url);
  expect(ports.size).toBe(1);
});

test("a certificate that nobody vouches for is refused, unless the client takes any", async () => {
  const folder = mkdtempSync(join(tmpdir(), "busbar-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { privateKey, certificate } = openSiteAuthority(folder, () => instant(Date.now())).serverIdentity([
    "localhost",
  ]);
  const server = createTlsServer({ key: privateKey, cert: certificate }, (_, response) => response.end("sealed"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { drivers } = startDrivers("127.0.0.1");
  const send = (isInsecure: boolean) => drivers.call("http.send", ["GET", url, [], undefined, 5, isInsecure]);
  expect(await send(false)).toEqual([undefined, expect.stringMatching(/^TLS failed: /)]);
  const [answer] = await send(true);
  expect(answer instanceof Map && answer.get("body")).toBe("sealed");
  // A connection that was made without care does not serve one that asks for it.
  expect(await send(false)).toEqual([undefined, expect.stringMatching(/^TLS failed: /)]);
});
