import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { parseRuleReport } from "#core/link/parse-rule.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import { RUNTIME_VERSIONS, type SiteRule, type VariableValue } from "#core/rule/site-rule.ts";
import type { SiteVariable, StoredLogLine } from "#service/ports/rule-store.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { number, oneOf, optionalText, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";

export const RULE_COLUMNS =
  "id, site_id, slug, is_disabled, code, runtime_version, exec_interval, revision, created_at, updated_at";
export const LOG_COLUMNS = "sequence, at, severity, message";

export function parseRule(row: Row): SiteRule {
  return {
    id: text(row, "id"),
    siteId: text(row, "site_id"),
    slug: text(row, "slug"),
    disabled: row["is_disabled"] === 1,
    script: {
      code: text(row, "code"),
      runtimeVersion: oneOf(row, "runtime_version", RUNTIME_VERSIONS),
      execInterval: optionalText(row, "exec_interval"),
    },
    revision: number(row, "revision"),
    createdAt: time(row, "created_at"),
    updatedAt: time(row, "updated_at"),
  };
}

export async function findRule(database: Database, siteId: string, idOrSlug: string): Promise<SiteRule | undefined> {
  const row = await database.get(
    `SELECT ${RULE_COLUMNS} FROM site_rule WHERE site_id = ? AND (id = ? OR slug = ?)`,
    siteId,
    idOrSlug,
    idOrSlug,
  );
  return row && parseRule(row);
}

export function parseLogLine(row: Row): StoredLogLine {
  return {
    sequence: number(row, "sequence"),
    at: time(row, "at"),
    severity: oneOf(row, "severity", LOG_SEVERITIES),
    message: text(row, "message"),
  };
}

/** Undefined for a damaged one, which is reported. */
export function parseVariable(row: Row, database: DamageLog): SiteVariable | undefined {
  const value = storedJson({ database, table: "site_variable", row }, "value", isVariable);
  return value === undefined ? undefined : { name: text(row, "name"), value, updatedAt: time(row, "updated_at") };
}

/** Undefined for a damaged one, which is reported. */
export function parseStoredReport(row: Row, database: DamageLog): RuleReport | undefined {
  return storedJson({ database, table: "rule_report", row }, "report", isReport);
}

/** One that cannot be read throws, and counts as damaged. */
const isReport = (value: unknown): value is RuleReport => isObject(value) && parseRuleReport(value) !== undefined;

const isVariable = (value: unknown): value is VariableValue =>
  typeof value === "number" || typeof value === "string" || typeof value === "boolean";
