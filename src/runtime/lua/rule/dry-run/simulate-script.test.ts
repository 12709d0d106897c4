// Scripts of rules over a past that is made up, in virtual time.
import { expect, test } from "vitest";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import type { PastSource } from "./past-site.ts";
import { simulateScript } from "./simulate-script.ts";

const FROM = Date.parse("2026-06-01T00:00:00Z");
const HOUR = 3_600_000;
const engine = createLuaEngine({ isVirtualTime: true, activityMs: 5_000 });

/** The sun between 06:00 and 18:00, every minute: at noon 3 kW are left over. */
const samples = Array.from({ length: 24 * 60 }, (_, minute) => {
  const hour = minute / 60;
  const power = hour < 6 || hour > 18 ? 400 : 400 - 3400 * Math.sin(((hour - 6) / 12) * Math.PI);
  return { at: FROM + minute * 60_000, value: Math.round(power) };
});

const source: PastSource = {
  column: async ({ attribute }) =>
    attribute === "power"
      ? { samples, type: "float" }
      : { problem: `the device has no telemetry attribute "${attribute}"` },
  controlProblem: async (_, control) => (control === "power" ? undefined : `the device has no control ${control}`),
  ask: async (name, [device], at) =>
    name === "device"
      ? [{ id: device, slug: device, name: device, implements: [] }]
      : name === "tariff_at"
        ? [{ import: new Date(at).getUTCHours() < 6 ? 0.1 : 0.3, currency: "EUR" }]
        : [null, "unknown in a dry run"],
};

function simulate(
  text: string,
  more: { readonly wallMs?: number; readonly steps?: number; readonly hours?: number } = {},
) {
  const program = { entry: "rule.lua", modules: new Map([["rule.lua", text]]), nodebug: false, host: "rule" } as const;
  const limits = { wallMs: more.wallMs ?? 60_000, steps: more.steps ?? 300_000 };
  return simulateScript(
    { engine, source, limits, wall: () => performance.now() },
    {
      ...{ ruleId: "r", program, intervalMs: undefined, timezone: "Europe/Berlin", location: undefined },
      ...{ from: FROM, to: FROM + (more.hours ?? 24) * HOUR, variables: new Map([["away", false]]) },
    },
  );
}

const clock = (at: number) => new Date(at).toISOString().slice(11, 16);

const SURPLUS = `local meter, battery = enapter.device('meter'), enapter.device('battery')
scheduler.add(60000, function()
  local power = meter.telemetry.avg('power', '5m')
  if power and power < -2000 then
    battery.claim('power', 2000, { lease = '2m', reason = 'surplus' })
  else
    battery.release('power')
  end
end)`;

test("a day of surplus charging: what was claimed, from when until when, the same each time", async () => {
  const first = await simulate(SURPLUS);
  expect(first.problems).toEqual([]);
  expect(first.bands.map(({ from, to, ...band }) => ({ ...band, from: clock(from), to: clock(to) }))).toEqual([
    { device: "battery", control: "power", claim: "target", value: 2000, from: "09:03", to: "15:03" },
  ]);
  expect(first.traces.map(({ at, steps }) => [clock(at), steps[0]?.what, steps[0]?.place])).toEqual([
    ["09:03", "claim power: target 2000", "rule.lua:5"],
    ["15:03", "release power", "rule.lua:7"],
  ]);
  expect(await simulate(SURPLUS)).toEqual(first);
});

test("triggers, times, prices, variables, commands and messages happen in virtual time", async () => {
  const { effects, problems } = await simulate(`
on({ device = 'meter', attribute = 'power', below = -2000, hysteresis = 500, ['for'] = '10m' }, function(event)
  notify('surplus of ' .. -event.values['meter.power'], { severity = 'warning' })
end, function() notify('over') end)
on({ variable = 'away', equals = true }, function() enapter.device('pump').commands.execute('stop', { fast = true }) end)
schedule('06:30', function() variables.set('away', true) notify(TIMEZONE .. ' ' .. tariff.at().import) end)
schedule('12h', function() notify(os.date('!%H:%M')) end)`);
  expect(effects.map(({ at, effect }) => [clock(at), effect.kind === "notify" ? effect.text : effect.kind])).toEqual([
    ["04:30", "set"],
    ["04:30", "Europe/Berlin 0.1"],
    ["04:30", "execute"],
    ["09:10", "surplus of 2107"],
    ["12:00", "12:00"],
    ["15:45", "over"],
    ["00:00", "00:00"],
  ]);
  expect(problems).toEqual(["commands are taken to succeed, with an empty payload"]);
});

