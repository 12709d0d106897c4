import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { type EngineState, MOST_RULES, MOST_SITE_CODE, type SiteRule } from "#core/rule/site-rule.ts";
import type { RuleChange } from "#service/ports/rule-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { number } from "./row.ts";
import { findRule, RULE_COLUMNS } from "./rule-row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

type Named = Pick<RuleChange, "siteId" | "expected"> & { readonly id: string };

export const ruleWrites = {
  setRuleEngine: write({
    locks: ({ siteId }) => [`site ${siteId}`],
    informs: NOBODY,
    // Who wants rules to stop must get it, whatever the disk has.
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { siteId, state, trail }: { siteId: string; state: EngineState; trail: AuditEntry },
    ): Promise<void> {
      await requireOwnSite(database, siteId);
      await database.run(
        `INSERT INTO rule_engine (site_id, state) VALUES (?, ?)
         ON CONFLICT (site_id) DO UPDATE SET state = excluded.state`,
        siteId,
        state,
      );
      await recordAudit(database, trail);
    },
  }),

  insertRule: write({
    locks: ({ rule }) => [`site ${rule.siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(database: WriteDatabase, { rule, trail }: { rule: SiteRule; trail: AuditEntry }): Promise<void> {
      await requireOwnSite(database, rule.siteId);
      await requireFreeSlug(database, rule);
      await requireRoom(database, rule);
      await database.run(
        `INSERT INTO site_rule (${RULE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        rule.id,
        rule.siteId,
        ...valuesOf(rule),
        rule.createdAt,
        rule.updatedAt,
      );
      await recordAudit(database, trail);
    },
  }),

  changeRules: write({
    locks: ({ change }) => [`site ${change.siteId}`],
    informs: NOBODY,
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
        await database.run(
          `UPDATE site_rule SET slug = ?, is_disabled = ?, code = ?, runtime_version = ?, exec_interval = ?, revision = ?,
           updated_at = ? WHERE id = ?`,
          ...valuesOf(rule),
          rule.updatedAt,
          rule.id,
        );
      }
      await recordAudit(database, trail);
      return changed;
    },
  }),

  deleteRule: write({
    locks: ({ named }) => [`site ${named.siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(database: WriteDatabase, { named, trail }: { named: Named; trail: AuditEntry }): Promise<boolean> {
      await requireOwnSite(database, named.siteId);
      const before = await findRule(database, named.siteId, named.id);
      if (before === undefined) return false;
      requireExpected(before, named.expected);
      return await recordIfChanged(
        database,
        trail,
        await database.run("DELETE FROM site_rule WHERE id = ?", before.id),
      );
    },
  }),
};

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
