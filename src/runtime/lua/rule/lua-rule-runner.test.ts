// Scripts of rules in real threads, with a site that is made up.
import { afterEach, expect, test, vi } from "vitest";
import { NO_MODULES, type RuleModules } from "#core/rule/rule-modules.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { instant } from "#core/time/instant.ts";
import { NOBODY_WATCHES, type RuleWatch } from "#service/rule/rule-function.ts";
import type { LuaTriggers } from "#service/rule/triggers/lua-triggers.ts";
import { createLuaRuleRunner } from "./lua-rule-runner.ts";

const PATIENCE = { timeout: 30_000, interval: 20 };

const ruleOf = (text: string): SiteRule => ({
  ...{ id: "r1", siteId: "s1", slug: "surplus", disabled: false, revision: 1 },
  script: { code: Buffer.from(text).toString("base64"), runtimeVersion: "V3", execInterval: undefined },
  createdAt: instant(0),
  updatedAt: instant(0),
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const NO_TRIGGERS: LuaTriggers = {
  begun: async () => {},
  stopped: () => {},
  ask: async () => undefined,
  step: async () => [],
  records: () => [],
  stored: () => {},
  causesOf: () => [],
  isCalledAgain: () => false,
  ended: () => {},
  close: () => {},
};

/** The functions of the site, by name. */
type Site = Readonly<Record<string, (args: readonly unknown[], watch: RuleWatch) => readonly unknown[]>>;

function startRunner(site: Site, triggers: LuaTriggers = NO_TRIGGERS, before: readonly string[] = []) {
  const stored = new Map<string, RuleTrace>();
  const lines: string[] = [];
  const runner = createLuaRuleRunner(
    {
      rules: {
        storage: async () => new Map(),
        traces: async () => before.map((trace) => ({ id: "", at: instant(0), trace })),
      } as unknown as Parameters<typeof createLuaRuleRunner>[0]["rules"],
      now: () => instant(Date.now()),
      randomBytes: () => new Uint8Array(4),
      after: () => () => {},
      host: {
        trace: (_, trace) => void stored.set(trace.id, trace),
        log: (_, severity, message) => void lines.push(`${severity}: ${message}`),
        ask: async (_, name, args, by) => site[name]?.(args, by?.watch ?? NOBODY_WATCHES) ?? [null, "no such function"],
      },
      triggers,
      knownSite: async () => undefined,
      modulesOf: async () => NO_MODULES,
      log: { error: (_, text) => void lines.push(text) },
    },
    { threads: 1 },
  );
  opened.push(runner);
  const traces = () => [...stored.values()];
  const start = (text: string, modules?: RuleModules) => runner.start({ rule: ruleOf(text), timezone: "UTC", modules });
  return { runner, start, traces, lines };
}

const METER: Site = {
  device: () => [{ id: "d1", slug: "meter", name: "Meter", implements: [] }],
  now(_, watch) {
    watch.saw({ subject: "meter.power", value: -500, ageMs: 900 });
    return [-500];
  },
  claim(args, watch) {
    if (args[2] !== 1) watch.acted(`claim ${args[1]}: ${args[2]}`);
    return args[2] === 13 ? [null, "out of range"] : [true];
  },
};

test("what a script did is traced with what it read before; runs that change nothing leave no trace", async () => {
  const { start, traces } = startRunner(METER);
  await start(`local meter = enapter.device('meter')
local n = 0
scheduler.add(20, function()
  n = n + 1
  local power = meter.telemetry.now('power')
  if n == 3 then
    meter.claim('power', power)
    meter.claim('power', 13)
  end
  meter.claim('power', 1)
end)`);
  await vi.waitFor(async () => {
    expect(traces().map(({ endedAt }) => endedAt)).toEqual([expect.any(Number)]);
  }, PATIENCE);
  const [trace] = traces();
  expect(trace).toMatchObject({
    trigger: "job",
    outcome: "ran",
    why: "a job was due",
    evidence: [{ place: "surplus.lua:5", subject: "meter.power", value: -500, ageMs: 900 }],
    steps: [
      { place: "surplus.lua:7", what: "claim power: -500", result: "done" },
      { place: "surplus.lua:8", what: "claim power: 13", result: "out of range" },
    ],
    ended: "it ended",
  });
});

test("an error leaves a trace with its place, also of a script that did nothing", async () => {
  const { start, traces } = startRunner(METER);
  await start("local x\nerror('no meter')");
  await vi.waitFor(async () => {
    expect(traces()).toMatchObject([
      {
        trigger: "main",
        outcome: "failed",
        why: "surplus.lua:2: no meter",
        steps: [],
        ended: "surplus.lua:2: no meter",
      },
    ]);
  }, PATIENCE);
});

test("a question leaves the thread at once, and not with whatever the thread does next", async () => {
  const { start, lines } = startRunner(METER);
  await start(`local meter = enapter.device('meter')
for n = 1, 400 do meter.telemetry.now('power') end
enapter.log('asked')`);
  // What the thread does by itself comes once a second.
  await vi.waitFor(() => expect(lines).toEqual(["info: asked"]), { timeout: 60_000, interval: 20 });
});

const modulesOf = (
  texts: Readonly<Record<string, string>>,
  problems: Readonly<Record<string, string>> = {},
): RuleModules => ({
  texts: new Map(Object.entries(texts).map(([slug, text]) => [slug, new TextEncoder().encode(text)])),
  problems: new Map(Object.entries(problems)),
});

test("a rule runs others of its site as modules, each once", async () => {
  const { start, lines } = startRunner({});
  await start(
    `local prices, money = require('prices'), require('money')
    enapter.log(prices.of(3) .. ' ' .. tostring(require('prices') == prices) .. ' ' .. tostring(money.euro == prices.euro))
    enapter.log(require('json').encode({ 1 }) .. ' ' .. tostring(require('math') == math))`,
    modulesOf({
      prices:
        "enapter.log('loaded') local money = require('money') return { of = function(n) return money.euro(n) end, euro = money.euro }",
      money: "return { euro = function(n) return n .. ' EUR' end }",
      json: "return { encode = function() return 'mine' end }",
    }),
  );
  await vi.waitFor(() => expect(lines).toEqual(["info: loaded", "info: 3 EUR true true", "info: [1] true"]), PATIENCE);
});

test.each([
  [
    "a module that throws",
    "local x = 1\nrequire('prices')",
    modulesOf({ prices: "local function read()\n  error('no price')\nend\nread()" }),
    { message: "prices.lua:2: no price", file: "prices.lua", line: 2 },
    [
      "prices.lua:2: in upvalue 'read'|prices.lua:2: in local 'read'",
      "prices.lua:4: in main chunk|prices.lua:4:",
      "surplus.lua:2: in main chunk|surplus.lua:2:",
    ],
  ],
  [
    "a circle",
    "require('a')",
    modulesOf({ a: "require('b')", b: "\nrequire('a')" }),
    { message: "b.lua:2: module 'a' requires itself: a.lua -> b.lua -> a.lua", file: "b.lua", line: 2 },
    ["a.lua:1:", "surplus.lua:1:"],
  ],
  [
    "a circle through the rule itself, which is not run twice",
    "enapter.log('begun')\nrequire('a')",
    modulesOf({ a: "require('surplus')" }),
    {
      message: "a.lua:1: module 'surplus' requires itself: surplus.lua -> a.lua -> surplus.lua",
      file: "a.lua",
      line: 1,
    },
    [],
  ],
  [
    "a module that is not there",
    "\nrequire('prices')",
    modulesOf({}, { prices: "the site has no rule prices" }),
    { message: "surplus.lua:2: module 'prices' not found: the site has no rule prices", file: "surplus.lua", line: 2 },
    [],
  ],
  [
    "a name that is made while the script runs",
    "require('pri' .. 'ces')",
    modulesOf({}),
    {
      message:
        "surplus.lua:1: module 'prices' not found: the modules of a rule are those whose names it writes down, as in require('prices')",
    },
    [],
  ],
  [
    "a path",
    "require('../prices')",
    modulesOf({ prices: "return 1" }),
    { message: expect.stringContaining("module '../prices' not found: the modules of a rule are those whose names") },
    [],
  ],
  [
    "a module without an end",
    "require('prices')",
    modulesOf({ prices: "local function deeper(n) return 1 + deeper(n + 1) end\ndeeper(1)" }),
    { message: expect.stringContaining("memory") },
    [],
  ],
  [
    "a module that takes all memory",
    "require('prices')",
    modulesOf({ prices: "local all = {}\nwhile true do\n  all[#all + 1] = ('x'):rep(100000) .. #all\nend" }),
    { message: expect.stringContaining("memory") },
    [],
  ],
])("%s: the error has its place", async (_, text, modules, error, frames) => {
  const { runner, start, lines } = startRunner({});
  await start(text, modules);
  await vi.waitFor(() => expect(runner.status("r1")?.lastError).toMatchObject(error), PATIENCE);
  const traceback = runner.status("r1")?.lastError?.traceback ?? "";
  for (const frame of frames)
    expect(
      frame.split("|").some((one) => traceback.includes(one)),
      traceback,
    ).toBe(true);
  expect(lines.filter((line) => line.endsWith("begun")).length).toBeLessThanOrEqual(1);
});

test("traces that went on when the gateway ended are told to be cut, and so are those of a script that ends", async () => {
  const goesOn = {
    id: "r1/trigger@5:1",
    at: 5,
    trigger: "trigger",
    outcome: "ran",
    why: "a trigger came",
    branch: "then",
  };
  const step = { place: "surplus.lua:1", at: 6, what: "claim power: 1" };
  const text = JSON.stringify({ ...goesOn, causes: [], evidence: [], steps: [step] });
  const ended = JSON.stringify({ ...goesOn, id: "done", causes: [], evidence: [], steps: [step], endedAt: 7 });
  const { start, traces } = startRunner(METER, NO_TRIGGERS, [text, ended]);
  await start("enapter.device('meter').claim('power', 2)\nwhile true do end");
  const told = "it was cut: the gateway or the script ended in the middle of it";
  await vi.waitFor(
    () =>
      expect(traces().map(({ id, ended: how }) => [id.replace(/main@.*/, "main"), how])).toEqual([
        ["r1/trigger@5:1", told],
        ["r1/main", expect.stringContaining("computed for more than")],
      ]),
    PATIENCE,
  );
});
