// Rules in Lua in scenarios, by the interpreter of a gateway.
import { expect, test } from "vitest";
import { lineOf, playScript } from "../../../../test/support/rule-scenarios.ts";
import { createRuleTester } from "./create-rule-tester.ts";

const SITE = `devices:
  meter: {telemetry: {power: 0}, properties: {model: M1}, implements: [energy.meter]}
  pump: {controls: {level: "%"}, commands: {stop: error}}
variables: {limit: 100}
calendars: {holidays: off}
`;

async function failing(rule: string, steps: string, site = SITE): Promise<readonly string[]> {
  const reports = await playScript(rule, `${site}steps:\n${steps}`);
  return reports.flatMap(({ failures }) => failures.map(lineOf));
}

test("a script sees devices, properties, variables and calendars as the scenario says, and what it does is known", async () => {
  const rule = `
local meter, pump = enapter.device('meter'), enapter.device('pump')
enapter.log(meter.property('model') .. ' ' .. tostring(meter.implements('energy.meter')))
scheduler.add(1000, function()
  local power = meter.telemetry.now('power')
  if power and power > variables.get('limit') and not calendar.now('holidays').on and pump.online() then
    local state = pump.commands.execute('start', { level = 2 })
    variables.set('started', state == 'SUCCESS')
    enapter.log((pump.commands.execute('stop')), 'warning')
    if #pump.alerts() > 0 then notify('dry', { severity = 'error' }) end
  end
end)`;
  const found = await failing(
    rule,
    `  - expect: {log: M1 true}
  - wait: 10s
    expect: {commands: none, variables: {started: absent}}
  - {calendars: {holidays: on}, set: {meter: {telemetry: {power: 150}}}, wait: 2s, expect: {commands: none}}
  - {set: {pump: offline}, calendars: {holidays: off}, wait: 2s, expect: {commands: none}}
  - {set: {pump: well}, variables: {limit: 200}, wait: 2s, expect: {commands: none}}
  - variables: {limit: 149}
    set: {pump: {alerts: [dry]}}
    wait: 1s
    expect:
      commands: {pump: [{command: start, arguments: {level: 2}}, stop]}
      variables: {started: true}
      messages: {severity: error, text: dry}
      log: {severity: warning, text: ERROR}
      runs: then
`,
  );
  expect(found).toEqual([]);
});

test("a script sees prices as the scenario says, and why none is known", async () => {
  const rule = `
scheduler.add(3600000, function()
  local price, why = tariff.at()
  local best, none = tariff.cheapest('2h', { from = os.time() })
  enapter.log((price and price.import .. ' ' .. price.currency or why) .. ', ' .. (best and os.date('!%H:%M', math.floor(best.from)) or none))
end)`;
  const site = `timezone: Europe/Berlin
start: 2026-06-21T22:00:00Z
devices: {meter: {telemetry: {power: 0}}}
tariff: {import: {daily: {"00:00": 0.2, "03:00": 0.1, "06:00": 0.3}}}
`;
  const steps = `  - wait: 1h
    expect: {log: "0.2 EUR, 01:00"}
  - wait: 3h
    expect: {log: "0.1 EUR, 02:00"}
  - {tariff: {import: absent}, wait: 1h, expect: {log: "no price is known for this time, no prices are known for so long in this window"}}
`;
  expect(await failing(rule, steps, site)).toEqual([]);
});

test("an error that nothing catches fails the scenario, unless it is expected", async () => {
  const rule = "scheduler.add(1000, function() error('no way') end)";
  expect((await failing(rule, "  - wait: 2s\n")).join()).toContain("no way");
  expect(await failing(rule, "  - {wait: 2s, expect: {error: no way, runs: [failed, failed]}}\n")).toEqual([]);
});

test("a script with an interval runs as a whole, and one that computes without end is stopped", async () => {
  const interval = `exec_interval: 1m\n${SITE}`;
  const rule = "n = (n or 0) + 1 enapter.log('run ' .. n)";
  expect(await failing(rule, "  - {wait: 3m, expect: {log: [run 1, run 2, run 3]}}\n", interval)).toEqual([]);
  expect((await failing("while true do end", "  - wait: 1s\n")).length).toBeGreaterThan(0);
});

test("names that the scenario does not have are found before anything runs", async () => {
  await expect(failing("local meter = enapter.device('metre')", "  - wait: 1s\n")).rejects.toThrow("metre");
});

test("a thread that takes too long is ended, and the caller hears it", async () => {
  const script = {
    name: "a.lua",
    language: "lua",
    text: "for i = 1, 1e9 do string.rep('x', 100) end",
    intervalMs: undefined,
  } as const;
  const task = { script, source: "steps: [{wait: 1s}]", file: undefined, isVerbose: false };
  const playing = createRuleTester({ deadlineMs: 50 })(task, new AbortController().signal);
  await expect(playing).rejects.toThrow("took too much time");
  // A regular expression of the scenario that never ends.
  const rule = "when: { every: 1s }\nthen: { notify: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! }";
  const source = 'steps: [{wait: 1s, expect: {messages: {text: {matches: "^(a+)+$"}}}}]';
  const yaml = { script: { name: "a.yml", language: "yaml", text: rule, intervalMs: undefined } as const };
  const stuck = createRuleTester({ deadlineMs: 500 })({ ...task, ...yaml, source }, new AbortController().signal);
  await expect(stuck).rejects.toThrow("took too much time");
  const gone = new AbortController();
  const left = createRuleTester()(task, gone.signal);
  gone.abort(new Error("nobody waits"));
  await expect(left).rejects.toThrow("nobody waits");
});

test("requests are answered as declared, with delays, errors and time-outs; one that is not declared fails the scenario", async () => {
  const rule = `scheduler.add(60000, function()
  local answer, why = http.client({ timeout = 2 }):post('http://u:p@10.0.0.9/set', 'text/plain', 'on')
  enapter.log(answer and answer.code .. ' ' .. answer.body or why)
end)`;
  const head = `http: {"POST http://10.0.0.9/set": [{body: done, delay: 1s}, 204, {error: gone}, silent, {code: 200, delay: 1m}]}\n${SITE}`;
  const steps = `
  - {wait: 60s, expect: {no_log: done, requests: {request: POST http://10.0.0.9/set, body: "on"}}}
  - {wait: 1s, expect: {log: 200 done, requests: none}}
  - {at: 120s, expect: {log: "204 "}}
  - {at: 180s, expect: {log: gone}}
  - {at: 241s, expect: {no_log: no answer}}
  - {at: 242s, expect: {log: no answer within 2000 ms}}
  - {at: 302s, expect: {log: no answer within 2000 ms}}
  - {http: {"POST http://10.0.0.9/set": 201}, wait: 60s, expect: {log: "201 "}}
`;
  expect(await failing(rule, steps, head)).toEqual([]);
  const undeclared = "the scenario declares no answer to POST http://10.0.0.9/set";
  expect((await failing(rule, "  - wait: 61s\n")).join()).toContain(undeclared);
  expect(await failing(rule, `  - {wait: 61s, expect: {error: ${undeclared}, log: ${undeclared}}}\n`)).toEqual([]);
});
