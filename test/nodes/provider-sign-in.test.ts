// A cloud of two nodes: people begin to sign in by a real provider at one node and come back to the other.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createProviderVisitor,
  type IdentityProviderProcess,
  startIdentityProvider,
} from "../support/identity-provider.ts";
import { type Node, openNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

const PATH = "/v3/provider_sign_ins";

let server: Postgres;
let provider: IdentityProviderProcess;
let one: Node;
let other: Node;
beforeAll(async () => {
  [server, provider] = await Promise.all([startPostgres(), startIdentityProvider("https://cloud.example")]);
  const url = await server.prepared("providers");
  const rules = ["--oidc-groups", "operators=user,admins=owner"];
  const flags = ["--role", "cloud", "--http-trust-proxy", "127.0.0.1", ...provider.flags, ...rules];
  one = await openNode({ url, flags, env: provider.env });
  other = await openNode({ url, flags, env: provider.env, like: one });
});
afterAll(async () => {
  await one.stop();
  await other.stop();
  await Promise.all([server.stop(), provider.stop()]);
});

/** A browser that reaches both nodes under one address, behind a proxy with TLS. */
function newBrowser() {
  const cookies = new Map<string, string>();
  async function call(node: Node, method: string, path: string, body?: object) {
    const response = await fetch(`${node.url}${path}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
        "X-Forwarded-Proto": "https",
        Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const visit = async (node: Node, id: string) => {
    const { body } = await call(node, "POST", PATH, {});
    return await createProviderVisitor().signIn(String(body["url"]), id);
  };
  const finish = (node: Node, back: URL) => call(node, "POST", `${PATH}/finish`, { parameters: back.search.slice(1) });
  return { cookies, call, visit, finish };
}

const say = (id: string, groups: readonly string[]) =>
  provider.person(id, { name: id, email: `${id}@example.org`, email_verified: true, groups });

test("of two returns at two nodes at once one signs in, and the session is known at both", async () => {
  await say("anna", ["operators"]);
  const browser = newBrowser();
  const back = await browser.visit(one, "anna");
  expect(`${back.origin}${back.pathname}`).toBe("https://cloud.example/sign-in/return");
  const finished = await Promise.all([browser.finish(other, back), browser.finish(one, back)]);
  expect(finished.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect([...browser.cookies.keys()].every((name) => name.startsWith("__Host-"))).toBe(true);
  for (const node of [one, other]) expect((await browser.call(node, "GET", "/v3/sessions/current")).status).toBe(200);
});

test("a new person who signs in at both nodes at once has one account", async () => {
  await say("ben", ["operators"]);
  const browsers = [newBrowser(), newBrowser()];
  const backs = await Promise.all(browsers.map((browser, index) => browser.visit(index === 0 ? one : other, "ben")));
  const finished = await Promise.all(
    browsers.map((browser, index) => browser.finish(index === 0 ? other : one, backs[index] ?? fail())),
  );
  const ids = finished.map(({ body }) => (body["session"] as { readonly account_id: string }).account_id);
  expect(new Set(ids).size).toBe(1);
});

test("who has lost the groups is out at both nodes", async () => {
  await say("cleo", ["admins"]);
  const browser = newBrowser();
  await browser.finish(one, await browser.visit(other, "cleo"));
  const statusAt = async (node: Node) => (await browser.call(node, "GET", "/v3/sites")).status;
  expect([await statusAt(one), await statusAt(other)]).toEqual([200, 200]);
  await say("cleo", ["chess"]);
  const again = newBrowser();
  expect((await again.finish(one, await again.visit(one, "cleo"))).status).toBe(403);
  expect(await statusAt(one)).toBe(401);
  await expect.poll(() => statusAt(other), { timeout: 30_000 }).toBe(401);
});

test("an account is linked at one node after the way began at the other, and sessions from before end at both", async () => {
  await say("dora", ["operators"]);
  const mail = "dora@here.example";
  const input = { name: "Dora", mail, level: "installer", password: "four plain small words" };
  await one.admin.post("/v3/accounts", input);
  const [browser, elsewhere] = [newBrowser(), newBrowser()];
  const proof = { current_password: input.password };
  for (const own of [browser, elsewhere])
    expect((await own.call(one, "POST", "/v3/sessions", { mail, password: input.password })).status).toBe(200);
  const statusAt = async (node: Node) => (await elsewhere.call(node, "GET", "/v3/sites")).status;
  expect([await statusAt(one), await statusAt(other)]).toEqual([200, 200]);
  const { body } = await browser.call(one, "POST", "/v3/account/provider/begin", proof);
  const back = await createProviderVisitor().signIn(String(body["url"]), "dora");
  const parameters = { parameters: back.search.slice(1) };
  const finished = await Promise.all(
    [one, other].map((node) => browser.call(node, "POST", "/v3/account/provider", parameters)),
  );
  expect(finished.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const node of [one, other]) {
    await expect.poll(() => statusAt(node), { timeout: 30_000 }).toBe(401);
    const again = await newBrowser().call(node, "POST", "/v3/sessions", { mail, password: input.password });
    expect(again.status).toBe(403);
  }
});

function fail(): never {
  throw new Error("the provider sent nobody back");
}
