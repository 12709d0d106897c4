// Scripts of rules in real threads, with a site that is made up.
import { afterEach, expect, test, vi } from "vitest";
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
  ended: () => {},
  close: () => {},
};

/** The functions of the site, by name. */
type Site = Readonly<Record<string, (args: readonly unknown[], watch: RuleWatch) => readonly unknown[]>>;

function startRunner(site: Site, triggers: LuaTriggers = NO_TRIGGERS) {
  const stored = new Map<string, RuleTrace>();
  const lines: string[] = [];
  const runner = createLuaRuleRunner(
    {
      rules: {
        storage: async () => new Map(),
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
      log: { error: (_, text) => void lines.push(text) },
    },
    { threads: 1 },
  );
  opened.push(runner);
  const traces = () => [...stored.values()];
  const start = (text: string) => runner.start({ rule: ruleOf(text), timezone: "UTC" });
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
