// What running rules write: their storage, their log, and variables of their site.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { MOST_LOG_LINES, MOST_VARIABLES } from "#core/rule/site-rule.ts";
import type { RuleLogLine, SiteVariable } from "#service/ports/rule-store.ts";
import type { ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { number } from "./row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

const ruleLock = (id: string) => [`rule ${id}`];

export const ruleScriptWrites = {
  putRuleEntry: write({
    locks: ({ ruleId }) => ruleLock(ruleId),
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: Database,
      { ruleId, key, value, limits }: { ruleId: string; key: string; value: string; limits: ScriptStoreLimits },
    ) {
      if (!(await exists(database, ruleId))) return "gone";
      const others = await database.one(
        `SELECT count(*) AS entries, coalesce(sum(length(key) + length(value)), 0) AS bytes
         FROM rule_storage WHERE rule_id = ? AND key <> ?`,
        ruleId,
        bytesOf(key),
      );
      if (number(others, "entries") + 1 > limits.entries) return "full";
      if (number(others, "bytes") + key.length + value.length > limits.bytes) return "full";
      await database.run(
        `INSERT INTO rule_storage (rule_id, key, value) VALUES (?, ?, ?)
         ON CONFLICT (rule_id, key) DO UPDATE SET value = excluded.value`,
        ruleId,
        bytesOf(key),
        bytesOf(value),
      );
      return "stored";
    },
  }),

  removeRuleEntry: write({
    locks: ({ ruleId }) => ruleLock(ruleId),
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { ruleId, key }: { ruleId: string; key: string }) {
      await database.run("DELETE FROM rule_storage WHERE rule_id = ? AND key = ?", ruleId, bytesOf(key));
    },
  }),

  appendRuleLog: write({
    locks: ({ lines }) => lines.flatMap(([id]) => ruleLock(id)),
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { lines }: { lines: readonly (readonly [string, readonly RuleLogLine[]])[] }) {
      for (const [ruleId, added] of lines) if (await exists(database, ruleId)) await append(database, ruleId, added);
    },
  }),

  putVariable: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { siteId, variable, trail }: { siteId: string; variable: SiteVariable; trail: AuditEntry | undefined },
    ): Promise<void> {
      await requireOwnSite(database, siteId);
      const sql = "SELECT count(*) AS total FROM site_variable WHERE site_id = ? AND name <> ?";
      if (number(await database.one(sql, siteId, variable.name), "total") >= MOST_VARIABLES) {
        throw refuse("conflict", `the site has ${MOST_VARIABLES} variables already; delete some first`);
      }
      await database.run(
        `INSERT INTO site_variable (site_id, name, value, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (site_id, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
        siteId,
        variable.name,
        JSON.stringify(variable.value),
        variable.updatedAt,
      );
      if (trail !== undefined) await recordAudit(database, trail);
    },
  }),

  deleteVariable: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { siteId, name, trail }: { siteId: string; name: string; trail: AuditEntry },
    ): Promise<boolean> {
      await requireOwnSite(database, siteId);
      const sql = "DELETE FROM site_variable WHERE site_id = ? AND name = ?";
      return await recordIfChanged(database, trail, await database.run(sql, siteId, name));
    },
  }),
};

const exists = async (database: Database, ruleId: string) =>
  (await database.get("SELECT 1 AS found FROM site_rule WHERE id = ?", ruleId)) !== undefined;

async function append(database: Database, ruleId: string, lines: readonly RuleLogLine[]): Promise<void> {
  const sql = "SELECT coalesce(max(sequence), 0) AS last FROM rule_log WHERE rule_id = ?";
  const last = number(await database.one(sql, ruleId), "last");
  for (const [n, { at, severity, message }] of lines.entries()) {
    await database.run(
      "INSERT INTO rule_log (rule_id, sequence, at, severity, message) VALUES (?, ?, ?, ?, ?)",
      ruleId,
      last + n + 1,
      at,
      severity,
      message,
    );
  }
  const kept = last + lines.length - MOST_LOG_LINES;
  await database.run("DELETE FROM rule_log WHERE rule_id = ? AND sequence <= ?", ruleId, kept);
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
