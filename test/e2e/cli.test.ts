import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";
import { callBusbar, type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

let folder: string;
let server: RunningBusbar;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-e2e-"));
  server = await startBusbar(folder);
});
afterAll(async () => {
  await server.stop("SIGKILL");
  rmSync(folder, { recursive: true });
});

/**
 * Runs a command in the service's folder, where its data lies, so that the admin token is found. It runs in this process,
 * which saves most of its start; `callBusbar` starts the program itself.
 */
const busbar = (words: readonly string[], env: Record<string, string> = {}) =>
  runBusbar(words, { cwd: folder, env: { BUSBAR_URL: server.url, ...env } });

async function json(...words: readonly string[]) {
  const { code, out, err } = await busbar([...words, "-o", "json"]);
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

test("a fresh start is ready, has a site, and keeps its admin token to the owner", async () => {
  const env = { BUSBAR_URL: server.url };
  expect(await callBusbar(folder, ["health"], env)).toMatchObject({ code: 0, out: expect.stringContaining("ready") });
  const { code, out, err } = await callBusbar(folder, ["site", "list", "-o", "json"], env);
  expect([code, err, JSON.parse(out).total_count]).toEqual([0, "", 1]);
  expect(statSync(join(folder, ".busbar", "admin.token")).mode & 0o777).toBe(0o600);
});

test("open prints a link that signs in once and does not hold the token", async () => {
  const { out, err } = await busbar(["open"]);
  const link = new URL(out.trim());
  expect([link.origin, link.pathname, link.search]).toEqual([server.url, "/sign-in", ""]);
  expect(out).not.toContain(readFileSync(join(folder, ".busbar", "admin.token"), "utf8").trim());
  expect(err).toContain("10 minutes");
  const signIn = async () =>
    await fetch(`${server.url}/v3/sessions`, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: JSON.stringify({ code: link.hash.replace("#code=", "") }),
    });
  const signed = await signIn();
  expect(await signed.json()).toMatchObject({ session: { token_name: "admin", level: "system" } });
  expect((await signIn()).status).toBe(401);
});

test("a site lives its life", async () => {
  const { site } = await json("site", "create", "Plant 1", "-t", "Europe/Berlin", "-l", "Hamburg,53.55,9.99");
  expect(site).toMatchObject({ name: "Plant 1", location: { name: "Hamburg", latitude: 53.55, longitude: 9.99 } });
  await json("site", "update", site.id, "--name", "Plant 2");
  expect((await busbar(["site", "list"])).out).toMatch(new RegExp(`^${site.id} +Plant 2 +Europe/Berlin +Hamburg`, "m"));
  expect(await busbar(["site", "delete", site.id])).toMatchObject({
    code: 2,
    err: expect.stringContaining("add --yes"),
  });
  expect((await busbar(["site", "delete", site.id, "--yes"])).code).toBe(0);
  expect((await busbar(["site", "get", site.id])).code).toBe(4);
});

test("devices of every kind are made, found by slug, changed and deleted", async () => {
  const blueprint = join(folder, "blueprint");
  mkdirSync(join(blueprint, "lua"), { recursive: true });
  const manifest = "blueprint_spec: device/3.0\ndisplay_name: Meter\nruntime: {type: lua, options: {dir: lua}}\n";
  writeFileSync(join(blueprint, "manifest.yml"), manifest);
  writeFileSync(join(blueprint, "lua", "main.lua"), "-- nothing\n");

  await json("device", "create", "standalone", "Meter 1", "--slug", "meter-1");
  const { device: lua } = await json("device", "create", "lua", "Inverter", "--blueprint-path", blueprint);
  expect(lua).toMatchObject({ type: "LUA", blueprint_id: expect.any(String) });
  const { device: child } = await json(
    "device",
    "create",
    "child",
    "Cell",
    "--parent-id",
    "meter-1",
    "--child-type",
    "cell",
  );
  expect(child).toMatchObject({ type: "CHILD", child_type: "cell" });

  const { blueprint: uploaded } = await json("blueprint", "upload", blueprint);
  expect(uploaded.id).toBe(lua.blueprint_id);
  await json("device", "assign-blueprint", "meter-1", "-b", uploaded.id);
  expect((await busbar(["device", "manifest", "meter-1"])).out).toContain("display_name: Meter");
  expect(await json("device", "properties", "meter-1")).toEqual({ properties: {} });
  expect((await json("device", "update", "meter-1", "--name", "Main meter")).device.name).toBe("Main meter");

  const zip = join(folder, "down.zip");
  expect((await busbar(["blueprint", "download", uploaded.id, "--output", zip])).code).toBe(0);
  const { blueprint: again } = await json("blueprint", "upload", zip);
  expect([again.id, readFileSync(zip).length]).toEqual([uploaded.id, uploaded.size]);

  expect(await busbar(["device", "delete", "meter-1", "--yes"])).toMatchObject({ code: 1 });
  expect((await busbar(["device", "delete", child.id, "--yes"])).code).toBe(0);
  expect((await busbar(["device", "delete", "meter-1", "--yes"])).code).toBe(0);
  const { devices } = await json("device", "list");
  expect(devices.map(({ type }: { type: string }) => type)).toEqual(["GATEWAY", "LUA"]);
});

test("a token gives what its level allows until it is revoked, and the audit log shows it", async () => {
  const { code, out } = await busbar(["token", "create", "visitor", "--level", "readonly", "--expires-in", "1h"]);
  expect(code).toBe(0);
  const env = { BUSBAR_TOKEN: out.trim() };
  expect((await busbar(["site", "list"], env)).code).toBe(0);
  const refused = await busbar(["site", "create", "Mine"], env);
  expect(refused).toMatchObject({ code: 3, err: expect.stringContaining("use a token with a higher level") });

  const { tokens } = await json("token", "list");
  const { id } = tokens.find(({ name }: { name: string }) => name === "visitor");
  expect((await busbar(["token", "revoke", id, "--yes"])).code).toBe(0);
  expect((await busbar(["site", "list"], env)).code).toBe(3);

  const { entries } = await json("audit", "list", "--outcome", "REFUSED");
  expect(entries.map((entry: { code: string }) => entry.code)).toEqual(
    expect.arrayContaining(["forbidden", "unauthorized"]),
  );
});

test("a blueprint with errors is refused with every place", async () => {
  const file = join(folder, "bad.yml");
  writeFileSync(file, "blueprint_spec: device/3.0\ndisplay_nam: x\nruntime: {type: lau}\n");
  const { code, err } = await busbar(["blueprint", "upload", file]);
  expect(code).toBe(1);
  expect(err).toContain("line: 2");
  expect(err).toContain("line: 3");
});

test("the folder belongs to one process at a time, and a taken port is explained", async () => {
  const second = await callBusbar(folder, ["serve", "--port", "0", "--mqtt-port", "off"]);
  expect(second).toMatchObject({
    code: 1,
    err: expect.stringContaining("another Busbar already uses this data folder"),
  });
  expect(second.err).not.toContain("    at ");
  const { port } = new URL(server.url);
  const other = await callBusbar(folder, ["serve", "--port", port, "--data", "other", "--mqtt-port", "off"]);
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining(`port ${port} is in use`) });
});

test("a stop by signal is clean, and nothing is lost by it", async () => {
  const { sites } = await json("site", "list");
  expect(await server.stop("SIGTERM")).toBe(0);
  expect((await busbar(["site", "list"])).code).toBe(5);
  server = await startBusbar(folder);
  expect((await json("site", "list")).sites).toEqual(sites);
});
