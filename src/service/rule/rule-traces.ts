// Traces of rules of either language, as they are stored.
import { isRuleTrace, type RuleTrace } from "#core/rule/rule-trace.ts";
import { instant } from "#core/time/instant.ts";
import type { StoredTrace } from "#service/ports/rule-store.ts";
import type { Needs } from "#service/ports.ts";

/** Newest first, at most `MOST_TRACES`. Damaged ones are left out. */
export async function readTraces(rules: Pick<Needs["rules"], "traces">, ruleId: string): Promise<readonly RuleTrace[]> {
  return (await rules.traces(ruleId)).flatMap(({ trace }) => parseTrace(trace) ?? []);
}

/** The newest one of each of these rules that has any. */
export async function readLastTraces(
  rules: Pick<Needs["rules"], "lastTraces">,
  siteId: string,
  ruleIds: readonly string[],
): Promise<ReadonlyMap<string, RuleTrace>> {
  const stored = await rules.lastTraces(siteId, ruleIds);
  return new Map(
    [...stored].flatMap(([id, text]) => {
      const trace = parseTrace(text);
      return trace === undefined ? [] : [[id, trace] as const];
    }),
  );
}

export const renderTrace = (trace: RuleTrace): StoredTrace => ({
  id: trace.id,
  at: instant(trace.at),
  trace: JSON.stringify(trace),
});

function parseTrace(text: string): RuleTrace | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRuleTrace(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