test("what is unknown in the past, and what does not exist, is nil and why", async () => {
  const { effects } = await simulate(
    `local d = enapter.device('meter')
for _, answer in ipairs({ {d.online()}, {d.alerts()}, {d.telemetry.now('powr')}, {d.claim('speed', 1)}, {variables.get('x')}, {d.claim('power', {})} }) do
  notify(tostring(answer[2] or select(2, table.unpack(answer, 1, 2))))
end
notify(d.telemetry.now('power') .. ' ' .. #d.telemetry.series('power', '1h', '10m') .. ' ' .. d.telemetry.age('power'))
system.delay(2000)
storage.write('a', 'b')
notify(storage.read('a') .. ' ' .. tostring(select(2, d.telemetry.now('power', {max_age = '1s'}))))`,
    { hours: 1 },
  );
  expect(effects.map(({ effect }) => effect.kind === "notify" && effect.text)).toEqual([
    "unknown in a dry run",
    "unknown in a dry run",
    'the device has no telemetry attribute "powr"',
    "the device has no control speed",
    "the site has no variable x",
    "a claim is a number or unlimited",
    "400 1 0",
    "b stale",
  ]);
});

test.each([
  ["while true do end", "comput"],
  ["local t = {} while true do t[#t + 1] = ('x'):rep(100000) end", "memory"],
  ["error('no')", "no"],
  ["scheduler.add(10, function() error('each time') end)", "each time"],
  ["scheduler.add(10, function() end)", "more than 1000 runs"],
  ["local d = enapter.device('x') while true do d.telemetry.now('power') end", "on and on"],
  ["while true do system.delay(0) end", "it ended early"],
  ["while true do http.get('http://127.0.0.1/') end", "on and on"],
  ["for n = 1, 60 do local _, why = on({ every = n .. 'm' }, print) if why then error(why) end end", "at most 50"],
  ["for n = 1, 11 do scheduler.add(1000 + n, function() for n = 1, 1000 do notify('x') end end) end", ""],
  ["local function f() coroutine.wrap(f)() end f()", ""],
])("a hostile script has an end: %s", { timeout: 60_000 }, async (text, part) => {
  const { problems, effects } = await simulate(text, { steps: 1_000, wallMs: 2_000 });
  expect(problems.join("; ")).toContain(part);
  expect(problems).not.toEqual([]);
  expect(effects.length).toBeLessThanOrEqual(10_000);
});

test("a dry run reaches no server, and says so", async () => {
  const { effects, problems } = await simulate(
    "local answer, why = http.get('http://127.0.0.1:1/')\nnotify(tostring(answer) .. ': ' .. why)",
  );
  expect(problems).toEqual([]);
  expect(effects.map(({ effect }) => (effect.kind === "notify" ? effect.text : effect.kind))).toEqual([
    "nil: there is no network in a dry run or a test",
  ]);
});

test("what is known when the time is over is the answer", async () => {
  const { problems, simulatedTo } = await simulate(SURPLUS, { wallMs: 0 });
  expect(problems.join()).toContain("it ended early");
  expect(simulatedTo).toBeLessThan(FROM + HOUR);
});

test("what it executes with long arguments has a limit, for one and for all together", async () => {
  const { effects, problems } = await simulate(`
local device = enapter.device('battery')
scheduler.add(60000, function()
  device.commands.execute('write', { text = string.rep('x', 60000) })
  device.commands.execute('write', { text = string.rep('x', 70000) })
end)`);
  const text = JSON.stringify(effects);
  expect(text.length).toBeLessThan(4_100_000);
  expect(Math.max(...text.split(/[^x]+/).map((run) => run.length))).toBe(60_000);
  expect(problems.join()).toContain("the others are not listed");
});
