import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type RuleKey, ruleKey } from "#core/link/linked-key.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import { type EngineState, MOST_RULES, MOST_SITE_CODE, type SiteRule } from "#core/rule/site-rule.ts";
import type { ReportedRule, RuleChange } from "#service/ports/rule-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit } from "./audit-writes.ts";
import { marked } from "./link-marks.ts";
import { number } from "./row.ts";
import { findRule, RULE_COLUMNS } from "./rule-row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { write } from "./write.ts";

type Named = Pick<RuleChange, "siteId" | "expected"> & { readonly id: string };

export const ruleWrites = {
  setRuleEngine: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: { cloud: ({ siteId }) => marked("rule_engine", siteId), nodes: undefined },
    // Who wants rules to stop must get it, whatever the disk has.
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { siteId, state, trail }: { siteId: string; state: EngineState; trail: AuditEntry },
    ): Promise<void> {
      await requireOwnSite(database, siteId);
      await storeEngineState(database, siteId, state);
      await recordAudit(database, trail);
    },
  }),

  insertRule: write({
    locks: ({ rule }) => [`site ${rule.siteId}`],
    informs: { cloud: ({ rule }) => marked("rule", ruleKey(rule)), nodes: undefined },
    fromReserve: false,
    async run(database: WriteDatabase, { rule, trail }: { rule: SiteRule; trail: AuditEntry }): Promise<void> {
      await requireOwnSite(database, rule.siteId);
      await requireFreeSlug(database, rule);
      await requireRoom(database, rule);
      await insertRule(database, rule);
      await recordAudit(database, trail);
    },
  }),

  changeRules: write({
    locks: ({ change }) => [`site ${change.siteId}`],
    informs: {
      cloud: (_, changed: readonly SiteRule[] | undefined) =>
        (changed ?? []).flatMap((rule) => marked("rule", ruleKey(rule))),
      nodes: undefined,
    },
    // A rule must be stoppable, whatever the disk has.
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { change, trail }: { change: RuleChange; trail: AuditEntry },
    ): Promise<readonly SiteRule[] | undefined> {
      const { siteId, ids, expected, slug, script, disabled, at } = change;
      await requireOwnSite(database, siteId);
      const changed: SiteRule[] = [];
      for (const id of new Set(ids)) {
        const before = await findRule(database, siteId, id);
        if (before === undefined) return undefined;
        requireExpected(before, expected);
        changed.push({
          ...before,
          slug: slug ?? before.slug,
          script: script ?? before.script,
          disabled: disabled ?? before.disabled,
          revision: before.revision + 1,
          updatedAt: at,
        });
      }
      for (const rule of changed) {
        if (slug !== undefined) await requireFreeSlug(database, rule);
        if (script !== undefined) await requireRoom(database, rule);
        await updateRule(database, rule);
      }
      await recordAudit(database, trail);
      return changed;
    },
  }),

  deleteRule: write({
    locks: ({ named }) => [`site ${named.siteId}`],
    informs: {
      cloud: ({ named: { siteId } }, id: string | undefined) =>
        id === undefined ? [] : marked("rule", ruleKey({ siteId, id })),
      nodes: undefined,
    },
    fromReserve: true,
    /** Its id; undefined: there is none. */
    async run(
      database: WriteDatabase,
      { named, trail }: { named: Named; trail: AuditEntry },
    ): Promise<string | undefined> {
      const { siteId } = named;
      await requireOwnSite(database, siteId);
      const before = await findRule(database, siteId, named.id);
      if (before === undefined) return undefined;
      requireExpected(before, named.expected);
      await removeRule(database, before);
      await recordAudit(database, trail);
      return before.id;
    },
  }),

  /** How rules are doing, as the node says that runs them. Those of rules that are gone, or changed meanwhile, are left out. */
  reportRules: write({
    locks: ["rule reports"],
    informs: {
      cloud: (_, stored: readonly RuleKey[]) => stored.flatMap((one) => marked("rule_report", ruleKey(one))),
      nodes: undefined,
    },
    fromReserve: false,
    async run(database: WriteDatabase, { reports }: { reports: readonly ReportedRule[] }) {
      const stored: RuleKey[] = [];
      for (const { siteId, id, report } of reports) {
        const found = await findRule(database, siteId, id);
        if (found?.revision !== report.revision) continue;
        await storeReport(database, { siteId, id }, report);
        stored.push({ siteId, id });
      }
      return stored;
    },
  }),
};

