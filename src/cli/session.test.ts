import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type FakeAnswer, type FakeBusbar, startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { runBusbar, withFolder } from "../../test/support/run-busbar.ts";

let server: FakeBusbar | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function start(answer: FakeAnswer | "hang" | "cut" = { body: { sites: [], total_count: 0 } }): Promise<string> {
  server = await startFakeBusbar({ "GET /v3/sites": () => answer });
  return server.url;
}

const ADMIN = "admin-token-of-thirty-two-characters";

/** Which token reaches the server, by what is there. `flag`, `env`, `envFile`, `file` and `set` are their own texts. */
test.each<[string, string | undefined]>([
  ["", undefined],
  ["file", "file"],
  ["set", ADMIN],
  ["set file", ADMIN],
  ["file envFile", "envFile"],
  ["file envFile env", "env"],
  ["file envFile env flag", "flag"],
])("of [%s] the token is %s", async (present, expected) => {
  await withFolder(async (cwd) => {
    const is = (name: string) => present.split(" ").includes(name);
    mkdirSync(join(cwd, ".busbar"));
    if (is("file")) writeFileSync(join(cwd, ".busbar", "admin.token"), "file\n");
    writeFileSync(join(cwd, "flag"), "flag\n");
    writeFileSync(join(cwd, "envFile"), "envFile");
    const env = {
      BUSBAR_URL: await start(),
      ...(is("env") ? { BUSBAR_TOKEN: "env" } : {}),
      ...(is("envFile") ? { BUSBAR_TOKEN_FILE: join(cwd, "envFile") } : {}),
      ...(is("set") ? { BUSBAR_ADMIN_TOKEN: ADMIN } : {}),
    };
    const flags = is("flag") ? ["--token-file", join(cwd, "flag")] : [];
    expect((await runBusbar(["site", "list", ...flags], { cwd, env })).code).toBe(0);
    expect(server?.requests[0]?.headers["x-service-auth-token"]).toBe(expected);
  });
});

test("the address is that of the flag, else of the environment, else of the local configuration", async () => {
  const url = await start();
  const { port } = new URL(url);
  expect((await runBusbar(["site", "list", "--url", url], { env: { BUSBAR_URL: "http://127.0.0.1:1" } })).code).toBe(0);
  expect((await runBusbar("site list", { env: { BUSBAR_URL: url } })).code).toBe(0);
  expect((await runBusbar("site list", { env: { BUSBAR_PORT: port, BUSBAR_HOST: "0.0.0.0" } })).code).toBe(0);
});

test("the header follows the local configuration's first prefix", async () => {
  const env = { BUSBAR_URL: await start(), BUSBAR_TOKEN: "t", BUSBAR_HTTP_HEADER_PREFIXES: "X-Enapter,X-Service" };
  await runBusbar("site list", { env });
  expect(server?.requests[0]?.headers["x-enapter-auth-token"]).toBe("t");
});

const refusal = (status: number, code: string, message: string, details?: object): FakeAnswer => ({
  status,
  body: { errors: [{ code, message, details }] },
});

test.each<[FakeAnswer | "hang" | "cut", number, readonly string[]]>([
  [refusal(401, "unauthorized", "the token is missing"), 3, ["the token is missing", "set BUSBAR_TOKEN"]],
  [refusal(403, "forbidden", "owner is needed"), 3, ["owner is needed", "use a token with a higher level"]],
  [refusal(404, "not_found", "no such site"), 4, ["no such site", "request id: request-1"]],
  [refusal(409, "conflict", "it has devices"), 1, ["it has devices"]],
  [refusal(400, "invalid_body", "name is wrong", { pointer: "/name" }), 1, ["name is wrong", "  pointer: /name"]],
  [refusal(503, "overloaded", "too much to do"), 1, ["too much to do"]],
  [{ status: 502, body: "<html>" }, 1, ["the answer is not Busbar's (status 502)", "is something else running there?"]],
  [refusal(500, "internal", "a\u001b[2Jb"), 1, ["a\\u001b[2Jb"]],
  ["hang", 5, ["no answer from http://127.0.0.1", "in time", "not known"]],
  ["cut", 5, ["the connection broke"]],
])("%j ends with exit code %d and says %j", async (answer, expected, texts) => {
  const { code, out, err } = await runBusbar([
    "site",
    "list",
    "--url",
    await start(answer),
    "--timeout",
    answer === "hang" ? "50ms" : "5s",
  ]);
  expect([code, out]).toEqual([expected, ""]);
  for (const text of texts) expect(err).toContain(text);
});

test("a refused token is named by its source, and a missing one by where it was looked for", async () => {
  await withFolder(async (cwd) => {
    const home = { BUSBAR_URL: await start(refusal(401, "unauthorized", "no")), HOME: cwd };
    const said = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
      (await runBusbar(["site", "list", ...flags], { cwd, env: { ...home, ...env } })).err;
    const nowhere = await said({});
    expect(nowhere).toContain(`there is no ${join(cwd, ".busbar", "admin.token")}`);
    expect(nowhere).toContain(join(cwd, ".config", "busbar", "connections.json"));
    expect(nowhere).toMatch(/no token was sent: --token-file, BUSBAR_TOKEN and BUSBAR_TOKEN_FILE are not set/);
    expect(await said({ BUSBAR_TOKEN: "secret" })).toMatch(/the token came from BUSBAR_TOKEN\n/);
    writeFileSync(join(cwd, "t"), "secret\n");
    expect(await said({}, "--token-file", join(cwd, "t"))).toContain(`came from --token-file ${join(cwd, "t")}`);
    mkdirSync(join(cwd, ".busbar"));
    writeFileSync(join(cwd, ".busbar", "admin.token"), "secret\n");
    const local = await said({});
    expect(local).toContain(`the token came from ${join(cwd, ".busbar", "admin.token")}`);
    expect(local).not.toContain("secret");
  });
});

test("all items of a refusal are listed", async () => {
  const errors = [
    { code: "a", message: "first" },
    { code: "b", message: "second", details: { pointer: "/x", line: 3, none: "" } },
  ];
  const { err } = await runBusbar(["site", "list", "--url", await start({ status: 400, body: { errors } })]);
  expect(err).toBe("busbar: first\nalso: second\n  pointer: /x, line: 3\n  request id: request-1\n");
});

test("where nothing listens, the way to start it is shown", async () => {
  const url = await start();
  await server?.stop();
  const { code, err } = await runBusbar(["site", "list", "--url", url]);
  expect(code).toBe(5);
  expect(err).toBe(
    `busbar: no answer from ${url}: nothing listens there\n  is Busbar running? start it with npm start (or busbar serve), or give its address with --url\n`,
  );
});

test("colours are for terminals only", async () => {
  const url = await start();
  expect((await runBusbar(["site", "list", "--url", url], { isTTY: true })).out).toContain("\u001b[1m");
  expect((await runBusbar(["site", "list", "--url", url])).out).not.toContain("\u001b");
});
