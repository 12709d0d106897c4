import { expect, test } from "vitest";
import type { RuleSite } from "#core/rule/rule-site.ts";
import { lintRule } from "./lint-scripts.ts";

const meter = {
  attributes: new Map([["power", { type: "float", unit: "W" }]]),
  controls: new Map([["limit", { unit: "W", min: 0, max: 10 }]]),
  commands: new Map([["start", { arguments: new Map() }]]),
  alerts: new Set(["dry"]),
};
const site: RuleSite = {
  devices: new Map([
    ["meter", meter],
    ["unknown", undefined],
  ]),
  variables: new Set(["away"]),
  hasLocation: true,
};

const lint = (text: string, of: RuleSite | undefined = site) =>
  lintRule({ file: "rule.lua", text, site: of }).map(
    ({ code, message, range: { start } }) => `${start.line}:${start.column} ${code.replace("lua_", "")}: ${message}`,
  );

test.each([
  ["local d = enapter.device('metre')", '1:26 unknown_name: The site has no device "metre". Did you mean meter?'],
  [
    "local d = enapter.device('meter')\nreturn d.telemetry.now('powr')",
    '2:24 unknown_name: The device meter has no attribute "powr". Did you mean power?',
  ],
  [
    "enapter.device('meter').commands.execute('strat')",
    '1:42 unknown_name: The device meter has no command "strat". Did you mean start?',
  ],
  [
    "local d = enapter.device('meter')\nd:claim('limits', 5)",
    '2:9 unknown_name: The device meter has no control "limits". Did you mean limit?',
  ],
  ["variables.get('awai')", '1:15 unknown_name: The site has no variable "awai". Did you mean away?'],
  [
    "on({ when = { { device = 'meter', alert = 'wet' }, { variable = 'x', equals = 1 } } }, print)",
    '1:43 unknown_name: The device meter has no alert "wet".\n1:65 unknown_name: The site has no variable "x".',
  ],
  [
    "enapter.device('meter').telemetri.now('power')",
    "1:25 unknown_field: enapter.Device has no telemetri. Did you mean telemetry?",
  ],
  [
    "enapter.device('meter').telemetry.avg('power')",
    "1:38 wrong_call: enapter.DeviceTelemetry.avg(name, window, [options]) takes at least 2 arguments, not 1.",
  ],
  ["scheduler.add(1000)", "1:14 wrong_call: scheduler.add(period, job) takes 2 arguments, not 1."],
  ["modbus.new('tcp://x')", "1:1 undefined_global: Nothing defines the global modbus."],
  [
    "on({ device = 'meter', is = 'offline' }, function(event) return event.vaule end)",
    "1:71 unknown_field: enapter.Event has no vaule.",
  ],
  ["local answer = http.gett('http://x/')", "1:21 unknown_field: http has no gett. Did you mean get?"],
  [
    "local r = http.get('http://x/')\nreturn r.kode",
    "2:10 unknown_field: http.Response has no kode. Did you mean code?",
  ],
  ["http.get()", "1:9 wrong_call: http.get(url) takes 1 argument, not 0."],
  ["local x = = 5", "1:11 syntax: This is not valid Lua: a name is expected here."],
])("%s", (text, expected) => {
  expect(lint(text).join("\n")).toBe(expected);
});

test.each([
  "local d = enapter.device('unknown')\nreturn d.telemetry.now('anything')",
  "local name = 'x'\nreturn enapter.device(name).telemetry.now(name)",
  "local d = enapter.device('meter')\nif x then d = enapter.device('unknown') end\nreturn d.telemetry.now('other'), x",
  "on({ device = 'meter', alert = 'any' }, function() notify('x') end)",
  "schedule('sunset-30m', function() variables.set('new', 1) end, { missed = 'run_late' })",
  "explain(TIMEZONE .. RULE_ID .. json.encode(tariff.at() or {}) .. os.date())",
  "local r, err = http.client({ timeout = 5 }):get('http://x/')\nexplain(r and r.headers:get('Date') or err)",
  "function enapter.main() end",
])("nothing is said about %s", (text) => {
  expect(lint(text).filter((line) => !line.includes("undefined_global: Nothing defines the global x"))).toEqual([]);
});

const modulesOf = (texts: Readonly<Record<string, string>>, problems: Readonly<Record<string, string>> = {}) => ({
  texts: new Map(Object.entries(texts).map(([slug, text]) => [slug, new TextEncoder().encode(text)])),
  problems: new Map(Object.entries(problems)),
});

test.each([
  ["return require('prices').at()", modulesOf({ prices: "return {}" }), []],
  ["return limit", modulesOf({ prices: "" }), ["lua_undefined_global: Nothing defines the global limit."]],
  ["require('prices') return limit", modulesOf({ prices: "limit = 5" }), []],
  ["require('prices') return limit", undefined, []],
  [
    "require('prices')",
    modulesOf({}, { prices: "the site has no rule prices" }),
    ['lua_module_missing: The module "prices" cannot be required: the site has no rule prices.'],
  ],
  ["package.preload.prices = print require('prices')", modulesOf({}, { prices: "the site has no rule prices" }), []],
  [
    "require('pri' .. 'ces')",
    modulesOf({}),
    [
      "lua_dynamic_require: Only a module whose name is written down is there when the rule runs: write require('prices').",
    ],
  ],
])("%s with its modules", (text, modules, expected) => {
  const issues = lintRule({ file: "rule.lua", text, site: undefined, modules });
  expect(issues.map(({ code, message }) => `${code}: ${message}`)).toEqual(expected);
});

test("without a site, names are not looked at", () => {
  expect(lintRule({ file: "rule.lua", text: "enapter.device('metre')", site: undefined })).toEqual([]);
});
