// Who may run a command and who may read its executions.
import { beforeAll, expect, test } from "vitest";
import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";
import {
  type CommandSite,
  commandManifest,
  commandsOf,
  type ExecutionPage,
  makeCommandSite,
  upload,
} from "../../support/command-site.ts";
import { type Session, useServer } from "../../support/server.ts";

const busbar = useServer();
const GRANTED = ACCESS_LEVELS.filter((level) => level !== "system");

/** Level to run, level to read, as the manifest declares them or leaves them to the defaults. */
const COMMANDS: readonly (readonly [name: string, run: AccessLevel, read: AccessLevel])[] = [
  ["stop", "user", "user"],
  ["status", "readonly", "readonly"],
  ["service", "installer", "installer"],
  ["audit", "user", "installer"],
  ["open_book", "installer", "readonly"],
];

let site: CommandSite;
let deviceId: string;
const sessions = new Map<AccessLevel, Session>([["system", busbar.admin]]);
const ids = new Map<string, string>();

beforeAll(async () => {
  site = await makeCommandSite(busbar, "Access");
  deviceId = await site.device("Guarded");
  for (const level of GRANTED) sessions.set(level, busbar.as(await busbar.token({ level })));
  for (const [name] of COMMANDS) ids.set(name, await commandsOf(busbar.admin, deviceId).started({ name }));
});

const as = (level: AccessLevel) => commandsOf(sessions.get(level) ?? busbar.anonymous, deviceId);
const MATRIX = ACCESS_LEVELS.flatMap((level) => COMMANDS.map((command) => [level, ...command] as const));

test.each(MATRIX)("%s may run and read %s by its levels (%s to run, %s to read)", async (level, name, run, read) => {
  const { execute, create, get } = as(level);
  const wait = { headers: { Prefer: "wait=0" } };
  for (const answer of [await execute({ name }, wait), await create({ name })]) {
    expect([answer.status, answer.errors[0]?.code, answer.errors[0]?.details]).toEqual(
      allows(level, run) ? [200, undefined, undefined] : [403, "forbidden", { needed: run }],
    );
  }
  const got = await get(ids.get(name) ?? "", "?expand=log");
  expect([got.status, got.errors[0]?.code, got.errors[0]?.details]).toEqual(
    allows(level, read) ? [200, undefined, undefined] : [403, "forbidden", { needed: read }],
  );
});

test("a log that may not be read is not shown by execute either, and nothing is run for it", async () => {
  const count = async () => (await commandsOf(busbar.admin, deviceId).list("?name.in=audit&limit=0")).body.total_count;
  const before = await count();
  const answer = await as("user").execute({ name: "audit" }, { query: "?expand=log", headers: { Prefer: "wait=0" } });
  expect([answer.status, answer.errors[0]?.details]).toEqual([403, { needed: "installer" }]);
  expect(await count()).toBe(before);
});

test.each(ACCESS_LEVELS)("for %s what it may not read is absent from lists, pages and counts", async (level) => {
  const readable = COMMANDS.filter(([, , read]) => allows(level, read)).map(([name]) => name);
  const session = sessions.get(level) ?? busbar.anonymous;
  const all = (await commandsOf(busbar.admin, deviceId).list("?limit=1000")).body.executions;
  const expected = all.filter(({ request }) => readable.includes(request.name)).map(({ id }) => id);
  for (const path of [`/v3/devices/${deviceId}/commands/executions`, `/v3/sites/${site.siteId}/commands/executions`]) {
    const { body } = await session.get<ExecutionPage>(`${path}?limit=1000`);
    expect(body).toMatchObject({ total_count: expected.length });
    expect(body.executions.map(({ id }) => id)).toEqual(expected);
    const page = (await session.get<ExecutionPage>(`${path}?limit=2&offset=1`)).body;
    expect(page.executions.map(({ id }) => id)).toEqual(expected.slice(1, 3));
    expect(page.total_count).toBe(expected.length);
  }
});

test("a level too low is refused before the arguments are looked at", async () => {
  const refused = await as("user").create({ name: "service", arguments: { nonsense: 1 } });
  expect(refused.status).toBe(403);
});

test("an alias is guarded like its command", async () => {
  expect((await as("readonly").create({ name: "go" })).status).toBe(403);
});

test("the level at creation stays: a blueprint with other levels does not open old executions", async () => {
  const lax = commandManifest("Lax").replaceAll("read_access_level: installer", "read_access_level: readonly");
  const blueprint_id = await upload(busbar, lax);
  await busbar.admin.post(`/v3/devices/${deviceId}/assign_blueprint`, { blueprint_id });
  expect((await as("readonly").get(ids.get("audit") ?? "")).status).toBe(403);
  const fresh = await commandsOf(busbar.admin, deviceId).started({ name: "audit" });
  expect((await as("readonly").get(fresh)).status).toBe(200);
});

test("calls without a token, and refusals by level, are in the audit log without the arguments", async () => {
  expect((await commandsOf(busbar.anonymous, deviceId).create({ name: "stop" })).status).toBe(401);
  await as("readonly").create({ name: "start", arguments: { power: 8.46713 } });
  const { body, text } = await busbar.admin.get<{ entries: readonly object[] }>("/v3/audit?outcome.in=refused");
  const found = (code: string) => expect.objectContaining({ action: "createCommandExecution", code });
  expect(body.entries).toEqual(expect.arrayContaining([found("forbidden"), found("unauthorized")]));
  expect(text).not.toContain("8.46713");
});

test("a command that runs is in the audit log with its name and execution, not its arguments", async () => {
  const id = await commandsOf(busbar.admin, deviceId).started({ name: "go", arguments: { power: 8.46714 } });
  const { body, text } = await busbar.admin.get<{ entries: readonly object[] }>("/v3/audit?limit=1&order=at_desc");
  expect(body.entries).toMatchObject([
    {
      action: "createCommandExecution",
      outcome: "OK",
      details: { execution_id: id, command: "start" },
    },
  ]);
  expect(text).not.toContain("8.46714");
});
