// Codes with which gateways join: listed without the code, withdrawn, and void from then on.
import { expect, test } from "vitest";
import type { OpenJoinCode } from "#client/resources.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const PATH = "/v3/gateways/join_codes";
const cloud = useServer(["--role", "cloud", "--mqtt-port", "off", "--http-wrong-token-limit", "20"]);

interface Made {
  readonly id: string;
  readonly code: string;
  readonly expires_at: string;
}

const make = async (body: object) => (await cloud.admin.post<Made>(PATH, body)).body;

const listed = async (query = "") =>
  (await cloud.admin.get<{ join_codes: readonly OpenJoinCode[]; total_count: number }>(PATH + query)).body;

const join = (code: string) => cloud.anonymous.post("/v3/gateways/join", { code, name: "North", version: "1" });

const busbar = (words: string) => runBusbar(words, { env: { BUSBAR_URL: cloud.url, BUSBAR_TOKEN: cloud.adminToken } });

test("open codes are listed page by page with who made them, and never with the code", async () => {
  const [named, plain] = [await make({ name: "North" }), await make({ expires_in: "30d" })];
  const first = await cloud.admin.get<{ join_codes: readonly OpenJoinCode[]; total_count: number }>(`${PATH}?limit=1`);
  expect(first.body.total_count).toBe(2);
  expect(first.body.join_codes).toEqual([
    {
      id: named.id,
      name: "North",
      replaces: null,
      site_ids: [],
      made_by: { token_id: expect.any(String), name: "admin" },
      created_at: expect.any(String),
      expires_at: named.expires_at,
    },
  ]);
  expect((await listed("?offset=1")).join_codes).toMatchObject([{ id: plain.id, name: null }]);
  expect(first.text).not.toContain(named.code);
  expect((await join(named.id)).status).toBe(401);
  expect((await join(named.code)).status).toBe(200);
  expect((await listed()).join_codes.map(({ id }) => id)).toEqual([plain.id]);
});

test("a withdrawn code lets nobody join, the audit log has it, and a second withdrawal finds nothing", async () => {
  const { id, code } = await make({ name: "Wrong person" });
  expect((await cloud.admin.delete(`${PATH}/${id}`)).status).toBe(200);
  const unknown = await join("bb_unknown");
  const refused = await join(code);
  expect([refused.status, refused.errors[0]?.message]).toEqual([unknown.status, unknown.errors[0]?.message]);
  const again = await cloud.admin.delete(`${PATH}/${id}`);
  expect([again.status, again.errors[0]?.message]).toEqual([
    404,
    `there is no open code ${id}: it is unknown, was used or has expired`,
  ]);
  const { text } = await cloud.admin.get("/v3/audit?action.in=withdrawJoinCode&outcome.in=OK");
  expect(text).toContain(`"join_code":"${id}"`);
});

test("a used and an unknown code cannot be withdrawn", async () => {
  const { id, code } = await make({});
  expect((await join(code)).status).toBe(200);
  for (const one of [id, "unknown"]) expect((await cloud.admin.delete(`${PATH}/${one}`)).status).toBe(404);
});

test("whoever sees some sites only neither lists nor withdraws codes", async () => {
  const { id } = await make({});
  const { site } = (await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Roof" })).body;
  const some = cloud.as(await cloud.token({ name: "some", level: "installer", site_ids: [site.id] }));
  const owner = cloud.as(await cloud.token({ name: "owner", level: "owner" }));
  for (const caller of [some, owner]) {
    expect((await caller.get(PATH)).status).toBe(403);
    expect((await caller.delete(`${PATH}/${id}`)).status).toBe(403);
  }
  expect((await listed()).join_codes.map((one) => one.id)).toContain(id);
});

test("the command line makes, lists and withdraws codes", async () => {
  const made = await busbar("gateway code --name Yard");
  const id = /withdraw-code (\S+)/.exec(made.err)?.[1] ?? "";
  const table = await busbar("gateway codes");
  expect(table.out).toMatch(/^ID +NAME +TAKES OVER +BY +CREATED +EXPIRES$/m);
  expect(table.out).toMatch(new RegExp(`^${id} +Yard +- +admin `, "m"));
  expect(table.out).not.toContain(made.out.trim());
  expect(await busbar(`gateway withdraw-code ${id} --yes`)).toMatchObject({ code: 0, out: `withdrew ${id}\n` });
  expect((await busbar("gateway codes")).out).not.toContain(id);
  expect((await join(made.out.trim())).status).toBe(401);
  expect((await busbar(`gateway withdraw-code ${id} --yes`)).err).toContain("there is no open code");
});

test("past the limit wrong codes are 429 with whole seconds to wait, and a right code still lets a gateway join", async () => {
  const answers = await Array.fromAsync({ length: 21 }, () => join("bb_wrong"));
  const limited = answers.at(-1);
  expect([limited?.status, limited?.errors[0]?.code]).toEqual([429, "too_many_wrong_tokens"]);
  expect(limited?.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await join((await make({})).code)).status).toBe(200);
});
