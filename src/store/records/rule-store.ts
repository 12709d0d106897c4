import { MOST_TRACES } from "#core/rule/rule.ts";
import { ENGINE_STATES } from "#core/rule/site-rule.ts";
import type { RuleRecord, RuleStore } from "#service/ports/rule-store.ts";
import type { ReadDatabase, Row } from "#store/database.ts";
import type { Lists } from "./lists.ts";
import { bytes, listed, number, oneOf, text, time } from "./row.ts";
import {
  findRule,
  LOG_COLUMNS,
  parseLogLine,
  parseRule,
  parseStoredReport,
  parseVariable,
  RULE_COLUMNS,
} from "./rule-row.ts";
import { readRows } from "./stored-json.ts";
import { Where } from "./where.ts";
import type { Writer } from "./writer.ts";

const RUNNABLE = `SELECT ${RULE_COLUMNS.replaceAll(/(\w+)/g, "site_rule.$1")}, site.timezone AS timezone
  FROM site_rule JOIN site ON site.id = site_rule.site_id
  WHERE is_disabled = 0 AND site.gateway_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM rule_engine WHERE rule_engine.site_id = site_rule.site_id AND state <> 'ACTIVE')
  ORDER BY site_rule.site_id, slug`;

export function createRuleStore(reader: ReadDatabase, writer: Writer, lists: Lists): RuleStore {
  return {
    async engineState(siteId) {
      const row = await reader.get("SELECT state FROM rule_engine WHERE site_id = ?", siteId);
      return row === undefined ? "ACTIVE" : oneOf(row, "state", ENGINE_STATES);
    },
    setEngineState: (siteId, state, trail) => writer.run("setRuleEngine", { siteId, state, trail }),
    insert: (rule, trail) => writer.run("insertRule", { rule, trail }),
    find: (siteId, idOrSlug) => findRule(reader, siteId, idOrSlug),
    async slugOf(id) {
      const row = await reader.get("SELECT slug FROM site_rule WHERE id = ?", id);
      return row && text(row, "slug");
    },
    list: (siteId, page) =>
      lists.page(page, {
        columns: RULE_COLUMNS,
        from: "site_rule",
        where: new Where().and("site_id = ?", siteId),
        order: "slug",
        read: parseRule,
      }),
    ids: async (siteId) =>
      (await reader.all("SELECT id FROM site_rule WHERE site_id = ? ORDER BY id", siteId)).map((row) =>
        text(row, "id"),
      ),
    async runnable() {
      const read = (row: Row) => ({ rule: parseRule(row), timezone: text(row, "timezone") });
      return readRows(reader, { table: "site_rule", rows: await reader.all(RUNNABLE) }, read);
    },
    change: (change, trail) => writer.run("changeRules", { change, trail }),
    delete: async (named, trail) => (await writer.run("deleteRule", { named, trail })) !== undefined,
    report: async (reports) => void (await writer.run("reportRules", { reports })),
    async reports(siteId) {
      const rows = await reader.all("SELECT site_id, rule_id, report FROM rule_report WHERE site_id = ?", siteId);
      return new Map(
        rows.flatMap((row) => {
          const report = parseStoredReport(row, reader);
          return report === undefined ? [] : [[text(row, "rule_id"), report] as const];
        }),
      );
    },
    ...ofScripts(reader, writer, lists),
    ...ofMemory(reader, writer),
    async variables(siteId) {
      const sql = "SELECT site_id, name, value, updated_at FROM site_variable WHERE site_id = ? ORDER BY name";
      return (await reader.all(sql, siteId)).flatMap((row) => parseVariable(row, reader) ?? []);
    },
    putVariable: (siteId, variable, trail) => writer.run("putVariable", { siteId, variable, trail }),
    deleteVariable: (siteId, name, trail) => writer.run("deleteVariable", { siteId, name, trail }),
  };
}

function ofMemory(
  reader: ReadDatabase,
  writer: Writer,
): Pick<RuleStore, "remember" | "memory" | "traces" | "lastTraces"> {
  return {
    remember: (records) => writer.run("rememberRules", { records }, { bytes: bytesIn(records) }),
    async memory(ruleId) {
      const row = await reader.get("SELECT memory FROM rule_memory WHERE rule_id = ?", ruleId);
      return row && text(row, "memory");
    },
    async traces(ruleId) {
      const sql = "SELECT id, at, trace FROM rule_trace WHERE rule_id = ? ORDER BY at DESC, id DESC LIMIT ?";
      const rows = await reader.all(sql, ruleId, MOST_TRACES);
      return readRows(reader, { table: "rule_trace", rows }, (row) => ({
        id: text(row, "id"),
        at: time(row, "at"),
        trace: text(row, "trace"),
      }));
    },
    async lastTraces(siteId, ruleIds) {
      const rows = await reader.all(LAST_TRACES, siteId, listed(ruleIds));
      return new Map(rows.map((row) => [text(row, "rule_id"), text(row, "trace")]));
    },
  };
}

const LAST_TRACES = `SELECT rule_trace.rule_id AS rule_id, trace FROM site_rule JOIN rule_trace
  ON rule_trace.rule_id = site_rule.id AND (rule_trace.at, rule_trace.id) =
    (SELECT at, id FROM rule_trace AS newest WHERE newest.rule_id = site_rule.id ORDER BY at DESC, id DESC LIMIT 1)
  WHERE site_id = ? AND site_rule.id IN (SELECT value FROM json_each(?))`;

const ROW_BYTES = 200;

function bytesIn(records: readonly RuleRecord[]): number {
  const sizes = records.flatMap(({ memory, traces }) => [
    memory?.length ?? 0,
    ...traces.map(({ trace }) => trace.length),
  ]);
  return sizes.reduce((sum, size) => sum + size + ROW_BYTES, 0);
}

type OfScripts = Pick<
  RuleStore,
  "storage" | "putStored" | "removeStored" | "appendLog" | "log" | "logAfter" | "lastSequence"
>;

function ofScripts(reader: ReadDatabase, writer: Writer, lists: Lists): OfScripts {
  return {
    async storage(ruleId) {
      const rows = await reader.all("SELECT key, value FROM rule_storage WHERE rule_id = ? ORDER BY key", ruleId);
      return new Map(rows.map((row) => [textOf(bytes(row, "key")), textOf(bytes(row, "value"))]));
    },
    putStored: (ruleId, { key, value }, limits) => writer.run("putRuleEntry", { ruleId, key, value, limits }),
    removeStored: (ruleId, key) => writer.run("removeRuleEntry", { ruleId, key }),
    appendLog: (lines) => writer.run("appendRuleLog", { lines: [...lines] }),
    log: (ruleId, page) =>
      lists.page(page, {
        columns: LOG_COLUMNS,
        from: "rule_log",
        where: new Where().and("rule_id = ?", ruleId),
        order: "sequence DESC",
        read: parseLogLine,
      }),
    async logAfter(ruleId, sequence, limit) {
      const sql = `SELECT ${LOG_COLUMNS} FROM rule_log WHERE rule_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;
      const rows = await reader.all(sql, ruleId, sequence, limit);
      return readRows(reader, { table: "rule_log", rows }, parseLogLine);
    },
    async lastSequence(ruleId) {
      const sql = "SELECT coalesce(max(sequence), 0) AS last FROM rule_log WHERE rule_id = ?";
      return number(await reader.one(sql, ruleId), "last");
    },
  };
}

function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString("latin1");
}
