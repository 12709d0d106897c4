// Rules of a gateway's site, seen and changed in its cloud.
import { beforeAll, expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import type { Session } from "../support/server.ts";

const clocks = createMovableClocks();
const pair = useLinkedPair([], undefined, clocks);
const { cloud, gateway } = pair;

interface Rule {
  readonly id: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly state: string;
  readonly revision: number;
  readonly script: { readonly code: string };
  readonly explanation: { readonly text: string } | null;
  readonly last_error: { readonly message: string } | null;
  readonly reported_by: string | null;
  readonly not_confirmed_since: string | null;
}

interface Answer {
  readonly rule: Rule;
  readonly pending_change?: { readonly id: string };
  readonly errors: readonly { readonly code: string; readonly message: string }[];
}

const encoded = (code: string) => Buffer.from(code).toString("base64");
const script = (code: string) => ({ code: encoded(code), runtime_version: "V3", exec_interval: "0s" });

let sitePath = "";
let path = "";

beforeAll(async () => {
  sitePath = `/v3/sites/${pair.site.siteId}`;
  path = `${sitePath}/rule_engine`;
  await eventually(async () => expect((await cloud.admin.get(sitePath)).status).toBe(200));
});

const create = (slug: string, code: string, as: Session = cloud.admin) =>
  as.post<Answer>(`${path}/rules`, { slug, script: script(code) });
const ruleOf = async (slug: string, as: Session = cloud.admin) =>
  (await as.get<Answer>(`${path}/rules/${slug}`)).body.rule;
const engineOf = async (as: Session = cloud.admin) =>
  (await as.get<{ engine: { state: string; not_confirmed_since: string | null } }>(path)).body.engine;

async function whileCut(work: () => Promise<void>): Promise<void> {
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
    expect(body.gateways.map(({ connected: isThere }) => isThere)).toEqual([false]);
  });
  try {
    await work();
  } finally {
    pair.line.heal();
    clocks.advance(60_000);
    await isLinked(gateway, true);
  }
}

const changeOf = async (id = "") =>
  (await cloud.admin.get<{ change: { state: string; errors: { code: string }[] } }>(`/v3/changes/${id}`)).body.change;

test("a rule that is made in the cloud runs on the gateway, and the cloud shows what it says", async () => {
  const made = await create("first", 'explain("it works")');
  expect(made.status, made.text).toBe(200);
  const there = await ruleOf("first", gateway.admin);
  expect(made.body.rule).toMatchObject({ id: there.id, slug: "first", state: "STARTED", not_confirmed_since: null });
  expect(made.body.rule.reported_by).toMatch(/^[-0-9a-f]{36}$/);
  expect(there).toMatchObject({ reported_by: null, not_confirmed_since: null });
  await eventually(async () => expect((await ruleOf("first")).explanation?.text).toBe("it works"));
});

test("a rule whose script fails is STOPPED in the cloud, with the error", async () => {
  await create("broken", 'error("no sun")');
  await eventually(async () => {
    const rule = await ruleOf("broken");
    expect(rule.state).toBe("STOPPED");
    expect(rule.last_error?.message).toContain("no sun");
  });
});

test("the log of a rule is read on the gateway", async () => {
  await create("talks", 'enapter.log("hello", "info")');
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ logs: { message: string; severity: string }[]; total_count: number }>(
      `${path}/rules/talks/logs?limit=5`,
    );
    expect(body.logs).toEqual([expect.objectContaining({ message: "hello", severity: "info" })]);
    expect(body.total_count).toBe(1);
  });
});

