// The rule engine of a site as clients of the ecosystem call it.
import { beforeAll, expect, test, vi } from "vitest";
import { sendRaw } from "../../support/raw-http.ts";
import { ADMIN_TOKEN, useServer } from "../../support/server.ts";
import { openSocket } from "../../support/web-socket.ts";

const busbar = useServer();

interface Rule {
  readonly id: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly state: string;
  readonly revision: number;
  readonly script: { readonly code: string; readonly runtime_version: string; readonly exec_interval?: string };
  readonly last_error: {
    readonly message: string;
    readonly file: string;
    readonly line: number;
    readonly traceback: string;
  } | null;
  readonly restart_at: string | null;
  readonly explanation: { readonly text: string } | null;
}
type One = { readonly rule: Rule };
type Many = { readonly rules: readonly Rule[]; readonly total_count: number };

const OF_ONLY = "/v3/site/rule_engine";
let ofSite = "";
let siteId = "";

beforeAll(async () => {
  siteId = (await busbar.admin.get<{ site: { id: string } }>("/v3/site")).body.site.id;
  ofSite = `/v3/sites/${siteId}/rule_engine`;
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const scriptOf = (text: string, more: object = {}) => ({ code: base64(text), runtime_version: "V3", ...more });

async function create(slug: string, text: string, more: object = {}): Promise<Rule> {
  const answer = await busbar.admin.post<One>(`${ofSite}/rules`, { slug, script: scriptOf(text), ...more });
  expect(answer.errors).toEqual([]);
  return answer.body.rule;
}

const read = async (slug: string) => (await busbar.admin.get<One>(`${ofSite}/rules/${slug}`)).body.rule;
const logOf = async (slug: string) => {
  const { body } = await busbar.admin.get<{ logs: readonly { severity: string; message: string }[] }>(
    `${ofSite}/rules/${slug}/logs?limit=1000`,
  );
  return body.logs.map(({ severity, message }) => `${severity}: ${message}`).reverse();
};

test("the engine is that of the site, under both prefixes", async () => {
  for (const path of [ofSite, OF_ONLY, `/api${OF_ONLY}`]) {
    const { status, body } = await busbar.admin.get(path);
    expect([status, body]).toMatchObject([
      200,
      { engine: { id: siteId, state: "ACTIVE", timezone: expect.any(String) } },
    ]);
  }
});

test("calls without a body are taken as clients send them", async () => {
  const rule = await create("to-delete", "");
  // An empty content type, as one client sends it.
  for (const [verb, state] of [
    ["suspend", "SUSPENDED"],
    ["resume", "ACTIVE"],
  ]) {
    const head = `POST ${OF_ONLY}/${verb} HTTP/1.1\r\nHost: x\r\nX-Enapter-Auth-Token: ${ADMIN_TOKEN}\r\nContent-Type: \r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(busbar.port, head);
    expect(answer).toContain("200 OK");
    expect(answer).toContain(`"state":"${state}"`);
  }
  const headers = { "content-type": "application/json" };
  const deleted = await busbar.admin.delete(`${ofSite}/rules/${rule.id}`, { headers });
  expect([deleted.status, deleted.body]).toEqual([200, {}]);
  expect((await busbar.admin.get(`${ofSite}/rules/${rule.id}`)).status).toBe(404);
});

test("a rule is created, found by id and slug, renamed, and its slug is used once", async () => {
  const script = scriptOf("-- nothing", { exec_interval: "0s" });
  const { status, body } = await busbar.admin.post<One>(`${OF_ONLY}/rules`, {
    slug: "mcp-first",
    script,
    disable: true,
  });
  expect(status).toBe(200);
  expect(body.rule).toMatchObject({
    slug: "mcp-first",
    disabled: true,
    state: "STOPPED",
    script: { code: script.code, runtime_version: "V3" },
  });
  expect(body.rule.script).not.toHaveProperty("exec_interval");
  const again = await busbar.admin.post(`${OF_ONLY}/rules`, { slug: "mcp-first", script });
  expect([again.status, again.errors[0]?.code]).toEqual([409, "slug_taken"]);
  const renamed = await busbar.admin.patch<One>(`${OF_ONLY}/rules/mcp-first`, { slug: "first" });
  expect([renamed.body.rule.slug, renamed.body.rule.id]).toEqual(["first", body.rule.id]);
  expect((await busbar.admin.get(`${ofSite}/rules/mcp-first`)).status).toBe(404);
  await create("second", "", { disable: true });
  expect((await busbar.admin.patch(`${ofSite}/rules/second`, { slug: "first" })).status).toBe(409);
});

test("the list has a total, and an offset past the end answers an empty page", async () => {
  await create("listed", "", { disable: true });
  const { body } = await busbar.admin.get<Many>(`${OF_ONLY}/rules?offset=0&limit=50`);
  expect(body.total_count).toBe(body.rules.length);
  const past = await busbar.admin.get<Many>(`${ofSite}/rules?offset=900&limit=50`);
  expect(past.body).toEqual({ rules: [], total_count: body.total_count });
});

test("rules are enabled and disabled one by one and together, by id or slug, all or none", async () => {
  const one = await create("one", "", { disable: true });
  await create("two", "", { disable: true });
  expect((await busbar.admin.post<One>(`${ofSite}/rules/one/enable`, {})).body.rule).toMatchObject({
    disabled: false,
    state: "STARTED",
  });
  expect((await busbar.admin.call<One>("POST", `${ofSite}/rules/${one.id}/disable`)).body.rule.state).toBe("STOPPED");
  const both = { rule_ids: [one.id, "two"] };
  const enabled = await busbar.admin.post<One & Many>(`${OF_ONLY}/rules/batch_enable`, both);
  expect(enabled.body.rules.map(({ slug, disabled }) => [slug, disabled])).toEqual([
    ["one", false],
    ["two", false],
  ]);
  expect(enabled.body.rule.id).toBe(one.id);
  const partly = await busbar.admin.post(`${ofSite}/rules/batch_disable`, { rule_ids: ["one", "nobody"] });
  expect(partly.status).toBe(404);
  expect((await read("one")).disabled).toBe(false);
  await busbar.admin.post(`${ofSite}/rules/batch_disable`, both);
  expect([(await read("one")).disabled, (await read("two")).disabled]).toEqual([true, true]);
});

test.each([
  [{ slug: "x y", script: scriptOf("") }, "/slug"],
  [{ slug: "x", script: { code: "***", runtime_version: "V3" } }, "/script/code"],
  [{ slug: "x", script: scriptOf("\u001bLua") }, "/script/code"],
  [{ slug: "x", script: scriptOf("", { runtime_version: "V1" }) }, "/script/runtime_version"],
  [{ slug: "x", script: scriptOf("", { exec_interval: "soon" }) }, "/script/exec_interval"],
  [{ slug: "x", script: scriptOf("", { exec_interval: "10ms" }) }, "/script/exec_interval"],
  [{ slug: "x" }, "/script"],
])("%j is refused", async (body, pointer) => {
  const { status, errors } = await busbar.admin.post(`${ofSite}/rules`, body);
  expect([status, errors[0]?.details?.["pointer"]]).toEqual([400, pointer]);
});

test("a change of what somebody else has changed is refused", async () => {
  const { revision } = await create("raced", "", { disable: true });
  const headers = { "if-match": `"${revision}"` };
  const path = `${ofSite}/rules/raced`;
  const script = scriptOf("-- newer");
  expect((await busbar.admin.post(`${path}/update_script`, { script }, { headers })).status).toBe(200);
  for (const call of [
    busbar.admin.post(`${path}/update_script`, { script }, { headers }),
    busbar.admin.patch(path, { slug: "raced-2" }, { headers }),
    busbar.admin.post(`${path}/enable`, {}, { headers }),
    busbar.admin.delete(path, { headers }),
  ]) {
    expect([(await call).status, (await call).errors[0]?.code]).toEqual([409, "conflict"]);
  }
  expect(await read("raced")).toMatchObject({ revision: revision + 1, script: { code: base64("-- newer") } });
});

test("a rule runs, says things, explains itself, and its log can be followed", async () => {
  const text = `enapter.log('hello ' .. RULE_ID)
explain('waiting for the sun in ' .. TIMEZONE)
scheduler.add(100, function() enapter.log('tick', 'warning') end)`;
  const { id } = await create("talks", text);
  await vi.waitFor(async () => expect(await logOf("talks")).toContain(`info: hello ${id}`), 20_000);
  await vi.waitFor(async () => expect((await read("talks")).explanation?.text).toMatch(/^waiting for the sun in \w+/));
  const headers = { "x-enapter-auth-token": ADMIN_TOKEN };
  const socket = await openSocket(`${busbar.url}${OF_ONLY}/rules/talks/logs`, headers);
  const line = await socket.next();
  expect(line).toEqual({
    sequence: expect.any(Number),
    timestamp: expect.any(Number),
    severity: "warning",
    message: "tick",
  });
  expect(Math.abs(Number(line["timestamp"]) - Date.now() / 1000)).toBeLessThan(600);
  await busbar.admin.delete(`${ofSite}/rules/talks`);
  await socket.closed;
});

test("an error has its line and frame; the rule stops, and starts again later", async () => {
  await create("fails", "local function inner()\n  error('out of sun')\nend\ninner()");
  await vi.waitFor(async () => expect((await read("fails")).state).toBe("STOPPED"), 20_000);
  const { last_error, restart_at, disabled } = await read("fails");
  expect(last_error).toMatchObject({ message: "fails.lua:2: out of sun", file: "fails.lua", line: 2 });
  expect(last_error?.traceback).toContain("fails.lua:4:");
  expect([typeof restart_at, disabled]).toEqual(["string", false]);
  const fixed = await busbar.admin.post<One>(`${ofSite}/rules/fails/update_script`, { script: scriptOf("") });
  expect(fixed.body.rule.revision).toBe(2);
  await vi.waitFor(
    async () => expect(await read("fails")).toMatchObject({ state: "STARTED", last_error: null }),
    20_000,
  );
});

test("what is no Lua is refused, with line and column", async () => {
  const script = scriptOf("local x = 1\nlocal y = = 2");
  const { status, errors } = await busbar.admin.post(`${ofSite}/rules`, { slug: "typo", script });
  expect([status, errors]).toMatchObject([
    400,
    [{ details: { pointer: "/script/code", diagnostics: [{ code: "lua_syntax", line: 2, column: 11 }] } }],
  ]);
  expect((await busbar.admin.get(`${ofSite}/rules/typo`)).status).toBe(404);
});

test("an interval runs the script again and again, with its globals kept and its jobs renewed", async () => {
  const text = `runs = (runs or 0) + 1
enapter.log('run ' .. runs .. ' late ' .. tostring(os.time() % 1))
scheduler.add(50, function() enapter.log('job of ' .. runs) end)`;
  const script = scriptOf(text, { exec_interval: "1s" });
  const made = await busbar.admin.post<One>(`${ofSite}/rules`, { slug: "each-second", script });
  expect(made.body.rule.script.exec_interval).toBe("1s");
  await vi.waitFor(async () => expect((await logOf("each-second")).join("\n")).toContain("run 3"), 20_000);
  const lines = (await logOf("each-second")).filter((line) => line.startsWith("info: run"));
  expect(lines.slice(0, 3).map((line) => line.split(" ")[2])).toEqual(["1", "2", "3"]);
  await busbar.admin.delete(`${ofSite}/rules/each-second`);
});

test("a suspended engine runs nothing; a change of one rule disturbs no other", async () => {
  const text = (name: string) => `enapter.log('${name} starts')`;
  await create("calm", text("calm"));
  await vi.waitFor(async () => expect(await logOf("calm")).toEqual(["info: calm starts"]), 20_000);
  await create("changed", text("changed"));
  await busbar.admin.post(`${ofSite}/rules/changed/update_script`, { script: scriptOf(text("again")) });
  await vi.waitFor(async () => expect(await logOf("changed")).toContain("info: again starts"), 20_000);
  await busbar.admin.patch(`${ofSite}/rules/calm`, { slug: "calmer" });
  await busbar.admin.delete(`${ofSite}/rules/changed`);
  expect(await logOf("calmer")).toEqual(["info: calm starts"]);
  await busbar.admin.call("POST", `${ofSite}/suspend`);
  expect((await read("calmer")).state).toBe("STOPPED");
  await busbar.admin.call("POST", `${ofSite}/resume`);
  await vi.waitFor(
    async () => expect(await logOf("calmer")).toEqual(["info: calm starts", "info: calm starts"]),
    20_000,
  );
  await busbar.restart();
  await vi.waitFor(async () => expect(await logOf("calmer")).toHaveLength(3), 20_000);
});

test("rules have only what is theirs: no files, no drivers but http, no configuration", async () => {
  await create(
    "reaches",
    `for _, name in ipairs({'io', 'modbus', 'mqtt', 'configuration', 'device', 'debug', 'dofile', 'can', 'serial'}) do
  if _G[name] ~= nil then enapter.log('has ' .. name) end
end
enapter.log('looked')`,
  );
  await vi.waitFor(async () => expect(await logOf("reaches")).toContain("info: looked"), 20_000);
  expect(await logOf("reaches")).toEqual(["info: looked"]);
});

test("storage survives a new start of the script, and variables are shared with people", async () => {
  const path = `/v3/sites/${siteId}/variables`;
  expect((await busbar.admin.put(`${path}/price`, { value: 0.31 })).status).toBe(200);
  await create(
    "remembers",
    `local count = tonumber(storage.read('count') or '0') + 1
storage.write('count', tostring(count))
variables.set('count', count)
local missing, why = variables.get('nothing')
enapter.log(count .. ' at ' .. variables.get('price') .. ', ' .. tostring(missing) .. ': ' .. why)`,
  );
  const line = (count: number) => `info: ${count} at 0.31, nil: the site has no variable nothing`;
  await vi.waitFor(async () => expect(await logOf("remembers")).toEqual([line(1)]), 20_000);
  await busbar.admin.call("POST", `${ofSite}/rules/remembers/disable`);
  await busbar.admin.call("POST", `${ofSite}/rules/remembers/enable`);
  await vi.waitFor(async () => expect(await logOf("remembers")).toEqual([line(1), line(2)]), 20_000);
  const { body } = await busbar.admin.get<{ variables: readonly { name: string; value: unknown }[] }>(path);
  expect(body.variables.map(({ name, value }) => [name, value])).toEqual([
    ["count", 2],
    ["price", 0.31],
  ]);
  expect((await busbar.admin.put(`${path}/no-name`, { value: 1 })).status).toBe(400);
  expect((await busbar.admin.put(`${path}/x`, { value: {} })).status).toBe(400);
  expect((await busbar.admin.delete(`${path}/price`)).status).toBe(200);
  expect((await busbar.admin.delete(`${path}/price`)).status).toBe(404);
});

test("changes are in the audit log, without the code", async () => {
  await create("audited", "-- secret", { disable: true });
  const { body } = await busbar.admin.get<{ entries: readonly { action: string; details: object }[] }>(
    "/v3/audit?limit=50",
  );
  const entry = body.entries.find(({ details }) => JSON.stringify(details).includes('"audited"'));
  expect(entry).toMatchObject({ action: "createRule", details: { slug: "audited", code_bytes: 9 } });
  expect(JSON.stringify(body)).not.toContain(base64("-- secret"));
});
