// Reads rules of a site and how they are doing, as a gateway reports them and as they are stored.
import type { RuleReport } from "#core/rule/rule-report.ts";
import { TRACE_OUTCOMES } from "#core/rule/rule-trace.ts";
import { ENGINE_STATES, RUNTIME_VERSIONS, type VariableValue } from "#core/rule/site-rule.ts";
import { MESSAGE_JSON } from "./link-limits.ts";
import {
  count,
  type Fields,
  flag,
  LinkMistake,
  MAX_LONG_TEXT,
  moment,
  object,
  optionalMoment,
  optionalText,
  text,
  word,
} from "./message-fields.ts";
import type { LinkedItem, LinkedRule, LinkedRuleEngine, LinkedVariable } from "./messages.ts";

type RuleItem = Extract<LinkedItem, { kind: "rule_engine" | "rule" | "rule_report" | "variable" }>;

export function parseRuleItem(kind: RuleItem["kind"], key: string, content: unknown): RuleItem {
  switch (kind) {
    case "rule_engine":
      return { kind, key, value: parseRuleEngine(object(content, "an engine of rules")) };
    case "rule":
      return { kind, key, value: content === null ? null : parseRuleRecord(object(content, "a rule")) };
    case "rule_report":
      return { kind, key, value: content === null ? null : parseRuleReport(object(content, "a report of a rule")) };
    case "variable":
      return { kind, key, value: content === null ? null : parseVariableRecord(object(content, "a variable")) };
  }
}

const parseRuleEngine = (given: Fields): LinkedRuleEngine => ({ state: word(given, "state", ENGINE_STATES) });

function parseRuleRecord(given: Fields): LinkedRule {
  const script = object(given["script"], "script");
  return {
    slug: text(given, "slug"),
    disabled: flag(given, "disabled"),
    script: {
      code: text(script, "code", MESSAGE_JSON.text),
      runtimeVersion: word(script, "runtimeVersion", RUNTIME_VERSIONS),
      execInterval: optionalText(script, "execInterval"),
    },
    revision: count(given, "revision"),
    createdAt: moment(given, "createdAt"),
    updatedAt: moment(given, "updatedAt"),
  };
}

export function parseRuleReport(given: Fields): RuleReport {
  const { lastError, explanation, lastRun } = given;
  return {
    revision: count(given, "revision"),
    isRunning: flag(given, "isRunning"),
    ...(lastError !== undefined && { lastError: parseError(object(lastError, "lastError")) }),
    ...(given["restartAt"] !== undefined && { restartAt: optionalMoment(given, "restartAt") }),
    ...(explanation !== undefined && { explanation: parseExplanation(object(explanation, "explanation")) }),
    ...(lastRun !== undefined && { lastRun: parseLastRun(object(lastRun, "lastRun")) }),
  };
}

const parseError = (given: Fields) => ({
  message: text(given, "message", MAX_LONG_TEXT),
  file: optionalText(given, "file"),
  line: given["line"] === undefined ? undefined : count(given, "line"),
  traceback: optionalText(given, "traceback", MAX_LONG_TEXT),
  at: moment(given, "at"),
});

const parseExplanation = (given: Fields) => ({ text: text(given, "text", MAX_LONG_TEXT), at: moment(given, "at") });

const parseLastRun = (given: Fields) => ({
  at: moment(given, "at"),
  outcome: word(given, "outcome", TRACE_OUTCOMES),
  why: text(given, "why", MAX_LONG_TEXT),
});

function parseVariableRecord(given: Fields): LinkedVariable {
  const { value } = given;
  if (!isVariableValue(value)) throw new LinkMistake("a variable has no value");
  return { value, updatedAt: moment(given, "updatedAt") };
}

const isVariableValue = (value: unknown): value is VariableValue =>
  typeof value === "boolean" || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
