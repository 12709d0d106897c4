// People and how they are told, on the command line against a real service: whoever is named need not be given by id.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

let folder: string;
let server: RunningBusbar;
let receiver: Receiver;
const busbar = (...words: readonly string[]) => runBusbar(words, { cwd: folder, env: { BUSBAR_URL: server.url } });

async function ok(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await busbar(...words);
  expect(code, err).toBe(0);
  return out.trim();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-e2e-people-"));
  server = await startBusbar(folder);
  receiver = await startReceiver();
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
  rmSync(folder, { recursive: true });
});

test("a person is added with a password, signs in, and is changed by name and by mail address", async () => {
  writeFileSync(join(folder, "password"), "four words are fine\n");
  await ok("account", "create", "Anna", "anna@example.org", "--level", "user", "--password-file", "password");
  const signIn = async () => {
    const headers = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
    const body = JSON.stringify({ mail: "Anna@example.org", password: "four words are fine" });
    return (await fetch(`${server.url}/v3/sessions`, { method: "POST", headers, body })).status;
  };
  expect(await signIn()).toBe(200);
  expect(await ok("account", "suspend", "anna")).toBe("Anna is suspended");
  expect(await signIn()).toBe(401);
  expect(await ok("account", "resume", "anna@example.org")).toBe("Anna can sign in");
  expect(await ok("account", "change", "Anna", "--name", "Anna B.")).toBe("changed Anna B.");
  const { code, err } = await busbar("account", "suspend", "Ana B.");
  expect([code, err]).toEqual([2, expect.stringContaining('there is no account "Ana B."; did you mean "Anna B."?')]);
  expect(await ok("account", "invite", "Anna B.")).toMatch(/sign-in#invitation=/);
  await ok("account", "delete", "Anna B.", "--yes");
  expect(await signIn()).toBe(401);
});

test("channels and routes are given by their names", async () => {
  await ok("channel", "create", "control room", "--webhook", `${receiver.url}/hook`, "--allow-private");
  expect(await ok("channel", "test", "control room")).toBe("taken");
  expect((await receiver.next()).path).toBe("/hook");
  const steps = ["--channel", "Control room", "--then", "15m=control room"];
  await ok("route", "create", "errors", ...steps, "--severity", "error");
  expect(await ok("route", "list")).toMatch(/errors .* 0s: control room, 15m: control room /);
  expect(await ok("route", "preview", "--severity", "error")).toMatch(/control room +errors/);
  const { code, err } = await busbar("route", "create", "more", "--channel", "controlroom");
  expect([code, err]).toEqual([2, expect.stringContaining('there is no channel "controlroom"; did you mean')]);
  await ok("route", "delete", "errors", "--yes");
  await ok("channel", "delete", "control room", "--yes");
  expect(await ok("channel", "list", "-o", "json")).toMatch(/"channels": \[\]/);
});
