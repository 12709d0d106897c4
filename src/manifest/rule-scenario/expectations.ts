// What has to hold at the end of a step of a rule's scenario.
import { SEVERITIES } from "#core/rule/rule.ts";
import { TRACE_OUTCOMES } from "#core/rule/rule-trace.ts";
import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import * as r from "#manifest/reader.ts";
import { expectedText, expectedValue } from "#manifest/scenario/expected.ts";
import { logLines } from "#manifest/scenario/log-lines.ts";
import { expectedRequest } from "./http.ts";
import { byDevice } from "./scenario-context.ts";

const LIMITS = {
  min: r.may(expectedValue, "The lowest value that it allows."),
  max: r.may(expectedValue, "The highest value that it allows."),
} satisfies r.Fields;

/** Kinds that are left out do not matter. */
export type ExpectedLimits = r.ReadFields<typeof LIMITS>;

const ABSENT: ExpectedValue = { kind: "absent" };
const limits = r.byForm<ExpectedLimits>({
  scalar: r.mapped(r.oneOf(["absent"]), (): ExpectedLimits => ({ min: ABSENT, max: ABSENT })),
  map: r.object("expectation of limits", LIMITS),
  wanted: "an object such as {max: 3000}, or absent",
});

const COMMAND = {
  command: r.must(r.text, "The command."),
  arguments: r.withDefault(r.record(r.anyKey("argument"), expectedValue), new Map(), "Arguments that matter, by name."),
} satisfies r.Fields;

export type ExpectedCommand = r.ReadFields<typeof COMMAND>;

const command = r.objectOr("expectation of a command", COMMAND, {
  field: "command",
  wanted: "a command, or {command: start, arguments: {level: 2}}",
});

const MESSAGE = {
  text: r.withDefault(expectedText, { kind: "present" }, "A text that the message contains."),
  title: r.may(expectedText, "A text that its title contains."),
  severity: r.may(r.oneOf(SEVERITIES), "How bad it is."),
} satisfies r.Fields;

export type ExpectedMessage = r.ReadFields<typeof MESSAGE>;

const message = r.objectOr("message", MESSAGE, {
  field: "text",
  takesObjects: true,
  wanted: "a text, or {severity: warning, text: ...}",
});

const BRANCHES = ["then", "else"] as const;

const RUN = {
  outcome: r.may(r.oneOf(TRACE_OUTCOMES), "What came of it."),
  branch: r.may(r.oneOf(BRANCHES), "Which actions it ran."),
  trigger: r.may(expectedText, "What started it: a place such as /when, or job for a script."),
  why: r.may(expectedText, "A text that its reason contains."),
} satisfies r.Fields;

export type ExpectedRun = r.ReadFields<typeof RUN>;

const run = r.byForm<ExpectedRun>({
  scalar: r.mapped(
    r.oneOf([...BRANCHES, ...TRACE_OUTCOMES]),
    (word): ExpectedRun => (word === "then" || word === "else" ? { branch: word, outcome: "ran" } : { outcome: word }),
  ),
  map: r.object("run", RUN),
  wanted: "then, else, an outcome, or {outcome: skipped, why: ...}",
});

/** What happened in this order, and nothing else; `none`: nothing. */
function inOrder<T>(one: r.Reader<T>): r.Reader<r.Placed<readonly r.Placed<T>[]>> {
  return r.placed(r.wordOr("none", [] as readonly r.Placed<T>[], r.oneOrMore(r.placed(one))));
}

const none = new Map<string, never>();
const texts = r.oneOrMore(r.placed(expectedText));
const value = r.placed(expectedValue);

const FIELDS = {
  claims: r.may(
    r.placed(r.wordOr("none", "none" as const, byDevice(r.record(r.anyKey("control"), value)))),
    "The values that the rule wants at the end of the step, by device and control; none: it claims nothing at all.",
  ),
  limits: r.withDefault(
    byDevice(r.record(r.anyKey("control"), r.placed(limits))),
    none,
    "Limits that the rule claims at the end of the step, by device and control: {max: 3000}.",
  ),
  commands: r.may(
    r.placed(r.wordOr("none", "none" as const, byDevice(inOrder(command)))),
    "The commands that it executed in the step, by device and in this order; none: no command.",
  ),
  messages: r.may(inOrder(message), "The messages that it sent in the step, in this order; none: no message."),
  requests: r.may(
    inOrder(expectedRequest),
    "The requests that the script sent in the step, in this order; none: no request.",
  ),
  runs: r.may(inOrder(run), "Its runs in the step, in this order: then, else, or an outcome; none: no run."),
  variables: r.withDefault(r.record(r.anyKey("variable"), value), none, "Variables at the end of the step."),
  is: r.may(r.placed(r.oneOf(["on", "off"])), "Whether a rule with conditions is on."),
  explains: r.may(r.placed(expectedText), "What the script says that it does."),
  storage: r.withDefault(r.record(r.anyKey("key"), value), none, "What the storage of the script holds."),
  log: r.withDefault(logLines, [], "Lines that it logged in the step."),
  no_log: r.withDefault(logLines, [], "Lines that it did not log in the step."),
  error: r.withDefault(texts, [], "Errors of the script, loops and too many effects that are wanted here."),
} satisfies r.Fields;

export type RuleExpectations = r.ReadFields<typeof FIELDS>;

export const ruleExpectations = r.object("expectation", FIELDS);
export const NO_EXPECTATIONS = r.defaultsOf(FIELDS) as RuleExpectations;
