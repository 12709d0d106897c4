// The register of the host of rules (src/core/lua/host/rule-signatures.ts) against what a real script finds around it.
import { expect, test } from "vitest";
import { createRuleApi } from "#core/lua/host/create-host-api.ts";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import { simulateScript } from "#runtime/lua/rule/dry-run/simulate-script.ts";

/** A message for each name: `table key type`. */
const DUMP = `
local function show(name, t)
  for key, value in pairs(t) do
    if type(key) == 'string' and key:sub(1, 2) ~= '__' then notify(name .. ' ' .. key .. ' ' .. type(value)) end
  end
end
local globals = {}
for name, value in pairs(_G) do globals[name] = value end
show('globals', globals)
for name, value in pairs(globals) do
  if type(value) == 'table' and name ~= '_G' then show(name, value) end
end
local device = enapter.device('x')
show('enapter.Device', device)
show('enapter.DeviceTelemetry', device.telemetry)
show('enapter.DeviceCommands', device.commands)
show('http.Client', getmetatable(http.client()).__index)
show('http.Request', http.request('GET', 'http://x/'))
show('http.Request', getmetatable(http.request('GET', 'http://x/')).__index)
schedule('1s', function(event) show('enapter.Event', event) end)
`;

test("the host of rules is as the register says, objects included", async () => {
  const program = { entry: "rule.lua", modules: new Map([["rule.lua", DUMP]]), nodebug: false, host: "rule" } as const;
  const { effects, problems } = await simulateScript(
    {
      engine: createLuaEngine({ isVirtualTime: true }),
      source: {
        column: async () => ({ problem: "none" }),
        controlProblem: async () => undefined,
        ask: async () => [{ id: "x", slug: "x", name: "X", implements: [] }],
      },
      limits: { wallMs: 60_000, steps: 100 },
      wall: () => performance.now(),
    },
    {
      ...{ ruleId: "r", program, intervalMs: undefined, timezone: "UTC", location: undefined },
      ...{ from: 1_000, to: 2_500, variables: new Map() },
    },
  );
  expect(problems).toEqual([]);
  const found = new Map<string, Map<string, string>>();
  for (const { effect } of effects) {
    const [table = "", key = "", type = ""] = effect.kind === "notify" ? effect.text.split(" ") : [];
    const keys = found.get(table) ?? new Map<string, string>();
    found.set(table, keys.set(key, type));
  }
  const api = createRuleApi();
  for (const [name, keys] of found) {
    const global = api.globals.get(name);
    const type = global?.kind === "value" ? global.type : name;
    const members = name === "globals" ? api.globals : api.tables.get(type)?.members;
    expect(members, `the register lacks ${name}`).toBeDefined();
    if (members === undefined) continue;
    expect(
      [...keys.keys()].filter((key) => !members.has(key)),
      `the register lacks fields of ${name}`,
    ).toEqual([]);
    const registered = [...members].filter(([, member]) => member.kind === "function" || !member.type.endsWith("?"));
    const missing = registered.filter(
      ([key, { kind }]) => !keys.has(key) || (kind === "function" && keys.get(key) !== "function"),
    );
    expect(
      missing.map(([key]) => key),
      `the register has more than ${name}`,
    ).toEqual([]);
  }
  const withFunctions = [...api.tables.values()].filter(({ members }) =>
    [...members.values()].some(({ kind }) => kind === "function"),
  );
  const seen = new Set([...found.keys()].map((name) => (api.globals.get(name)?.kind === "value" ? name : name)));
  // Those come with answers, of which there are none here: host-register.test.ts looks at them.
  expect(withFunctions.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual(["http.Headers"]);
});

test("each sentence of the register is one", () => {
  for (const { name, about, members } of createRuleApi().tables.values()) {
    expect(about, name).toMatch(/^[A-Z].*\.$/s);
    for (const [key, member] of members) {
      if (member.about !== "") expect(member.about, `${name}.${key}`).toMatch(/^[A-Z0-9`].*[.]$/);
    }
  }
});
