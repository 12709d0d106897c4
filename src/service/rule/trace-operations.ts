// What rules did and why, for people who want to understand them.
import { refuse } from "#core/app-error.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { findAttribute, findDevice, type NowNeeds } from "#service/telemetry/read-now.ts";
import { type RuleSiteNeeds, requireRuleSite } from "./require-rule-site.ts";
import { readTraces } from "./rule-traces.ts";
import { requireRule } from "./save-rule.ts";
import { renderTrace, traceSchema } from "./trace-wire.ts";

export interface TraceNeeds extends RuleSiteNeeds, Pick<NowNeeds, "devices" | "catalog">, Pick<Needs, "rules"> {}

const tag = "Rules";
const base = "/v3/sites/:site_id/rule_engine/rules/:rule/traces";

export function traceOperations(needs: TraceNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: base,
      name: "listRuleTraces",
      summary: "Read what a rule did and why",
      description: "One for each run, and for each moment that started none; newest first. The newest 100 are kept.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("traces", traceSchema),
      run: async (call) => {
        const { id } = await requireRuleSite(needs, call, call.params.site_id);
        const rule = await requireRule(needs, id, call.params.rule);
        const { limit, offset } = pageOf(call.query);
        const all = await readTraces(needs.rules, rule.id);
        const traces = all.slice(offset, offset + limit);
        const mayRead = await readableIn(needs, call, traces);
        return { traces: traces.map((trace) => renderTrace(trace, mayRead)), total_count: all.length };
      },
    }),
    operation({
      method: "GET",
      path: `${base}/:trace_id`,
      name: "getRuleTrace",
      summary: "Get a trace of a rule",
      description: "Its id is one part of the path: each / in it is written as %2F.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      answer: Type.Object({ trace: traceSchema }, { additionalProperties: false }),
      run: async (call) => {
        const { id } = await requireRuleSite(needs, call, call.params.site_id);
        const rule = await requireRule(needs, id, call.params.rule);
        const trace = (await readTraces(needs.rules, rule.id)).find((one) => one.id === call.params.trace_id);
        if (trace === undefined) throw refuse("not_found", "the rule has no such trace; the newest 100 are kept");
        return { trace: renderTrace(trace, await readableIn(needs, call, [trace])) };
      },
    }),
  ];
}

/** A rule may read more than those who look at what it did. */
async function readableIn(needs: TraceNeeds, call: Call, traces: readonly RuleTrace[]) {
  const readable = new Map<string, boolean>();
  for (const { attribute: read } of traces.flatMap(({ evidence }) => evidence)) {
    const key = read && JSON.stringify([read.device, read.attribute]);
    if (read === undefined || key === undefined || readable.has(key)) continue;
    const device = await findDevice(needs, call, { device: read.device });
    const found =
      "code" in device ? device : findAttribute(attributesOf(await deviceBlueprint(needs, device)), call, read);
    readable.set(key, !("code" in found));
  }
  return ({ device, attribute }: { readonly device: string; readonly attribute: string }) =>
    readable.get(JSON.stringify([device, attribute])) === true;
}