/** What the cloud answers is what the gateway answers. */
test("names, checks, dry runs, traces, calendars, controllers and messages are read on the gateway", async () => {
  const code = "when: { every: 1s }\nthen: { notify: A second has passed. }\n";
  const yaml = { code: encoded(code), runtime_version: "V3", language: "yaml" };
  expect((await cloud.admin.post<Answer>(`${path}/rules`, { slug: "ticks", script: yaml })).status).toBe(200);
  const plan = { kind: "weekly", plan: { mon: [{ from: "06:00", to: "22:00" }] } };
  expect((await cloud.admin.put(`${sitePath}/calendars/heating`, plan)).status).toBe(200);
  const messages = `${sitePath}/notifications`;
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ notifications: { text: string }[] }>(`${messages}?limit=1`);
    expect(body.notifications).toMatchObject([{ text: "A second has passed." }]);
    const traces = await cloud.admin.get<{ traces: { outcome: string }[] }>(`${path}/rules/ticks/traces?limit=1`);
    expect(traces.body.traces).toMatchObject([{ outcome: "ran" }]);
  });
  await cloud.admin.post(`${path}/rules/ticks/disable`, {});
  await eventually(async () => expect((await ruleOf("ticks", gateway.admin)).disabled).toBe(true));
  const [from, to] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z"];
  const wrong = { ...yaml, code: encoded("when: { every: 1s }\nthen: { explode: now }\n") };
  const asked: readonly ((as: Session) => ReturnType<Session["get"]>)[] = [
    (as) => as.get(`${path}/names`),
    (as) => as.get(`${path}/rules/ticks/traces`),
    (as) => as.get(`${path}/controllers`),
    (as) => as.get(`${sitePath}/calendars`),
    (as) => as.get(`${sitePath}/calendars/heating/entries?limit=3`),
    (as) => as.get(messages),
    (as) => as.post(`${path}/check`, { script: wrong }),
    (as) => as.post(`${path}/dry_run`, { script: yaml, from, to }),
    (as) => as.post(`${path}/test`, { script: yaml, scenarios: "steps: [{wait: 90s, expect: {runs: none}}]" }),
    (as) => as.post(`${path}/controllers/daily_report/render`, { parameters: {} }),
  ];
  for (const ask of asked) {
    const [there, here] = [await ask(gateway.admin), await ask(cloud.admin)];
    expect(here.status, here.text).toBe(200);
    expect(here.body).toEqual(there.body);
  }
});

test("while the gateway is away, the cloud shows its rules as not confirmed, and its log cannot be read", async () => {
  await eventually(async () => expect((await ruleOf("broken")).state).toBe("STOPPED"));
  await whileCut(async () => {
    const rule = await ruleOf("broken");
    expect(rule.state).toBe("STOPPED");
    expect(rule.not_confirmed_since).toMatch(/^\d{4}-/);
    expect((await ruleOf("first")).state).toBe("STARTED");
    expect((await engineOf()).not_confirmed_since).toMatch(/^\d{4}-/);
    const logs = await cloud.admin.get<Answer>(`${path}/rules/talks/logs`);
    expect(logs.status).toBe(503);
    expect(logs.body.errors[0]).toMatchObject({ code: "gateway_unreachable" });
    const refused = await create("later", 'explain("x")');
    expect(refused.body.errors[0]?.code).toBe("gateway_unreachable");
  });
  await eventually(async () => expect((await ruleOf("broken")).not_confirmed_since).toBeNull());
});

