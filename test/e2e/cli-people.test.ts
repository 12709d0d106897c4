// People and how they are told, on the command line against a real service: whoever is named need not be given by id.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

interface Kept {
  readonly connections: Readonly<Record<string, { readonly token: string }>>;
}

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

test("login shows a code, gets a token of the person who lets it in, and logout ends it", async () => {
  const password = "four words are fine";
  writeFileSync(join(folder, "password"), `${password}\n`);
  await ok("account", "create", "Cleo", "cleo@example.org", "--level", "user", "--password-file", "password");
  const page = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(server.url + path, { method: "POST", headers: { ...page, ...headers }, body: JSON.stringify(body) });
  const signedIn = await post("/v3/sessions", { mail: "cleo@example.org", password });
  const Cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const home = mkdtempSync(join(folder, "home-"));
  const world = { cwd: folder, env: { HOME: home } };
  const decided: Promise<Response>[] = [];
  const login = async (verb: "approve" | "deny", body: object) => {
    let said = "";
    const onWrite = (text: string) => {
      said += text;
      const code = /^ {4}([B-Z]{4}-[B-Z]{4})$/m.exec(said)?.[1];
      if (code === undefined) return;
      said = "";
      decided.push(post(`/v3/terminal_sign_ins/${code}/${verb}`, body, { Cookie }));
    };
    return await runBusbar(["login", server.url, "--name", "plant", "--level", "owner"], { ...world, onWrite });
  };
  const refused = await login("deny", {});
  expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("refused in the page")]);
  const { code, err } = await login("approve", { level: "readonly" });
  expect([code, err]).toEqual([0, expect.stringMatching(/as "Cleo: busbar on .*" \(level readonly\)/)]);
  expect((await Promise.all(decided)).map(({ status }) => status)).toEqual([200, 200]);
  const file = join(home, ".config/busbar/connections.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { token } = (JSON.parse(readFileSync(file, "utf8")) as Kept).connections["plant"] ?? { token: "" };
  expect(err).not.toContain(token);
  const status = async () =>
    (await fetch(`${server.url}/v3/sites`, { headers: { "X-Service-Auth-Token": token } })).status;
  expect([(await runBusbar(["whoami"], world)).out, await status()]).toEqual([
    expect.stringMatching(/level +readonly/),
    200,
  ]);
  const [, cleo = "nobody"] = /^(\S+) +Cleo /m.exec(await ok("account", "list")) ?? [];
  expect(await ok("token", "list")).toMatch(new RegExp(`busbar on .* ${cleo}`));
  expect((await runBusbar(["logout"], world)).err).toContain("the token of plant has ended");
  expect(await status()).toBe(401);
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
