// Guessing at several nodes in turn, and at one that was restarted, gets nobody further than guessing at one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Node, openNode, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

const FLAGS = ["--http-wrong-token-limit", "6", "--http-trust-proxy", "127.0.0.1"];
const PASSWORD = "four plain small words";

let server: Postgres;
let url: string;
let one: Node;
let other: Node;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.prepared("limits");
  one = await openNode({ url, flags: FLAGS });
  other = await openNode({ url, flags: FLAGS, like: one });
});
afterAll(async () => {
  await one.stop();
  await other.stop();
  await server.stop();
});

async function call(node: Node, path: string, body: object, address: string): Promise<number> {
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": address };
  return (await fetch(`${node.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
}

test("wrong passwords of an address are counted by both nodes together, and a restart forgets none", async () => {
  const [mail, here] = ["anna@example.org", "203.0.113.1"];
  await one.admin.post("/v3/accounts", { name: "Anna", mail, level: "user", password: PASSWORD });
  const signIn = (node: Node, password: string, from = here) => call(node, "/v3/sessions", { mail, password }, from);
  const statuses: number[] = [];
  for (const node of [one, other, one, other, one, other]) statuses.push(await signIn(node, "wrong wrong wrong"));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  expect([await signIn(one, PASSWORD), await signIn(other, PASSWORD)]).toEqual([429, 429]);
  const later = await startNode({ url, flags: FLAGS, like: one });
  expect(await signIn(later, PASSWORD)).toBe(429);
  expect(await signIn(later, PASSWORD, "203.0.113.2")).toBe(200);
});

test("wrong passwords for a person from many addresses are counted by both nodes together", async () => {
  const mail = "ben@example.org";
  await one.admin.post("/v3/accounts", { name: "Ben", mail, level: "user", password: PASSWORD });
  const signIn = (node: Node, password: string, turn: number) =>
    call(node, "/v3/sessions", { mail, password }, `198.51.100.${turn}`);
  for (let turn = 0; turn < 20; turn++)
    expect(await signIn(turn % 2 === 0 ? one : other, "wrong wrong wrong", turn)).toBe(401);
  expect([await signIn(one, PASSWORD, 99), await signIn(other, PASSWORD, 99)]).toEqual([429, 429]);
});

test("wrong codes of invitations are counted by both nodes together", async () => {
  const accept = (node: Node, from: string) =>
    call(node, "/v3/invitations/accept", { code: "guess", password: PASSWORD }, from);
  const statuses: number[] = [];
  for (const node of [one, other, one, other, one, other, one, other]) statuses.push(await accept(node, "203.0.113.9"));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
});
