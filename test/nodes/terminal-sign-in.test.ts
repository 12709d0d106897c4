// A program begins at one node, is let in at another, and fetches its token at either, once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Node, openNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

const PASSWORD = "four plain small words";
const FLAGS = ["--http-trust-proxy", "127.0.0.1"];

let server: Postgres;
let one: Node;
let other: Node;
beforeAll(async () => {
  server = await startPostgres();
  const url = await server.prepared("terminals");
  one = await openNode({ url, flags: FLAGS });
  other = await openNode({ url, flags: FLAGS, like: one });
});
afterAll(async () => {
  await one.stop();
  await other.stop();
  await server.stop();
});

async function post(node: Node, path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const all = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", ...headers };
  const response = await fetch(`${node.url}${path}`, { method: "POST", headers: all, body: JSON.stringify(body) });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, string>,
  };
}

async function signedIn(mail: string): Promise<string> {
  await one.admin.post("/v3/accounts", { name: "Anna", mail, level: "user", password: PASSWORD });
  const { headers } = await post(other, "/v3/sessions", { mail, password: PASSWORD });
  return (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}

test("of decisions and of fetches at two nodes at once, one counts", async () => {
  const Cookie = await signedIn("anna@example.org");
  const begun = (await post(one, "/v3/terminal_sign_ins", { program: "busbar" })).body;
  const approve = (node: Node) =>
    post(node, `/v3/terminal_sign_ins/${begun["user_code"]}/approve`, { level: "user" }, { Cookie });
  const decided = await Promise.all([approve(other), approve(one)]);
  expect(decided.map(({ status }) => status).sort()).toEqual([200, 404]);
  const take = (node: Node) => post(node, "/v3/terminal_sign_ins/token", { device_code: begun["device_code"] ?? "" });
  const taken = await Promise.all([take(one), take(other)]);
  expect(taken.map(({ body }) => body["state"]).sort()).toEqual(["APPROVED", "EXPIRED"]);
  const token = taken.find(({ body }) => body["token"] !== null)?.body["token"] ?? "";
  for (const node of [one, other]) {
    const answer = await fetch(`${node.url}/v3/sites`, { headers: { "X-Service-Auth-Token": token } });
    expect(answer.status).toBe(200);
  }
});

test("wrong codes that a person types are counted by both nodes together", async () => {
  const Cookie = await signedIn("mallory@example.org");
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess++) {
    const code = "BCDFGHJKLMNP".charAt(guess).repeat(8);
    const path = `/v3/terminal_sign_ins/${code}/deny`;
    statuses.push((await post(guess % 2 === 0 ? one : other, path, {}, { Cookie })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429]);
});
