// Text of a declarative rule to the rule. One reader for the server, the command line and the page: it reports all mistakes at once,
// each with line and column, and is the JSON Schema for editors.
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import {
  type Condition,
  type DeclarativeRule,
  EXECUTION_ENDS,
  MOST_ACTIONS,
  MOST_TRIGGERS,
  type Moment,
  RULE_MODES,
} from "#core/rule/rule.ts";
import type { RuleSite } from "#core/rule/rule-site.ts";
import { LONGEST_LATE_MS, MISSED_RULES } from "#core/schedule/schedule.ts";
import { readDocument } from "#manifest/read-document.ts";
import * as r from "#manifest/reader.ts";
import { createReporter, positionFinder } from "#manifest/reporter.ts";
import { follow, hasKey, itemTrail, pointer, rootTrail, type Trail } from "#manifest/tree.ts";
import { action } from "./actions.ts";
import { days, dayTime } from "./amounts.ts";
import { computed } from "./computed.ts";
import { CONDITION_FORMS, condition, except, isTooMuch } from "./conditions.ts";
import { byKey, device, deviceOf, lasting, longText, name, named, type RuleContext } from "./rule-context.ts";

export interface ParsedRule {
  /** Undefined when there is an error among the issues. */
  readonly rule: DeclarativeRule | undefined;
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

type Trigger = { readonly condition: Condition } | { readonly moment: Moment };

function form<const F extends r.Fields>(
  what: string,
  fields: F,
  make: (given: r.ReadFields<F>, context: RuleContext, trail: Trail) => Moment | undefined,
): r.Reader<Trigger> {
  const read = r.object(what, fields);
  return r.reader(read.schema, (context: RuleContext, trail) => {
    const given = read.read(context, trail);
    const moment = given && make(given, context, trail);
    return moment && { moment };
  });
}

/** Left out where there is none: so a rule without exceptions is the same as before there were any. */
const exceptOf = (except: readonly string[] | undefined) => (except === undefined ? {} : { except });

const at = form(
  "time of day",
  {
    at: r.must(dayTime, "The time of day: 07:30, sunset, sunrise-30m."),
    days: r.may(days, "The days: mon to sun, weekdays, weekend. Default: every day."),
    except,
  },
  (given, _, trail) => ({
    kind: "at",
    place: pointer(trail),
    time: given.at,
    days: given.days,
    ...exceptOf(given.except),
  }),
);

const CRON = /^\s*(?:[\dA-Za-z*,/?#-]+\s+){4}[\dA-Za-z*,/?#-]+\s*$/;
const MOST_CRON = 100;

const cron = form(
  "schedule",
  { cron: r.must(name, "Minute, hour, day of the month, month and day of the week."), except },
  ({ cron: expression, except: given }, context, trail) => {
    const problem =
      expression.length > MOST_CRON || !CRON.test(expression)
        ? "five fields are needed: minute, hour, day of the month, month, day of the week"
        : context.cronProblem?.(expression);
    if (problem === undefined) return { kind: "cron", place: pointer(trail), expression, ...exceptOf(given) };
    const message = `This is no cron expression, such as 30 7 * * 1-5: ${problem}.`;
    return context.reporter.atValue(follow(trail, ["cron"]), { code: "unknown_value", message });
  },
);

const every = form(
  "interval",
  { every: r.must(lasting("1s"), "How long it is from one time to the next."), except },
  (given, _, trail) => ({
    kind: "every",
    place: pointer(trail),
    everyMs: given.every,
    ...exceptOf(given.except),
  }),
);

const ended = form(
  "end of a command",
  {
    device: r.must(device, "The device, by its id or slug."),
    command: r.may(name, "Its command. Default: any."),
    ended: r.must(r.oneOf(EXECUTION_ENDS), "How it ended: success, error or any."),
  },
  ({ device: of, command, ended: end }, context, trail) => {
    const known = deviceOf(context, of)?.commands;
    if (known !== undefined && command !== undefined)
      named(context, follow(trail, ["command"]), { what: `command of ${of}`, word: command, known: known.keys() });
    return { kind: "ended", place: pointer(trail), device: of, command, end };
  },
);

const conditionTrigger = (one: r.Reader<Condition>): r.Reader<Trigger> =>
  r.reader(one.schema, (context: RuleContext, trail) => {
    if (isTooMuch(context, trail)) return undefined;
    const read = one.read(context, trail);
    return read && { condition: read };
  });

const trigger = r.shared(
  "trigger",
  byKey<Trigger>("trigger", [
    ["ended", ended],
    ["command", ended],
    ["at", at],
    ["cron", cron],
    ["every", every],
    ...CONDITION_FORMS.map(([key, one]) => [key, conditionTrigger(one)] as const),
  ]),
);

/** One or more, and not too many. */
function several<T>(item: r.Reader<T>, most: number, what: string): r.Reader<readonly T[]> {
  const list = r.oneOrMore(item);
  return r.reader(list.schema, (context, trail) => {
    const count = trail.node.kind === "list" ? trail.node.items.length : 1;
    if (count >= 1 && count <= most) return list.read(context, trail);
    const code = count === 0 ? "empty_value" : "document_too_complex";
    return context.reporter.atKey(trail, { code, message: `${what} has 1 to ${most} items, and these are ${count}.` });
  });
}

const actions = (key: string) => several(action, MOST_ACTIONS, key);

/** What the server keeps there; what it means for a rule is nothing. */
const madeBy = r.object("controller", {
  id: r.must(name, "The controller that made the rule."),
  parameters: r.must(r.anything, "What it was made with."),
  made: r.must(name, "A sum of the text above, to know whether it was edited."),
});

const FIELDS = {
  name: r.may(name, "What the rule is called, for people."),
  description: r.may(longText, "What it is for."),
  when: r.must(several(trigger, MOST_TRIGGERS, "when"), "What starts it: any of these."),
  for: r.withDefault(lasting("0s"), 0, "The conditions of when have to be true for so long. Default: at once."),
  if: r.may(several(condition, MOST_TRIGGERS, "if"), "What has to be true as well: all of these."),
  // Spelt so because an object with a key `then` looks like a promise.
  ["then" as const]: r.must(actions("then"), "What is done, in order."),
  else: r.withDefault(actions("else"), [], "What is done when it turns off, or when its time comes and if is false."),
  mode: r.withDefault(
    r.oneOf(RULE_MODES),
    "single",
    "What happens when its time comes while an earlier run goes on. Default: single.",
  ),
  min_on: r.withDefault(lasting("0s"), 0, "Once on, it stays on for so long."),
  min_off: r.withDefault(lasting("0s"), 0, "Once off, it stays off for so long."),
  missed: r.withDefault(
    r.oneOf(MISSED_RULES),
    "skip",
    "What becomes of a time that was missed: skip or run_late. Default: skip.",
  ),
  late: r.withDefault(lasting("1s"), LONGEST_LATE_MS, "How late it may run with missed: run_late. Default: 7d."),
  controller: r.may(madeBy, "Which controller made the rule. It does nothing."),
} satisfies r.Fields;

const file = r.object("rule", FIELDS);

export interface RuleKnowledge {
  /** Undefined: names are not checked. */
  readonly site?: RuleSite | undefined;
  /** What is wrong with a cron expression. */
  readonly cronProblem?: ((expression: string) => string | undefined) | undefined;
}

/** Any text is fine: nothing is thrown. */
export function parseRule(source: string, { site, cronProblem }: RuleKnowledge = {}): ParsedRule {
  const reporter = createReporter(source, "rule");
  const node = readDocument(reporter);
  if (node === undefined) return { rule: undefined, issues: reporter.issues() };
  const counted = { conditions: 0 };
  const root = rootTrail(node);
  const known = site && { ...site, variables: withOwnVariables(site.variables, root) };
  const context: RuleContext = { reporter, positionOf: positionFinder(source), site: known, cronProblem, counted };
  const given = file.read(context, root);
  if (node.kind === "map") checkTogether(context, root);
  const isFine = given !== undefined && !reporter.hasErrors();
  return { rule: isFine ? ruleOf(given) : undefined, issues: reporter.issues() };
}

/** A rule may read what it sets itself. */
function withOwnVariables(known: ReadonlySet<string> | undefined, root: Trail): ReadonlySet<string> | undefined {
  const items = ["then", "else"].flatMap((key) => (hasKey(root, key) ? itemsOf(follow(root, [key])) : []));
  const set = items.slice(0, 2 * MOST_ACTIONS).flatMap((item) => {
    const node = hasKey(item, "set") ? follow(item, ["set"]).node : undefined;
    return node?.kind === "scalar" && typeof node.value === "string" ? [node.value] : [];
  });
  return known && new Set([...known, ...set]);
}

function ruleOf(given: r.ReadFields<typeof FIELDS>): DeclarativeRule {
  const conditions = given.when.flatMap((one) => ("condition" in one ? [one.condition] : []));
  const [first] = conditions;
  const also = given.if ?? [];
  const { name: title, description, mode, minOn, minOff, missed, late } = given;
  return {
    name: title,
    description,
    mode,
    level: conditions.length > 1 ? { kind: "any", place: "/when", conditions } : first,
    moments: given.when.flatMap((one) => ("moment" in one ? [one.moment] : [])),
    forMs: given.for,
    condition: also.length > 1 ? { kind: "all", place: "/if", conditions: also } : also[0],
    thenActions: given.then,
    elseActions: given.else,
    minOnMs: minOn,
    minOffMs: minOff,
    missed,
    lateMs: late,
  };
}

const MOMENTS = ["at", "cron", "every", "ended", "command"];

/** What each part cannot see alone. It goes by the text, so that it is said together with all other mistakes. */
function checkTogether({ reporter }: RuleContext, root: Trail): void {
  const triggers = itemsOf(follow(root, ["when"]));
  const isMoment = (trail: Trail) => MOMENTS.some((key) => hasKey(trail, key));
  const hasMoments = triggers.some(isMoment);
  const refuse = (key: string, message: string) => {
    if (hasKey(root, key)) reporter.atKey(follow(root, [key]), { code: "conflicting_keys", message });
  };
  if (hasKey(root, "when") && triggers.every(isMoment))
    for (const key of ["for", "min_on", "min_off"])
      refuse(key, `${key} needs a condition below when. A moment has no duration.`);
  if (!triggers.some((trail) => ["at", "cron", "every"].some((key) => hasKey(trail, key))))
    for (const key of ["missed", "late"]) refuse(key, `${key} needs a time below when: at, cron or every.`);
  if (!hasKey(root, "missed")) refuse("late", "late goes with missed: run_late.");
  for (const key of hasMoments ? ["then", "else"] : [])
    for (const item of hasKey(root, key) ? itemsOf(follow(root, [key])) : []) {
      if (!hasKey(item, "claim") || hasKey(item, "hold")) continue;
      const message = "This claim needs hold, how long it is held: a moment has no duration.";
      reporter.atKey(item, { code: "missing_key", message });
    }
}

function itemsOf(trail: Trail): readonly Trail[] {
  const { node } = trail;
  return node.kind === "list" ? node.items.map((item, index) => itemTrail(trail, index, item)) : [trail];
}

/** The language as JSON Schema, for editors. What a site has is the parser's own. */
export function renderRuleSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Declarative rule",
    ...file.schema,
    ...r.definitionsOf([trigger, condition, action, computed]),
  };
}
