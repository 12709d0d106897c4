// The documented way to back up an installation on PostgreSQL, with the real tools, and to restore it elsewhere.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEBIAN_PROGRAMS, POSTGRES_VERSIONS, type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_LONG } from "../support/rounds.ts";
import { callBusbar, startBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** The tools have to be of the server's version, and only Debian's package has them. */
const hasTools = IS_LONG && POSTGRES_VERSIONS.includes(15);
let server: Postgres;
beforeAll(async () => {
  if (hasTools) server = await startPostgres({ version: 15, fsync: true });
});
afterAll(() => server?.stop());

const tool = (name: string, ...words: readonly string[]) =>
  execFileSync(join(DEBIAN_PROGRAMS, name), words, { stdio: "pipe" });

test.runIf(hasTools)("a dump and the keys bring everything back, and no command is sent again", async () => {
  const [old, fresh] = [tempFolder(), tempFolder()];
  const [from, to] = [await server.database("before"), await server.database("after")];
  writeFileSync(join(old, "busbar.yaml"), `database:\n  url: ${from}\n`);
  writeFileSync(join(fresh, "busbar.yaml"), `database:\n  url: ${to}\n`);
  const first = await startBusbar(old);
  const token = readFileSync(join(old, ".busbar", "admin.token"), "utf8").trim();
  const call = async (url: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-Service-Auth-Token": token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    expect([response.status, answer]).toEqual([200, expect.anything()]);
    return answer as Readonly<Record<string, never>>;
  };
  const { blueprint } = await call(first.url, "/v3/blueprints/upload", MANIFEST);
  const { id: blueprint_id } = blueprint as unknown as { id: string };
  await call(first.url, "/v3/provisioning/standalone", { name: "Pump", slug: "pump", blueprint_id });
  const { execution_id: id } = await call(first.url, "/v3/devices/pump/commands/executions", { name: "start" });
  const before = await call(first.url, "/v3/devices");

  const dump = join(fresh, "busbar.dump");
  tool("pg_dump", "--format=custom", `--file=${dump}`, from);
  expect(await callBusbar(old, ["backup", "keys.tar.gz", "--data", ".busbar"])).toMatchObject({ code: 0 });
  expect(await first.stop()).toBe(0);
  tool("pg_restore", `--dbname=${to}`, dump);

  const restore = ["restore", join(old, "keys.tar.gz"), "--data", ".busbar"];
  const session = await server.session("after");
  const one = async (sql: string) => (await session.query({ text: sql, rowMode: "array" })).rows[0]?.[0] as unknown;
  expect(await one(`SELECT attempted::int FROM execution WHERE id = '${id}'`)).toBe(0);

  // A node that runs on the database would go on with what it has read.
  await session.query("SET application_name = 'busbar'");
  const refused = await callBusbar(fresh, restore);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("stop all nodes")]);
  await session.query("SET application_name = 'test'");

  const restored = await callBusbar(fresh, restore);
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining("the database is prepared")]);
  expect(await one(`SELECT attempted::int FROM execution WHERE id = '${id}'`)).toBe(1);
  expect(await one("SELECT count(*)::int FROM epoch")).toBe(0);
  await session.end();
  const second = await startBusbar(fresh);
  expect(await call(second.url, "/v3/devices")).toEqual(before);
  expect(await second.stop()).toBe(0);
});

const MANIFEST = {
  blueprint_spec: "device/3.0",
  display_name: "Pump",
  runtime: { type: "embedded" },
  command_groups: { main: { display_name: "Main" } },
  commands: { start: { group: "main", display_name: "Start" } },
};
