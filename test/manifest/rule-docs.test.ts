// The examples of docs/rules-yaml.md are read and run.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { actionsOf } from "#core/rule/rule.ts";
import { ruleReads } from "#core/rule/rule-reads.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { ms, RuleRun, RuleSiteInTime, ruleOf } from "../support/rule-run.ts";

const PAGE = readFileSync(new URL("../../docs/rules-yaml.md", import.meta.url), "utf8");
const EXAMPLES = new Map(
  [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => [ruleOf(text).name ?? "", text]),
);
const [, , NUMBERS = ""] = /^## (Computed numbers)$(.*?)^## /ms.exec(PAGE) ?? [];
const example = (name: string): string => EXAMPLES.get(name) ?? "";

test("every example can be read, and every condition, moment and action of the tables, too", () => {
  expect([...EXAMPLES.keys()]).toHaveLength(7);
  const spans = [...PAGE.matchAll(/^\| (`\{[^|]*\}`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\{[^`]*\})`/g)].map(([, span = ""]) => span),
  );
  const texts = spans.filter((span) => !span.includes("..."));
  expect(texts.length).toBeGreaterThan(19);
  for (const text of texts) {
    const isNumber = NUMBERS.includes(text);
    const isAction = /\{ (claim|execute|notify|set|wait)/.test(text);
    const rule = isNumber
      ? `when: { every: 1h }\nthen: { set: x, to: ${text} }`
      : isAction
        ? `when: { device: a, is: offline }\nthen: ${text}`
        : `when: ${text}\nthen: { notify: x }`;
    expect([text, ...parseRule(rule).issues.map(({ message }) => message)]).toEqual([text]);
  }
});

test("charging from surplus starts after two minutes, follows the surplus and stops by its hysteresis", () => {
  const site = new RuleSiteInTime("2024-06-21T10:00Z");
  site.location = { latitude: 51.5, longitude: -0.13 };
  const run = new RuleRun(example("Charge the car from surplus"), site).start();
  run.set("battery.soc", 90).set("meter.power", -2000).pass("3m").set("meter.power", -5000).pass("1m");
  run.set("meter.power", -1200).pass("1m").set("meter.power", -900).pass("30m");
  expect(run.done()).toEqual([
    "120s notify The car charges from the roof.",
    "120s claim charger.power=2000",
    // It was renewed a moment ago.
    "181s claim charger.power=5000",
    "240s claim charger.power=1400",
    // It became false after 5 minutes, and stays on for 10.
    "720s notify The car has stopped.",
    "720s release charger.power",
  ]);
});

test("the quarter of an hour stays below its limit, whatever else the site takes", () => {
  const site = new RuleSiteInTime("2026-06-01T00:00Z");
  site.usualMs = 10_000;
  const run = new RuleRun(example("The quarter of an hour stays below 8 kW"), site).start();
  const averages: number[] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    let energy = 0;
    for (let second = 0; second < 900; second += 10) {
      const house = second < 300 ? 2_000 + quarter * 3_000 : 3_000;
      const claim = run.effects.findLast(({ kind }) => kind === "claim");
      const car = Math.min(11_000, claim?.kind === "claim" && typeof claim.value === "number" ? claim.value : 11_000);
      site.measure("charger.power", car);
      run.set("meter.power", house + car);
      energy += (house + car) * 10;
      run.pass("10s");
    }
    averages.push(Math.round(energy / 900));
  }
  for (const average of averages) expect([averages, average > 7_500 && average <= 8_050]).toEqual([averages, true]);
});

test("the other examples do what they say", () => {
  const site = new RuleSiteInTime("2026-06-01T00:00Z");
  const report = new RuleRun(example("Morning report"), site).start();
  site.measure("battery.soc", 20, site.now + ms("7h"));
  expect(report.pass("8h").done()).toEqual(["27000s notify The battery is low this morning."]);
  const boiler = new RuleRun(example("Heat the boiler at night"), new RuleSiteInTime("2026-06-01T00:00Z")).start();
  boiler.set("boiler.temperature", 40).pass("6h");
  expect(boiler.done()).toEqual(["3600s claim boiler.power=2000", "14400s release boiler.power"]);
  const pump = new RuleRun(example("The pump has failed")).start();
  pump.step({ kind: "ended", executionId: "e", device: ["pump"], command: "start", isSuccess: false, causes: [] });
  expect(pump.pass("5m").done().at(-1)).toBe("60s execute pump.start");
  const silent = new RuleRun(example("The meter is silent")).start();
  silent.set("meter.power", 1).pass("10m").set("meter.power", 2);
  silent.site.online.set("meter", true);
  silent.step();
  expect(silent.done()).toEqual(["360.001s notify Nothing comes from the meter.", "600s notify The meter is back."]);
});

test("the boiler heats in the cheapest hours that are cheap enough", () => {
  const site = new RuleSiteInTime("2026-06-01T06:00Z");
  const prices = [0.2, 0.5, 0.3, 0.5, 0.4, 0.1];
  const hour = (at: number) => Math.floor((at - Date.parse("2026-06-01T06:00Z")) / 3_600_000);
  site.priceAt = (_, at) => prices[hour(at)] ?? 0.6;
  const boiler = new RuleRun(example("The boiler heats in the four cheapest hours"), site).start().pass("1d");
  const claimed = ["0s claim", "3600s release", "7200s claim", "10800s release", "18000s claim", "21600s release"];
  expect(boiler.done().map((line) => line.replace(/ boiler.*/, ""))).toEqual(claimed);
});

test("what a rule depends on is known", () => {
  const rule = ruleOf(example("Charge the car from surplus"));
  const { attributes, variables } = ruleReads(rule);
  expect(attributes.map(({ device, attribute }) => `${device}.${attribute}`)).toEqual(["meter.power", "battery.soc"]);
  expect(variables).toEqual([]);
  expect(ruleReads(ruleOf(example("The boiler heats in the four cheapest hours"))).prices).toEqual(["import"]);
  expect(ruleReads(ruleOf(example("Heat the boiler at night"))).variables).toEqual(["guests"]);
  expect(actionsOf(rule, "else")).toHaveLength(1);
});
