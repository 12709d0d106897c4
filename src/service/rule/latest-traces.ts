// The newest trace of each rule that runs here. Traces of scripts are stored together, each second; those of rules in YAML by their
// runner, with their state.
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { Needs } from "#service/ports.ts";
import { renderTrace } from "./rule-traces.ts";

export interface LatestTraces {
  /** Stored with the next flush that succeeds. One with a known id and time replaces it. */
  add(ruleId: string, trace: RuleTrace): void;
  /** Its runner stores it. */
  seen(ruleId: string, trace: RuleTrace): void;
  flush(): Promise<void>;
  of(ruleId: string): RuleTrace | undefined;
  forget(ruleId: string): void;
}

/** Of one rule; the older ones are left out. */
const MOST_WAITING = 20;

export function createLatestTraces({ rules }: Pick<Needs, "rules">): LatestTraces {
  let waiting = new Map<string, Map<string, RuleTrace>>();
  const newest = new Map<string, RuleTrace>();

  function seen(ruleId: string, trace: RuleTrace): void {
    if ((newest.get(ruleId)?.at ?? trace.at) <= trace.at) newest.set(ruleId, trace);
  }

  function wait(ruleId: string, trace: RuleTrace): void {
    const traces = waiting.get(ruleId) ?? new Map<string, RuleTrace>();
    waiting.set(ruleId, traces);
    traces.delete(trace.id);
    traces.set(trace.id, trace);
    const [oldest] = traces.keys();
    if (traces.size > MOST_WAITING && oldest !== undefined) traces.delete(oldest);
  }

  return {
    add(ruleId, trace) {
      wait(ruleId, trace);
      seen(ruleId, trace);
    },
    seen,
    async flush() {
      if (waiting.size === 0) return;
      const records = [...waiting].map(([ruleId, traces]) => ({
        ruleId,
        memory: undefined,
        traces: [...traces.values()].map(renderTrace),
        prunes: true,
      }));
      const sent = waiting;
      waiting = new Map();
      try {
        await rules.remember(records);
      } catch (error) {
        // They wait for the next flush, before what came meanwhile.
        const newer = waiting;
        waiting = sent;
        for (const [ruleId, traces] of newer) for (const trace of traces.values()) wait(ruleId, trace);
        throw error;
      }
    },
    of: (ruleId) => newest.get(ruleId),
    forget: (ruleId) => newest.delete(ruleId),
  };
}