export async function storeEngineState(database: Database, siteId: string, state: EngineState): Promise<void> {
  await database.run(
    `INSERT INTO rule_engine (site_id, state) VALUES (?, ?)
     ON CONFLICT (site_id) DO UPDATE SET state = excluded.state`,
    siteId,
    state,
  );
}

async function insertRule(database: Database, rule: SiteRule): Promise<void> {
  await database.run(
    `INSERT INTO site_rule (${RULE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    rule.id,
    rule.siteId,
    ...valuesOf(rule),
    rule.createdAt,
    rule.updatedAt,
  );
}

async function updateRule(database: Database, rule: SiteRule): Promise<void> {
  await database.run(
    `UPDATE site_rule SET slug = ?, is_disabled = ?, code = ?, runtime_version = ?, exec_interval = ?, revision = ?,
     updated_at = ? WHERE id = ?`,
    ...valuesOf(rule),
    rule.updatedAt,
    rule.id,
  );
}

/** With what was reported of it. */
export async function removeRule(database: Database, { siteId, id }: RuleKey): Promise<void> {
  await database.run("DELETE FROM site_rule WHERE id = ? AND site_id = ?", id, siteId);
  await database.run("DELETE FROM rule_report WHERE rule_id = ? AND site_id = ?", id, siteId);
}

/** The copy of a gateway's rule. */
export async function replaceRule(database: Database, rule: SiteRule): Promise<void> {
  const { id, siteId, slug } = rule;
  const here = await database.get("SELECT site_id FROM site_rule WHERE id = ?", id);
  if (here !== undefined && here["site_id"] !== siteId) throw refuse("conflict", `the rule ${id} is of another site`);
  await requireRoom(database, rule);
  // Two rules of the gateway may have exchanged their slugs. The other one's new slug is still to come.
  await database.run(
    "UPDATE site_rule SET slug = slug || '-' || id WHERE site_id = ? AND slug = ? AND id <> ?",
    siteId,
    slug,
    id,
  );
  if (here === undefined) await insertRule(database, rule);
  else await updateRule(database, rule);
}

export async function storeReport(
  database: Database,
  { siteId, id }: RuleKey,
  report: RuleReport | undefined,
): Promise<void> {
  await database.run("DELETE FROM rule_report WHERE site_id = ? AND rule_id = ?", siteId, id);
  if (report === undefined) return;
  const sql = "SELECT count(*) AS total FROM rule_report WHERE site_id = ?";
  if (number(await database.one(sql, siteId), "total") >= MOST_RULES) {
    throw refuse("conflict", `more than ${MOST_RULES} rules of the site are reported`);
  }
  await database.run(
    "INSERT INTO rule_report (site_id, rule_id, report) VALUES (?, ?, ?)",
    siteId,
    id,
    JSON.stringify(report),
  );
}

const valuesOf = ({ slug, disabled, script, revision }: SiteRule) => [
  slug,
  disabled ? 1 : 0,
  script.code,
  script.runtimeVersion,
  script.execInterval ?? null,
  revision,
];

function requireExpected({ revision }: SiteRule, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return;
  const message = `the rule was changed meanwhile: it has revision ${revision}, not ${expected}; read it again`;
  throw refuse("conflict", message, { revision });
}

async function requireFreeSlug(database: Database, { id, siteId, slug }: SiteRule): Promise<void> {
  const sql = "SELECT 1 AS found FROM site_rule WHERE site_id = ? AND slug = ? AND id <> ?";
  if ((await database.get(sql, siteId, slug, id)) === undefined) return;
  throw refuse("slug_taken", `another rule of the site has the slug ${slug}`, { slug });
}

async function requireRoom(database: Database, { id, siteId, script }: SiteRule): Promise<void> {
  const row = await database.one(
    "SELECT count(*) AS total, coalesce(sum(length(code)), 0) AS code FROM site_rule WHERE site_id = ? AND id <> ?",
    siteId,
    id,
  );
  if (number(row, "total") >= MOST_RULES) {
    throw refuse("conflict", `the site has ${MOST_RULES} rules already; delete some first`);
  }
  if (number(row, "code") + script.code.length <= MOST_SITE_CODE) return;
  const message = `the rules of a site have at most ${MOST_SITE_CODE / 1_048_576} MiB of code together; delete some first`;
  throw refuse("conflict", message);
}