test("what is changed while the gateway is away waits, and the gateway's own change stays", async () => {
  await create("kept", 'explain("one")');
  await create("lost", 'explain("one")');
  await eventually(async () => expect((await ruleOf("lost")).explanation?.text).toBe("one"));
  const waiting = new Map<string, string | undefined>();
  await whileCut(async () => {
    const disabled = await cloud.admin.post<Answer>(`${path}/rules/kept/disable`, {});
    expect(disabled.body.rule).toMatchObject({ slug: "kept", disabled: false });
    waiting.set("kept", disabled.body.pending_change?.id);
    const updated = await cloud.admin.post<Answer>(`${path}/rules/lost/update_script`, {
      script: script("explain('two')"),
    });
    waiting.set("lost", updated.body.pending_change?.id);
    const stale = await cloud.admin.post<Answer>(`${path}/rules/lost/enable`, {}, { headers: { "If-Match": '"7"' } });
    expect(stale.body.errors[0]?.code).toBe("conflict");
    const bad = await cloud.admin.post<Answer>(`${path}/rules/lost/update_script`, {
      script: { ...script(""), code: "?" },
    });
    expect(bad.body.errors[0]?.code).toBe("invalid_body");
    const suspended = await cloud.admin.post<Answer>(`${path}/suspend`, {});
    waiting.set("engine", suspended.body.pending_change?.id);
    const variable = await cloud.admin.put<Answer>(`${sitePath}/variables/storm`, { value: true });
    waiting.set("storm", variable.body.pending_change?.id);
    expect(
      (await gateway.admin.post(`${path}/rules/lost/update_script`, { script: script("explain('three')") })).status,
    ).toBe(200);
  });
  const states = await eventually(async () => {
    const all = await Promise.all([...waiting].map(async ([name, id]) => [name, (await changeOf(id)).state]));
    expect(all.map(([, state]) => state)).not.toContain("PENDING");
    return Object.fromEntries(all);
  });
  expect(states).toEqual({ kept: "DONE", lost: "OVERRULED", engine: "DONE", storm: "DONE" });
  expect(await ruleOf("kept", gateway.admin)).toMatchObject({ disabled: true, state: "STOPPED" });
  expect(await engineOf()).toMatchObject({ state: "SUSPENDED" });
  await eventually(async () => {
    expect(Buffer.from((await ruleOf("lost")).script.code, "base64").toString()).toBe("explain('three')");
    const { body } = await cloud.admin.get<{ variables: object[] }>(`${sitePath}/variables`);
    expect(body.variables).toEqual([
      expect.objectContaining({ name: "storm", value: true, not_confirmed_since: null }),
    ]);
  });
  const resumed = await cloud.admin.post<{ engine: { state: string } }>(`${path}/resume`, {});
  expect(resumed.body.engine).toMatchObject({ state: "ACTIVE" });
});

test("rules are renamed, switched together and deleted from the cloud, with the revision that the caller has read", async () => {
  const { id, revision } = (await create("old", 'explain("x")')).body.rule;
  const stale = await cloud.admin.patch<Answer>(
    `${path}/rules/old`,
    { slug: "new" },
    { headers: { "If-Match": '"9"' } },
  );
  expect(stale.body.errors[0]?.code).toBe("conflict");
  const renamed = await cloud.admin.patch<Answer>(
    `${path}/rules/old`,
    { slug: "new" },
    { headers: { "If-Match": `"${revision}"` } },
  );
  expect(renamed.body.rule).toMatchObject({ id, slug: "new", revision: revision + 1 });
  const all = await cloud.admin.post<{ rule: Rule; rules: Rule[] }>(`${path}/rules/batch_disable`, {
    rule_ids: ["new", "first"],
  });
  expect(all.body.rules.map(({ slug, disabled }) => [slug, disabled])).toEqual([
    ["new", true],
    ["first", true],
  ]);
  expect((await cloud.admin.delete(`${path}/rules/new`)).status).toBe(200);
  expect((await cloud.admin.get(`${path}/rules/new`)).status).toBe(404);
  expect((await gateway.admin.get(`${path}/rules/${id}`)).status).toBe(404);
  const taken = await create("first", 'explain("x")');
  expect(taken.body.errors[0]?.code).toBe("slug_taken");
});

test("who may not change rules may not do it through the cloud, and sees no other site", async () => {
  const reader = cloud.as(await cloud.token({ site_ids: [pair.site.siteId] }));
  expect((await reader.get(`${path}/rules/first/logs`)).status).toBe(200);
  expect((await reader.post(`${path}/rules/first/enable`, {})).status).toBe(403);
  const { body } = await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other", timezone: "UTC" });
  const stranger = cloud.as(await cloud.token({ level: "owner", site_ids: [body.site.id] }));
  expect((await stranger.get(`${path}/rules/first/logs`)).status).toBe(404);
  expect((await stranger.get(`${path}/rules`)).status).toBe(404);
  const own = await cloud.admin.get<Answer>(`/v3/sites/${body.site.id}/rule_engine/rules`);
  expect(own.body.errors[0]?.code).toBe("not_available");
});
