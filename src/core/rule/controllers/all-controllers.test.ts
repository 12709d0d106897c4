// Every controller: complete, documented, and a rule that the parser takes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RuleSiteDevice } from "#core/rule/rule-site.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { DEMO_RULE_SITE } from "../../../../test/support/plant-loop.ts";
import { CONTROLLERS } from "./all-controllers.ts";
import { cheapHours } from "./cheap-hours.ts";
import { checkNames } from "./check-names.ts";
import { checkParameters } from "./check-parameters.ts";
import type { Controller, Parameter, ParameterValue } from "./controller.ts";
import { madeByOf } from "./made-by.ts";
import { renderController } from "./render-controller.ts";
import { stormReserve } from "./storm-reserve.ts";

/** A value for each parameter that needs one. */
const NEEDED: Readonly<Record<string, ParameterValue>> = {
  battery: "battery-rack-a",
  meter: "grid-meter",
  charger: "wallbox",
  inverter: "roof-inverter",
  electrolyser: "electrolyser",
  device: "wallbox",
  control: "current_limit",
  power: "charging_power",
  load_1: "wallbox",
  load_1_control: "current_limit",
  load_1_power: "charging_power",
  load_1_max: 11_000,
  limit: 8_000,
  reserve: 30,
  max_charge: 10_000,
  max_discharge: 10_000,
  min_power: 1_400,
  max_power: 11_000,
  full_power: 2_400,
  rated_power: 25_000,
  value: 16,
  below: 0.25,
};

/** All that go together, with devices of the demo site. */
const OTHERS: Readonly<Record<string, ParameterValue>> = {
  night_from: "22:00",
  night_to: "06:00",
  battery_above: 50,
  peak_limit: 9_000,
  temperature: "charging_power",
  stop_at: 60,
  load_2: "electrolyser",
  load_2_control: "production_rate",
  load_2_power: "ac_power",
  load_2_max: 2_400,
  device_2: "electrolyser",
  control_2: "production_rate",
  power_2: "ac_power",
  max_power_2: 2_400,
};

function neededOf({ id, parameters }: Controller): Record<string, ParameterValue> {
  const needed = parameters.filter(({ required }) => required === true);
  const given = needed.map(({ name }) => [name, NEEDED[name] ?? `no value for ${name}`]);
  // Of two that may be given it needs one.
  return { ...Object.fromEntries(given), ...(id === "cheap_hours" ? { cheapest: "4h" } : {}) };
}

const cases = CONTROLLERS.map((controller) => [controller.id, controller] as const);

test("ids, names and icons are there, and no id comes twice", () => {
  expect(new Set(CONTROLLERS.map(({ id }) => id)).size).toBe(CONTROLLERS.length);
  for (const { id, displayName, description, icon } of CONTROLLERS) {
    expect(id).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(displayName).toMatch(/^[A-Z]/);
    expect(description).toMatch(/\.$/);
    expect(icon).toMatch(/^[a-z-]+$/);
  }
});

test.each(cases)("%s documents each parameter, and its defaults fit", (_, controller) => {
  const names = controller.parameters.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const one of controller.parameters) {
    expect(one.name).toMatch(/^[a-z]+(_[a-z0-9]+)*$/);
    expect([one.name, one.displayName, one.description]).toEqual([
      one.name,
      expect.stringMatching(/^[A-Z]/),
      expect.stringMatching(/\.$/),
    ]);
    expect([one.name, one.required === true && one.default !== undefined]).toEqual([one.name, false]);
    if (one.of !== undefined) expect(names).toContain(one.of);
    expect([one.name, ["attribute", "control", "command"].includes(one.kind)]).toEqual([
      one.name,
      one.of !== undefined,
    ]);
  }
  const defaults = controller.parameters.flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]]));
  const { problems } = renderController(controller, { ...neededOf(controller), ...Object.fromEntries(defaults) });
  expect(problems).toEqual([]);
});

test.each(cases)("%s fits the demo site, with what is needed alone and with everything", (_, controller) => {
  const needed = neededOf(controller);
  const names = controller.parameters.filter((one) => one.default === undefined).map(({ name }) => name);
  const more = Object.entries({ ...NEEDED, ...OTHERS }).filter(([name]) => names.includes(name));
  for (const given of [needed, { ...needed, ...Object.fromEntries(more) }]) {
    const { text = "", problems } = renderController(controller, given, DEMO_RULE_SITE);
    expect(problems).toEqual([]);
    expect([parseRule(text, { site: DEMO_RULE_SITE }).issues, text]).toEqual([[], text]);
  }
});

test.each(cases)("%s makes a rule that the parser takes, and knows its parameters again", (_, controller) => {
  const given = neededOf(controller);
  const { text = "", problems } = renderController(controller, given);
  expect(problems).toEqual([]);
  expect([parseRule(text).issues, text]).toEqual([[], text]);
  expect(madeByOf(text)).toEqual({ id: controller.id, parameters: given, isChanged: false });
  expect(madeByOf(text.replaceAll("\n", "\r\n"))?.isChanged).toBe(false);
  const edited = text.replace(/^name: .*/m, "name: My own");
  expect(madeByOf(edited)?.isChanged).toBe(true);
});

