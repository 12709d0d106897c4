import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeBusbar, startFakeBusbar } from "../../../test/support/fake-busbar.ts";
import { runBusbar } from "../../../test/support/run-busbar.ts";

const token = { id: "t1", name: "operator", level: "owner", site_ids: ["s1"] };
let home: string;
let server: FakeBusbar;
let file: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "busbar-home-"));
  file = join(home, ".config/busbar/connections.json");
  server = await startFakeBusbar({
    "GET /v3/tokens/current": ({ headers }) =>
      headers["x-service-auth-token"] === "secret"
        ? { body: { token } }
        : { status: 401, body: { errors: [{ code: "unauthorized", message: "the token is unknown" }] } },
    "GET /v3/sites": () => ({ body: { sites: [], total_count: 0 } }),
  });
});
afterEach(async () => {
  await server.stop();
  rmSync(home, { recursive: true });
});

const run = (command: readonly string[], more: { answer?: string; env?: Record<string, string> } = {}) =>
  runBusbar(command, { ...more, env: { HOME: home, ...more.env } });
const lastToken = () => server.requests.at(-1)?.headers["x-service-auth-token"];

test("a person signs in once, and later commands use that server and token", async () => {
  const { code, err } = await run(["login", server.url, "--name", "plant", "--ask-token"], { answer: "secret" });
  expect([code, err]).toEqual([0, expect.stringContaining('as "operator" (level owner); the connection is "plant"')]);
  expect(err).not.toContain("secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run(["site", "list"])).code).toBe(0);
  expect(lastToken()).toBe("secret");
  expect((await run(["whoami"])).out).toBe(
    [
      `server      ${server.url}/`,
      "connection  plant",
      "token       operator",
      "level       owner",
      "sites       s1",
      "",
    ].join("\n"),
  );
  expect((await run(["connection", "list", "-o", "csv"])).out).toBe(`name,url,current\nplant,${server.url}/,yes\n`);
});

test("a wrong token is refused, and nothing is kept", async () => {
  const { code, err } = await run(["login", server.url, "--ask-token"], { answer: "wrong" });
  expect([code, err]).toEqual([3, expect.stringContaining("the token is unknown")]);
  expect(() => statSync(file)).toThrow("ENOENT");
  expect((await run(["login", server.url, "--ask-token"])).err).toContain("a token is needed: give --token-file FILE");
});

test("of several connections the named one is used, by flag or environment, and flags of the address win", async () => {
  await run(["login", server.url, "--name", "a", "--ask-token"], { answer: "secret" });
  const stored = JSON.parse(readFileSync(file, "utf8"));
  stored.connections.b = { url: server.url, token: "other" };
  writeFileSync(file, JSON.stringify(stored));
  await run(["site", "list", "--connection", "b"]);
  expect(lastToken()).toBe("other");
  await run(["site", "list"], { env: { BUSBAR_CONNECTION: "b" } });
  expect(lastToken()).toBe("other");
  await run(["connection", "use", "b"]);
  await run(["site", "list"]);
  expect(lastToken()).toBe("other");
  // The token of a connection goes to its own server only.
  await run(["site", "list", "--url", server.url.replace("127.0.0.1", "localhost")]);
  expect(lastToken()).toBeUndefined();
  await run(["site", "list"], { env: { BUSBAR_TOKEN: "env" } });
  expect(lastToken()).toBe("env");
  expect((await run(["site", "list", "--connection", "c"])).err).toContain(
    'there is no connection "c": there are a, b',
  );
});

test("to sign out forgets the token, and the local server is used again", async () => {
  await run(["login", server.url, "--name", "plant", "--ask-token"], { answer: "secret" });
  expect((await run(["logout"])).err).toContain('forgot the connection "plant"');
  expect(() => statSync(file)).toThrow("ENOENT");
  expect((await run(["logout"])).err).toContain("you are not signed in anywhere");
});

test("a file that holds no connections is named, with what to do", async () => {
  await run(["login", server.url, "--ask-token"], { answer: "secret" });
  for (const content of ["{", '{"connections":{"a":{"url":1}}}', "[]"]) {
    writeFileSync(file, content);
    const { code, err } = await run(["site", "list"]);
    expect([code, err]).toEqual([2, expect.stringContaining("connections.json cannot be read")]);
    expect(err).toContain("sign in again with busbar login");
  }
});
