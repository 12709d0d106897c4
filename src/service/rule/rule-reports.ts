// Stores how rules are doing where others have to know it: other nodes, and a cloud. A rule may say something else each second, so
// what it says is stored less often than whether it runs, and a turn stores a bounded number, those first that waited longest.
import type { LastRun, RuleReport } from "#core/rule/rule-report.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import { LONGEST_EXPLANATION } from "#core/rule/site-rule.ts";
import { instant } from "#core/time/instant.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { ReportedRule } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";

import { readLastTraces } from "./rule-traces.ts";

export interface RuleReportNeeds extends Pick<Needs, "rules" | "uplinks" | "now"> {
  readonly nodes: Pick<Nodes, "isShared">;
}

export interface RuleReports {
  /** Called about once a second with all rules that run here. */
  store(running: Iterable<ReportedRule>): Promise<void>;
}

export const lastRunOf = ({ at, outcome, why }: RuleTrace): LastRun => ({
  at: instant(Math.round(at)),
  outcome,
  why: why.slice(0, LONGEST_EXPLANATION),
});

const SAID_EVERY_MS = 2_000;
const AT_ONCE = 200;

interface Stored {
  readonly text: string;
  /** Of what has to be known at once. */
  readonly urgent: string;
  readonly at: number;
}

export function createRuleReports(needs: RuleReportNeeds): RuleReports {
  const stored = new Map<string, Stored>();
  /** From before the start. */
  const earlier = new Map<string, LastRun>();
  const isAskedFor = async () => needs.nodes.isShared || (await needs.uplinks.get()) !== undefined;

  async function readEarlier(rules: readonly ReportedRule[]): Promise<void> {
    for (const [siteId, some] of Map.groupBy(rules, (one) => one.siteId)) {
      const ids = some.map(({ id }) => id);
      for (const [id, trace] of await readLastTraces(needs.rules, siteId, ids)) earlier.set(id, lastRunOf(trace));
    }
  }

  return {
    async store(running) {
      const now = needs.now();
      const names = new Set<string>();
      const all = [...running];
      const unknown = all.filter(({ id, report }) => !stored.has(id) && !report.lastRun);
      if (unknown.length > 0 && (await isAskedFor())) await readEarlier(unknown);
      const current = all.map(({ report, ...one }) => ({
        ...one,
        report: { ...report, ...lastRunIn(report.lastRun ?? earlier.get(one.id)) },
      }));
      const due: (ReportedRule & { readonly next: Stored })[] = [];
      for (const one of current) {
        names.add(one.id);
        const next = { text: JSON.stringify(one.report), urgent: urgentOf(one.report), at: now };
        const before = stored.get(one.id);
        if (before?.text === next.text) continue;
        // A clock that was set back must not keep them waiting.
        const isLate = before === undefined || now - before.at >= SAID_EVERY_MS || now < before.at;
        if (isLate || before.urgent !== next.urgent) due.push({ ...one, next });
      }
      for (const id of stored.keys()) {
        if (names.has(id)) continue;
        stored.delete(id);
        earlier.delete(id);
      }
      if (due.length === 0 || !(await isAskedFor())) return;
      due.sort((a, b) => (stored.get(a.id)?.at ?? 0) - (stored.get(b.id)?.at ?? 0));
      const some = due.slice(0, AT_ONCE);
      await needs.rules.report(some.map(({ siteId, id, report }) => ({ siteId, id, report })));
      for (const { id, next } of some) stored.set(id, next);
    },
  };
}

const lastRunIn = (lastRun: LastRun | undefined) => (lastRun === undefined ? {} : { lastRun });

const urgentOf = ({ revision, isRunning, restartAt }: RuleReport): string =>
  JSON.stringify([revision, isRunning, restartAt]);
