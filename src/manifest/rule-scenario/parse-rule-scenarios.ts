// Text of a file with scenarios of a rule: what the site is like, what happens there, and what the rule is expected to do.
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import { isTimezone } from "#core/site/timezone.ts";
import * as r from "#manifest/reader.ts";
import { lasting } from "#manifest/rule/rule-context.ts";
import { expectedText, expectedValue } from "#manifest/scenario/expected.ts";
import { DEFAULT_START, readScenarioFile } from "#manifest/scenario/read-scenario-file.ts";
import type { Node } from "#manifest/tree.ts";
import { type RequestAnswer, requestAnswers } from "./http.ts";
import { type GivenTariff, tariff } from "./prices.ts";
import type { RuleScenarioContext } from "./scenario-context.ts";
import {
  calendars,
  type DeclaredDevice,
  type DeviceChange,
  deviceChanges,
  devices,
  type GivenCalendar,
  variables,
} from "./site.ts";
import { ruleStep } from "./steps.ts";

export interface ParsedRuleScenarios {
  /** Undefined: the file does not say. */
  readonly subject: RuleSubject | undefined;
  /** Of a script that runs as a whole again and again. */
  readonly intervalMs: number | undefined;
  /** Empty when there is an error among the issues. */
  readonly scenarios: readonly RuleScenario[];
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** The rule that is tested. */
export type RuleSubject =
  | ({ readonly kind: "file" } & r.Placed<string>)
  | ({ readonly kind: "controller" } & r.Placed<{
      readonly id: string;
      readonly parameters: Readonly<Record<string, unknown>>;
    }>);

const NOTHING = { subject: undefined, intervalMs: undefined, scenarios: [] } as const;
const MOST_SCENARIOS = 100;
const MOST_STEPS = 500;
const MOST_DEVICES = 50;

const steps = r.listOf(ruleStep, "a list of steps");
const timezone = r.scalar({ type: "string" }, "a time zone such as Europe/Berlin", ({ value }) =>
  typeof value === "string" && isTimezone(value) ? value : undefined,
);
const degrees = (most: number) =>
  r.scalar({ type: "number", minimum: -most, maximum: most }, `a number from -${most} to ${most}`, ({ value }) =>
    typeof value === "number" && Math.abs(value) <= most ? value : undefined,
  );

const NO_TARIFF: GivenTariff = new Map();

const OWN_FIELDS = {
  description: r.may(r.text, "What is tried, and why."),
  start: r.may(r.moment, "The clock of the gateway at the beginning. Default: 2026-01-01T00:00:00Z."),
  timezone: r.may(timezone, "The time zone of the site. Default: UTC."),
  location: r.may(
    r.object("location", {
      latitude: r.must(degrees(90), "Degrees to the north."),
      longitude: r.must(degrees(180), "Degrees to the east."),
    }),
    "Where the site is, for sunrise and sunset.",
  ),
  variables: r.withDefault(variables, new Map(), "Variables of the site, by name."),
  http: r.withDefault(
    requestAnswers,
    new Map<string, readonly RequestAnswer[]>(),
    "What servers answer to requests of a script, by method and address: {GET http://10.0.0.9/status: {json: {power: 5}}}.",
  ),
  calendars: r.withDefault(
    calendars,
    new Map<string, GivenCalendar>(),
    "Calendars of the site: on, off, a value, or a weekly plan.",
  ),
  tariff: r.withDefault(tariff, NO_TARIFF, "What a kilowatt-hour costs at the site, for import and export."),
} satisfies r.Fields;

const ONE_FIELDS = {
  name: r.must(r.text, "What the scenario shows, as a sentence."),
  ...OWN_FIELDS,
  set: r.withDefault(deviceChanges, new Map<string, DeviceChange>(), "Changes of devices before the rule starts."),
  steps: r.must(steps, "What happens, in order."),
} satisfies r.Fields;

const controller = r.object("controller", {
  id: r.must(r.text, "The ready controller."),
  parameters: r.withDefault(r.record(r.anyKey("parameter"), r.anything), new Map(), "What it is set up with."),
});

const FILE_FIELDS = {
  name: r.may(r.text, "What the scenario shows, as a sentence. Default: the name of the file."),
  rule: r.may(r.placed(r.text), "The file of the rule, beside this one."),
  exec_interval: r.may(lasting("1s"), "How often the whole script runs. Default: once."),
  controller: r.may(r.placed(controller), "A ready controller that makes the rule, instead of a file."),
  ...OWN_FIELDS,
  devices: r.withDefault(
    devices,
    new Map<string, DeclaredDevice>(),
    "Devices of the site, by id or slug as the rule names them.",
  ),
  steps: r.may(steps, "What happens, in order."),
  scenarios: r.may(
    r.listOf(r.object("scenario", ONE_FIELDS), "a list of scenarios"),
    "Several scenarios with the same rule and devices. Each starts afresh; what it says itself counts more than what the file says.",
  ),
} satisfies r.Fields;

const file = r.object("scenario", FILE_FIELDS);

type GivenFile = r.ReadFields<typeof FILE_FIELDS>;
type GivenScenario = r.ReadFields<typeof ONE_FIELDS>;

/** What happens at a site, step by step, and what a rule is expected to do. Times are in milliseconds. */
export interface RuleScenario extends GivenScenario, Pick<GivenFile, "devices"> {
  readonly start: number;
  readonly timezone: string;
}

/** Any text is fine: nothing is thrown. `name` is what a scenario without one is called. */
export function parseRuleScenarios(source: string, name: string): ParsedRuleScenarios {
  const context = (base: r.ReadContext, node: Node): RuleScenarioContext => {
    return { ...base, devices: keysOf(node, "devices"), controls: new Map() };
  };
  const { given, issues } = readScenarioFile(source, { file, context, problems: problemsOf });
  if (given === undefined) return { ...NOTHING, issues };
  const own = given.steps && { ...given, name: given.name ?? name, set: new Map(), steps: given.steps };
  const all = own === undefined ? (given.scenarios ?? []) : [own];
  return {
    subject: subjectOf(given),
    intervalMs: given.execInterval,
    scenarios: all.map((one) => scenarioOf(given, one)),
    issues,
  };
}

function problemsOf({ steps: own, scenarios, devices: named, rule, controller: made }: GivenFile): readonly string[] {
  const all = scenarios ?? [{ steps: own ?? [] }];
  return [
    ...(rule !== undefined && made !== undefined
      ? ["A scenario tests either a rule, or a controller. Keep one of the two."]
      : []),
    ...(all.length > MOST_SCENARIOS
      ? [`A file has at most ${MOST_SCENARIOS} scenarios, and these are ${all.length}.`]
      : []),
    ...(all.some((one) => one.steps.length > MOST_STEPS) ? [`A scenario has at most ${MOST_STEPS} steps.`] : []),
    ...(named.size > MOST_DEVICES
      ? [`A scenario has at most ${MOST_DEVICES} devices, and these are ${named.size}.`]
      : []),
  ];
}

function subjectOf({ rule, controller: made }: GivenFile): RuleSubject | undefined {
  if (rule !== undefined) return { kind: "file", ...rule };
  if (made === undefined) return undefined;
  const { id, parameters } = made.value;
  return { kind: "controller", place: made.place, value: { id, parameters: Object.fromEntries(parameters) } };
}

/** What a scenario says itself counts more than what its file says. */
function scenarioOf(given: GivenFile, own: GivenScenario): RuleScenario {
  return {
    ...own,
    devices: given.devices,
    start: own.start ?? given.start ?? DEFAULT_START,
    timezone: own.timezone ?? given.timezone ?? "UTC",
    location: own.location ?? given.location,
    http: new Map([...given.http, ...own.http]),
    variables: new Map([...given.variables, ...own.variables]),
    calendars: new Map([...given.calendars, ...own.calendars]),
    tariff: new Map([...given.tariff, ...own.tariff]),
  };
}

function keysOf(node: Node, key: string): readonly string[] {
  const found = node.kind === "map" ? node.entries.get(key)?.value : undefined;
  return found?.kind === "map" ? [...found.entries.keys()] : [];
}

/** The language as JSON Schema, for editors. */
export function renderRuleScenarioSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Test scenario of a rule",
    ...file.schema,
    ...r.definitionsOf([ruleStep, expectedValue, expectedText]),
  };
}
