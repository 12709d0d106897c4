// What running rules write: their storage, what they remember, their log, and variables of their site.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { variableKey } from "#core/link/linked-key.ts";
import { MOST_TRACES } from "#core/rule/rule.ts";
import { MOST_LOG_LINES, MOST_VARIABLES } from "#core/rule/site-rule.ts";
import type { RuleLogLine, RuleRecord, SiteVariable } from "#service/ports/rule-store.ts";
import type { ScriptStoreLimits } from "#service/ports/script-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { marked } from "./link-marks.ts";
import { number } from "./row.ts";
import { OF_RULES, putEntry, removeEntry } from "./script-entries.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

const ruleLock = (id: string) => [`rule ${id}`];

export const ruleScriptWrites = {
  putRuleEntry: write({
    locks: ({ ruleId }) => ruleLock(ruleId),
    informs: NOBODY,
    fromReserve: false,
    run: (
      database: Database,
      { ruleId, ...entry }: { ruleId: string; key: string; value: string; limits: ScriptStoreLimits },
    ) => putEntry(database, OF_RULES, { id: ruleId, ...entry }),
  }),

  removeRuleEntry: write({
    locks: ({ ruleId }) => ruleLock(ruleId),
    informs: NOBODY,
    fromReserve: true,
    run: (database: Database, { ruleId, key }: { ruleId: string; key: string }) =>
      removeEntry(database, OF_RULES, { id: ruleId, key }),
  }),

  rememberRules: write({
    locks: ({ records }) => records.flatMap(({ ruleId }) => ruleLock(ruleId)),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { records }: { records: readonly RuleRecord[] }) {
      const found = await Promise.all(records.map(({ ruleId }) => exists(database, ruleId)));
      for (const [n, record] of records.entries()) if (found[n]) remember(database, record);
    },
  }),

  appendRuleLog: write({
    locks: ({ lines }) => lines.flatMap(([id]) => ruleLock(id)),
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { lines }: { lines: readonly (readonly [string, readonly RuleLogLine[]])[] }) {
      const last = await Promise.all(lines.map(async ([id]) => await database.get(LAST_LINE, id)));
      for (const [n, [ruleId, added]] of lines.entries()) {
        const row = last[n];
        if (row !== undefined) append(database, { ruleId, last: number(row, "last") }, added);
      }
    },
  }),

  putVariable: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: {
      cloud: ({ siteId, variable: { name } }) => marked("variable", variableKey({ siteId, name })),
      nodes: undefined,
    },
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { siteId, variable, trail }: { siteId: string; variable: SiteVariable; trail: AuditEntry | undefined },
    ): Promise<void> {
      await requireOwnSite(database, siteId);
      await storeVariable(database, siteId, variable);
      if (trail !== undefined) await recordAudit(database, trail);
    },
  }),

  deleteVariable: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: { cloud: ({ siteId, name }) => marked("variable", variableKey({ siteId, name })), nodes: undefined },
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

/** Refuses one that the site has no room for. */
export async function storeVariable(database: Database, siteId: string, variable: SiteVariable): Promise<void> {
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
}

const exists = async (database: Database, ruleId: string) =>
  (await database.get("SELECT 1 AS found FROM site_rule WHERE id = ?", ruleId)) !== undefined;

function remember(database: WriteDatabase, { ruleId, memory, traces, prunes }: RuleRecord): void {
  if (memory !== undefined) {
    const sql = `INSERT INTO rule_memory (rule_id, memory) VALUES (?, ?)
      ON CONFLICT (rule_id) DO UPDATE SET memory = excluded.memory`;
    database.send(sql, ruleId, memory);
  }
  for (const { id, at, trace } of traces) {
    const sql = `INSERT INTO rule_trace (rule_id, at, id, trace) VALUES (?, ?, ?, ?)
      ON CONFLICT (rule_id, at, id) DO UPDATE SET trace = excluded.trace`;
    database.send(sql, ruleId, at, id, trace);
  }
  if (!prunes) return;
  const sql = `DELETE FROM rule_trace WHERE rule_id = ? AND (at, id) <
    (SELECT at, id FROM rule_trace WHERE rule_id = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ${MOST_TRACES - 1})`;
  database.send(sql, ruleId, ruleId);
}

/** No row: there is no such rule. */
const LAST_LINE = `SELECT coalesce((SELECT max(sequence) FROM rule_log WHERE rule_id = site_rule.id), 0) AS last
  FROM site_rule WHERE id = ?`;

function append(
  database: WriteDatabase,
  { ruleId, last }: { readonly ruleId: string; readonly last: number },
  lines: readonly RuleLogLine[],
): void {
  const sql = "INSERT INTO rule_log (rule_id, sequence, at, severity, message) VALUES (?, ?, ?, ?, ?)";
  for (const [n, { at, severity, message }] of lines.entries()) {
    database.send(sql, ruleId, last + n + 1, at, severity, message);
  }
  const kept = last + lines.length - MOST_LOG_LINES;
  if (kept > 0) database.send("DELETE FROM rule_log WHERE rule_id = ? AND sequence <= ?", ruleId, kept);
}
