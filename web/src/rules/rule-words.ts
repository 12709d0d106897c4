// A rule in YAML, put into words: when ... for ... and if ... then. Pure, but for the language that is chosen.
import type {
  Action,
  Amount,
  AttributeRead,
  ClaimAction,
  Comparison,
  ComputedAmount,
  Condition,
  DayTime,
  DeclarativeRule,
  Moment,
  PricedHours,
} from "#core/rule/rule.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";
import { t as controlWords } from "#web/control/messages.ts";
import { unitSymbol } from "#web/data/show-value.ts";
import { show } from "#web/i18n/show.ts";
import { findAttribute, findDevice, type RuleNames } from "./rule-names.ts";
import { t } from "./words-messages.ts";

export type RuleWords = {
  readonly when: readonly string[];
  readonly for: string | undefined;
  readonly if: readonly string[];
  readonly actions: readonly string[];
  readonly otherwise: readonly string[];
  /** What `else` means depends on what starts the rule. */
  readonly elseWord: string;
  readonly more: readonly string[];
};

export function ruleWords(rule: DeclarativeRule, names: RuleNames): RuleWords {
  const { level, moments, condition, forMs, minOnMs, minOffMs, mode, missed, lateMs } = rule;
  const levels =
    level === undefined ? [] : level.kind === "any" && level.place === "/when" ? level.conditions : [level];
  const conditions =
    condition?.kind === "all" && condition.place === "/if" ? condition.conditions : condition && [condition];
  return {
    when: [...levels.map((one) => conditionWords(one, names)), ...moments.map((one) => momentWords(one, names))],
    for: forMs > 0 ? t.for(show.length(forMs)) : undefined,
    if: (conditions ?? []).map((one) => conditionWords(one, names)),
    actions: rule.thenActions.map((one) => actionWords(one, names)),
    otherwise: rule.elseActions.map((one) => actionWords(one, names)),
    elseWord: level === undefined ? t.else : t.elseOff,
    more: [
      minOnMs > 0 ? t.minOn(show.length(minOnMs)) : "",
      minOffMs > 0 ? t.minOff(show.length(minOffMs)) : "",
      mode === "single" ? "" : t[`mode_${mode}`],
      missed === "run_late" ? t.runLate(show.length(lateMs)) : "",
    ].filter((text) => text !== ""),
  };
}

/** What stands at a place of the text, such as the trigger of a run. Undefined if the rule has no such part. */
export function wordsAt(rule: DeclarativeRule, place: string, names: RuleNames): string | undefined {
  const moment = rule.moments.find((one) => one.place === place);
  if (moment !== undefined) return momentWords(moment, names);
  const action = [...rule.thenActions, ...rule.elseActions].find((one) => one.place === place);
  if (action !== undefined) return actionWords(action, names);
  for (const root of [rule.level, rule.condition]) {
    const found = root && partAt(root, place);
    if (found !== undefined) return conditionWords(found, names);
  }
  return undefined;
}