const WRONG: Readonly<Record<Parameter["kind"], unknown>> = {
  device: "two\nlines",
  attribute: 5,
  control: "",
  command: 5,
  number: "much",
  integer: 1.5,
  duration: "soon",
  time: "25:00",
  boolean: "yes",
  choice: "something else",
  text: "",
  variable: "not a name",
  calendar: 5,
};

test.each(cases)("%s refuses wrong parameters all at once", (_, controller) => {
  const wrong = controller.parameters.map(({ name, kind }) => [name, WRONG[kind] === "" ? 5 : WRONG[kind]] as const);
  const { text, problems } = renderController(controller, { ...Object.fromEntries(wrong), wrong_name: 1 });
  expect(text).toBeUndefined();
  const named = problems.map(({ parameter }) => parameter);
  expect(named).toEqual(["wrong_name", ...controller.parameters.map(({ name }) => name)]);
  for (const { parameter, message } of problems.slice(1)) expect(message).toMatch(new RegExp(`^${parameter} `));
});

test.each(cases)("%s says what is missing", (_, controller) => {
  const { problems } = renderController(controller, {});
  const needed = controller.parameters.filter(({ required }) => required === true).map(({ name }) => name);
  expect(problems).toEqual(needed.map((parameter) => ({ parameter, message: `${parameter} is needed` })));
});

test("names that the site does not have are said, each with the one that was meant", () => {
  const { problems } = renderController(
    stormReserve,
    { battery: "battery-rack-b", variable: "strom" },
    { ...DEMO_RULE_SITE, variables: new Set(["storm"]) },
  );
  expect(problems.map(({ message }) => message)).toEqual([
    'the site has no variable "strom"; did you mean storm?',
    'the site has no device "battery-rack-b"; did you mean battery-rack-a?',
  ]);
  const named = { battery: "battery-rack-a", battery_soc: "battery_sos", battery_control: "power" };
  expect(renderController(stormReserve, named, DEMO_RULE_SITE).problems.map(({ message }) => message)).toEqual([
    'battery-rack-a has no attribute "battery_sos"; did you mean battery_soc?',
    'battery-rack-a has no control "power"',
  ]);
});

test("the price of a variable says nothing of the cheapest hours, and is compared with a price", () => {
  const given = { device: "wallbox", control: "current_limit", value: 16, prices: "variable" };
  const said = (more: object) => renderController(cheapHours, { ...given, ...more }).problems;
  expect(said({ below: 0.2 })).toEqual([]);
  expect(said({})).toEqual([{ parameter: "below", message: "below is needed" }]);
  expect(said({ below: 0.2, cheapest: "4h" })).toMatchObject([{ parameter: "cheapest" }]);
  expect(said({ prices: "tariff" })).toMatchObject([{ parameter: "cheapest" }]);
});

test.each([
  ["start", undefined],
  ["strat", 'pump has no command "strat"; did you mean start?'],
])("the command %s of a device is known, or not: %j", (command, message) => {
  const parameters = [
    { name: "device", displayName: "D", description: "D.", kind: "device" },
    { name: "command", displayName: "C", description: "C.", kind: "command", of: "device" },
  ] as const;
  const { given } = checkParameters({ parameters }, { device: "pump", command });
  if (given === undefined) throw new Error("the parameters are refused");
  const pump = { attributes: new Map(), controls: new Map(), commands: new Map([["start", {}]]) };
  const site = { ...DEMO_RULE_SITE, devices: new Map([["pump", pump as unknown as RuleSiteDevice]]) };
  expect(checkNames({ parameters }, given, site).map((problem) => problem.message)).toEqual(
    message === undefined ? [] : [message],
  );
});

test("of what nobody gave, a number is 0, a text is empty, and a switch is off", () => {
  const one = (name: string, kind: Parameter["kind"]) => ({ name, displayName: "X", description: "X.", kind });
  const parameters = [one("number", "number"), one("text", "text"), one("flag", "boolean")];
  const { given } = checkParameters({ parameters }, {});
  expect([given?.number("number"), given?.text("text"), given?.flag("flag"), given?.has("flag")]).toEqual([
    ...[0, "", false, false],
  ]);
  expect(checkParameters({ parameters }, { flag: true }).given?.flag("flag")).toBe(true);
});

test("texts of people cannot leave their place in the rule", () => {
  const evil = 'x" }, { notify: gotcha } #: [';
  for (const controller of CONTROLLERS) {
    const texts = controller.parameters.filter(({ kind }) => ["device", "attribute", "control", "text"].includes(kind));
    const set = texts.filter((one) => one.required === true || one.default !== undefined);
    const given = { ...neededOf(controller), ...Object.fromEntries(set.map(({ name }) => [name, evil])) };
    const { text = "" } = renderController(controller, given);
    const [mine, theirs] = [
      parseRule(text).rule,
      parseRule(renderController(controller, neededOf(controller)).text ?? "").rule,
    ];
    expect(mine?.thenActions.map(({ kind }) => kind)).toEqual(theirs?.thenActions.map(({ kind }) => kind));
    expect(madeByOf(text)?.parameters).toEqual(given);
  }
});

test("the file of a controller is listed", () => {
  expect(readFileSync(new URL("all-controllers.ts", import.meta.url), "utf8").match(/^import \{ /gm)).toHaveLength(
    CONTROLLERS.length,
  );
});
