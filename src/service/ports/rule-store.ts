import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import type { RuleReport } from "#core/rule/rule-report.ts";
import type { EngineState, RuleScript, SiteRule, VariableValue } from "#core/rule/site-rule.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Page, PageRequest } from "./page.ts";
import type { ScriptStoreLimits } from "./script-store.ts";

export interface RuleChange {
  readonly siteId: string;
  /** Changed together or not at all. */
  readonly ids: readonly string[];
  /** What the caller has seen. Undefined: whatever there is. Refused with `conflict` if it is another one. */
  readonly expected: number | undefined;
  readonly slug?: string | undefined;
  readonly script?: RuleScript | undefined;
  readonly disabled?: boolean | undefined;
  readonly at: Instant;
}

/** A rule that should run, with what its script sees of its site. */
export interface RunnableRule {
  readonly rule: SiteRule;
  readonly timezone: string;
}

/** How a rule is doing. */
export interface ReportedRule {
  readonly siteId: string;
  readonly id: string;
  readonly report: RuleReport;
}

export interface RuleLogLine {
  readonly at: Instant;
  readonly severity: LogSeverity;
  readonly message: string;
}

/** Numbers of one rule rise, and are never used twice. */
export interface StoredLogLine extends RuleLogLine {
  readonly sequence: number;
}

export interface SiteVariable {
  readonly name: string;
  readonly value: VariableValue;
  readonly updatedAt: Instant;
}

/** JSON. Of the same rule, time and id it replaces the one before. */
export interface StoredTrace {
  readonly id: string;
  readonly at: Instant;
  readonly trace: string;
}

/** What one rule remembers after a step. */
export interface RuleRecord {
  readonly ruleId: string;
  /** JSON. Undefined: as before. */
  readonly memory: string | undefined;
  readonly traces: readonly StoredTrace[];
  /** Whether all traces but the newest `MOST_TRACES` are deleted. */
  readonly prunes: boolean;
}

/** Rules of sites, what they store and say, and the variables of sites. All of it goes with the site. */
export interface RuleStore {
  engineState(siteId: string): Promise<EngineState>;
  setEngineState(siteId: string, state: EngineState, trail: AuditEntry): Promise<void>;
  /** Refused with `slug_taken`, or with `conflict` if the site has too many. */
  insert(rule: SiteRule, trail: AuditEntry): Promise<void>;
  /** By id or slug. */
  find(siteId: string, idOrSlug: string): Promise<SiteRule | undefined>;
  slugOf(id: string): Promise<string | undefined>;
  /** By slug. */
  list(siteId: string, page: PageRequest): Promise<Page<SiteRule>>;
  /** Of all rules of the site, without taking a turn among those who read lists. */
  ids(siteId: string): Promise<readonly string[]>;
  /** Enabled ones of active engines, of all sites that no gateway owns. */
  runnable(): Promise<readonly RunnableRule[]>;
  /** Undefined when one of them does not exist: then none is changed. */
  change(change: RuleChange, trail: AuditEntry): Promise<readonly SiteRule[] | undefined>;
  /** False when there is none. */
  delete(named: Pick<RuleChange, "siteId" | "expected"> & { readonly id: string }, trail: AuditEntry): Promise<boolean>;

  /** Stores how these rules are doing, for other nodes and for a cloud. Nothing happens to one that was changed meanwhile. */
  report(reports: readonly ReportedRule[]): Promise<void>;
  /** What was reported of the rules of a site, by their ids. */
  reports(siteId: string): Promise<ReadonlyMap<string, RuleReport>>;

  /** What a rule's script stores for itself. Keys and values are byte strings. */
  storage(ruleId: string): Promise<ReadonlyMap<string, string>>;
  putStored(
    ruleId: string,
    entry: { readonly key: string; readonly value: string },
    limits: ScriptStoreLimits,
  ): Promise<"stored" | "full" | "gone">;
  removeStored(ruleId: string, key: string): Promise<void>;

  /** All of them in one write. What is of rules that are gone is dropped. */
  remember(records: readonly RuleRecord[]): Promise<void>;
  memory(ruleId: string): Promise<string | undefined>;
  /** Newest first, at most `MOST_TRACES`. */
  traces(ruleId: string): Promise<readonly StoredTrace[]>;
  /** The newest one of each of these rules of the site that has any. JSON. */
  lastTraces(siteId: string, ruleIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** The newest `MOST_LOG_LINES` of each rule are kept. Lines of rules that are gone are dropped. */
  appendLog(lines: ReadonlyMap<string, readonly RuleLogLine[]>): Promise<void>;
  /** Newest first. */
  log(ruleId: string, page: PageRequest): Promise<Page<StoredLogLine>>;
  /** Oldest first, at most `limit`. */
  logAfter(ruleId: string, sequence: number, limit: number): Promise<readonly StoredLogLine[]>;
  lastSequence(ruleId: string): Promise<number>;

  /** By name. */
  variables(siteId: string): Promise<readonly SiteVariable[]>;
  /** Refused with `conflict` if the site has too many. Without a trail when a rule sets it. */
  putVariable(siteId: string, variable: SiteVariable, trail: AuditEntry | undefined): Promise<void>;
  /** False when there is none. */
  deleteVariable(siteId: string, name: string, trail: AuditEntry): Promise<boolean>;
}