function partAt(condition: Condition, place: string): Condition | undefined {
  if (condition.place === place) return condition;
  const inner =
    condition.kind === "all" || condition.kind === "any"
      ? condition.conditions
      : condition.kind === "not"
        ? [condition.condition]
        : [];
  for (const one of inner) {
    const found = partAt(one, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const withUnit = (value: number, unit: string | undefined): string => {
  const symbol = unitSymbol(unit);
  return `${show.number(value, 6)}${symbol === undefined ? "" : ` ${symbol}`}`;
};

/** A quantity of a device: what it is called, and its unit. */
function quantity(names: RuleNames, device: string, name: string, kind: "attributes" | "controls") {
  const known = findDevice(names, device);
  if (kind === "attributes") {
    const attribute = findAttribute(known, name);
    return { text: t.of(attribute?.display_name ?? name, known?.name ?? device), unit: attribute?.unit ?? undefined };
  }
  const control = known?.controls.find((one) => one.name === name);
  return { text: t.of(control?.display_name ?? name, known?.name ?? device), unit: control?.unit ?? undefined };
}

const deviceWord = (names: RuleNames, device: string): string => findDevice(names, device)?.name ?? device;

function commandWord(names: RuleNames, device: string, command: string): string {
  return findDevice(names, device)?.commands.find(({ name }) => name === command)?.display_name ?? command;
}

function conditionWords(condition: Condition, names: RuleNames): string {
  switch (condition.kind) {
    case "all":
    case "any":
      return joined(condition.conditions, condition.kind === "all" ? t.and : t.or, names);
    case "not":
      return t.not(conditionWords(condition.condition, names));
    case "value": {
      const { unit } = quantity(names, condition.device, condition.attribute, "attributes");
      return compared(readWord(condition, names), condition.comparison, { names, unit: condition.unit ?? unit });
    }
    case "amount":
      return compared(amountWord(condition.amount, names, undefined), condition.comparison, { names, unit: undefined });
    case "stale":
      return t.stale(
        quantity(names, condition.device, condition.attribute, "attributes").text,
        show.length(condition.afterMs),
      );
    case "variable":
      return compared(t.variable(condition.name), condition.comparison, { names, unit: undefined });
    case "control": {
      const { text, unit } = quantity(names, condition.device, condition.control, "controls");
      return compared(t.counting(text), condition.comparison, { names, unit });
    }
    case "holder": {
      const { text } = quantity(names, condition.device, condition.control, "controls");
      return condition.holder === "nobody"
        ? t.heldByNobody(text)
        : t.held(text, controlWords[`class_${condition.holder}`]);
    }
    case "online":
      return (condition.isOnline ? t.online : t.offline)(deviceWord(names, condition.device));
    case "alert": {
      const device = findDevice(names, condition.device);
      const name = device?.name ?? condition.device;
      if (condition.alert === undefined) return t.anyAlert(name);
      return t.alert(device?.alerts.find(({ id }) => id === condition.alert)?.display_name ?? condition.alert, name);
    }
    case "calendar": {
      const { name, isOn, comparison } = condition;
      if (comparison !== undefined) return compared(t.calendarValue(name), comparison, { names, unit: undefined });
      return isOn ? t.calendar(name) : t.not(t.calendar(name));
    }
    case "tariff":
      return compared(t[`price_${condition.of}`], condition.comparison, { names, unit: undefined });
    case "hours":
      return hoursWords(condition);
    case "time":
      return onDays(t.time(timeWord(condition.from), timeWord(condition.to)), condition.days);
  }
}

function hoursWords({ of, rank, lengthMs, isUnbroken, from, before }: PricedHours): string {
  const end = timeWord(before);
  const window = from === undefined ? t.dayBefore(end) : t.hoursBetween(timeWord(from), end);
  const text = t[`hours_${rank}`](show.length(lengthMs), t[`price_${of}`], window);
  return isUnbroken ? t.unbroken(text) : text;
}

function joined(conditions: readonly Condition[], word: string, names: RuleNames): string {
  const isGroup = ({ kind }: Condition) => kind === "all" || kind === "any";
  return conditions
    .map((one) => (isGroup(one) ? `(${conditionWords(one, names)})` : conditionWords(one, names)))
    .join(word);
}

type Compared = { readonly names: RuleNames; readonly unit: string | undefined };

function compared(what: string, comparison: Comparison, { names, unit }: Compared): string {
  if (comparison.kind === "equals" || comparison.kind === "differs")
    return t[comparison.kind](what, comparison.values.map((value) => plainWord(value, unit)).join(t.or));
  const back = comparison.hysteresis > 0 ? t.goneBack(withUnit(comparison.hysteresis, unit)) : "";
  if (comparison.kind === "between")
    return t.between(what, amountWord(comparison.low, names, unit), amountWord(comparison.high, names, unit)) + back;
  return t[comparison.kind](what, amountWord(comparison.threshold, names, unit)) + back;
}

const plainWord = (value: string | number | boolean, unit?: string): string =>
  typeof value === "number"
    ? withUnit(value, unit)
    : typeof value === "boolean"
      ? value
        ? t.yes
        : t.no
      : `“${value}”`;

function amountWord(amount: Amount, names: RuleNames, unit: string | undefined): string {
  if (typeof amount === "number") return withUnit(amount, unit);
  const { times, plus, step, min, max } = amount;
  // What is multiplied has a unit of its own, which nobody has said.
  let text = sourceWord(amount, names, Math.abs(times) === 1 ? unit : undefined);
  if (times !== 1) text = t.times(show.number(times, 6), text);
  if (plus !== 0) text = t.plus(text, withUnit(plus, unit));
  if (step !== undefined) text = t.inSteps(text, withUnit(step, unit));
  if (min !== undefined) text = t.atLeast(text, withUnit(min, unit));
  return max === undefined ? text : t.atMost(text, withUnit(max, unit));
}

function sourceWord({ from }: ComputedAmount, names: RuleNames, unit: string | undefined): string {
  switch (from.kind) {
    case "variable":
      return t.variable(from.name);
    case "calendar":
      return t.calendarValue(from.name);
    case "tariff":
      return t[`price_${from.of}`];
    case "sum":
      return t.sum(from.of.map((one) => amountWord(one, names, unit)).join(t.and));
    case "budget": {
      const { unit: measured } = quantity(names, from.device, from.attribute, "attributes");
      return t.budget(readWord(from, names), show.length(from.everyMs), amountWord(from.limit, names, measured));
    }
    case "attribute":
      return readWord(from, names);
  }
}

/** A value of a device, or what it was on average, or by how much it changed. */
function readWord({ device, attribute, over }: AttributeRead, names: RuleNames): string {
  const { text } = quantity(names, device, attribute, "attributes");
  return over === undefined ? text : t[`over_${over.kind}`](text, show.length(over.ms));
}

function momentWords(moment: Moment, names: RuleNames): string {
  switch (moment.kind) {
    case "at":
      return onDays(t.at(timeWord(moment.time)), moment.days);
    case "cron":
      return t.cron(moment.expression);
    case "every":
      return t.every(show.length(moment.everyMs));
    case "ended": {
      const device = deviceWord(names, moment.device);
      const what =
        moment.command === undefined
          ? t.anyCommand(device)
          : t.command(commandWord(names, moment.device, moment.command), device);
      return t[`ended_${moment.end}`](what);
    }
  }
}

function timeWord(time: DayTime): string {
  if (time.kind === "clock") return show.clock(time.minutes);
  const event = t[time.event];
  if (time.offsetMs === 0) return event;
  return time.offsetMs > 0 ? t.after(show.length(time.offsetMs), event) : t.before(show.length(-time.offsetMs), event);
}

function onDays(text: string, days: readonly Weekday[] | undefined): string {
  if (days === undefined || days.length === 7) return text;
  const is = (wanted: readonly string[]) => wanted.join() === days.join();
  if (is(WEEKDAYS.slice(0, 5))) return t.onDays(text, t.weekdays);
  if (is(WEEKDAYS.slice(5))) return t.onDays(text, t.weekend);
  const words = t.days.split(" ");
  return t.onDays(text, days.map((day) => words[WEEKDAYS.indexOf(day)] ?? day).join(", "));
}

function actionWords(action: Action, names: RuleNames): string {
  switch (action.kind) {
    case "claim":
      return claimWords(action, names);
    case "execute": {
      const text = t.execute(commandWord(names, action.device, action.command), deviceWord(names, action.device));
      const values = Object.entries(action.arguments).map(
        ([name, value]) => `${name} = ${typeof value === "string" ? value : JSON.stringify(value)}`,
      );
      return values.length === 0 ? text : t.withArguments(text, values.join(", "));
    }
    case "notify":
      return t[`notify_${action.severity}`](action.text);
    case "set":
      return t.set(
        action.variable,
        typeof action.value === "object" ? amountWord(action.value, names, undefined) : plainWord(action.value),
      );
    case "wait":
      return t.wait(show.length(action.ms));
  }
}

function claimWords({ device, control, claim, value, holdMs, reason }: ClaimAction, names: RuleNames): string {
  const { text: what, unit } = quantity(names, device, control, "controls");
  let text = t[`claim_${claim}`](what, value === "unlimited" ? t.unlimited : amountWord(value, names, unit));
  if (holdMs !== undefined) text = t.hold(text, show.length(holdMs));
  return reason === undefined ? text : t.because(text, reason);
}
