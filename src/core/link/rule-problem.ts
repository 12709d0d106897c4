// What is wrong with a rule, or something about rules, that a gateway sends.
import { isSlug, isUuid, SLUG_RULE } from "#core/device/slug.ts";
import { LONGEST_ERROR, type RuleReport } from "#core/rule/rule-report.ts";
import { LONGEST_EXPLANATION, LONGEST_VARIABLE, MOST_CODE_BYTES } from "#core/rule/site-rule.ts";
import { parseRuleKey, parseVariableKey } from "./linked-key.ts";
import type { LinkedItem, LinkedRule, LinkedVariable } from "./messages.ts";

/** Undefined when nothing is wrong. */
export function ruleItemProblem(
  item: Extract<LinkedItem, { kind: "rule_engine" | "rule" | "rule_report" | "variable" }>,
): string | undefined {
  switch (item.kind) {
    case "rule_engine":
      return idProblem("the id", item.key);
    case "rule":
      return ruleProblem(item.key, item.value);
    case "rule_report":
      return ruleReportProblem(item.key, item.value);
    case "variable":
      return variableProblem(item.key, item.value);
  }
}

function ruleProblem(key: string, rule: LinkedRule | null): string | undefined {
  const name = parseRuleKey(key);
  if (name === undefined) return `${quoted(key)} names no rule`;
  const id = idProblem("the id of the site", name.siteId) ?? idProblem("the id of the rule", name.id);
  if (id !== undefined || rule === null) return id;
  const { slug, script, revision } = rule;
  if (!isSlug(slug)) return `the slug ${quoted(slug)} is none: ${SLUG_RULE}`;
  if (!BASE64.test(script.code)) return "the code of the rule is not base64";
  if (script.code.length > LONGEST_CODE) return `the code of a rule has at most ${MOST_CODE_BYTES / 1024} KiB`;
  if ((script.execInterval ?? "").length > LONGEST_INTERVAL) return "the interval of the rule is too long";
  return revision < 1 ? "the revision of a rule is 1 or more" : undefined;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const LONGEST_CODE = Math.ceil(MOST_CODE_BYTES / 3) * 4;
const LONGEST_INTERVAL = 50;

function ruleReportProblem(key: string, report: RuleReport | null): string | undefined {
  const name = parseRuleKey(key);
  if (name === undefined) return `${quoted(key)} names no rule`;
  const { lastError, explanation, lastRun } = report ?? {};
  if ((explanation?.text.length ?? 0) > LONGEST_EXPLANATION) {
    return `the explanation of a rule has more than ${LONGEST_EXPLANATION} characters`;
  }
  if ((lastRun?.why.length ?? 0) > LONGEST_EXPLANATION) {
    return `what is said of the last run has more than ${LONGEST_EXPLANATION} characters`;
  }
  const texts = [lastError?.message ?? "", lastError?.file ?? "", lastError?.traceback ?? ""];
  if (texts.some((text) => text.length > LONGEST_ERROR)) {
    return `the error of a rule has more than ${LONGEST_ERROR} characters`;
  }
  return idProblem("the id of the site", name.siteId) ?? idProblem("the id of the rule", name.id);
}

function variableProblem(key: string, variable: LinkedVariable | null): string | undefined {
  const name = parseVariableKey(key);
  if (name === undefined) return `${quoted(key)} names no variable`;
  const { value } = variable ?? {};
  if (typeof value === "string" && (value === "" || value.length > LONGEST_VARIABLE)) {
    return `the value of a variable has 1 to ${LONGEST_VARIABLE} characters`;
  }
  return idProblem("the id of the site", name.siteId);
}

const idProblem = (what: string, id: string): string | undefined =>
  isUuid(id) ? undefined : `${what} is ${quoted(id)}, not a UUID`;

const quoted = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
