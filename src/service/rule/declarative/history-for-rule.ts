// Stored telemetry for a declarative rule that begins or goes on: whether its conditions held while it did not run.
import { itemAt } from "#core/item-at.ts";
import type { DeclarativeRule } from "#core/rule/rule.ts";
import { ruleReads } from "#core/rule/rule-reads.ts";
import type { RuleHistory } from "#core/rule/rule-world.ts";
import type { SiteRule } from "#core/rule/site-rule.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { fineTime } from "#core/time/instant.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";
import { inUnit, knownDevice } from "./look-for-rule.ts";

type Samples = readonly { readonly at: number; readonly value: unknown }[];

/** The machine looks at values from so long before the gap. */
const BEFORE_MS = 3_600_000;
/** After a longer pause nobody claims that a condition held all the time. */
const LONGEST_MS = 7 * 86_400_000;
const MOST_SAMPLES = 20_000;

/** Undefined: the pause was too long. */
export async function historyForRule(
  needs: NowNeeds,
  { site, rule }: { readonly site: SiteRule; readonly rule: DeclarativeRule },
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RuleHistory | undefined> {
  if (to - from > LONGEST_MS) return undefined;
  const call = callOfRule(site, "lookForRule");
  const granularityMs = Math.max(1, Math.ceil((to - from + BEFORE_MS) / MOST_SAMPLES / 1_000)) * 1_000;
  const range = { from: fineTime(from - BEFORE_MS), to: fineTime(to + 1) };
  const found = new Map<string, Samples>();
  for (const read of ruleReads(rule).attributes) {
    const device = await knownDevice(needs, call, read.device);
    const attribute = device && attributesOf(await deviceBlueprint(needs, device)).get(read.attribute);
    if (device === undefined || attribute === undefined) continue;
    const kind = columnKind(attribute.type);
    const item = { deviceId: device.id, attribute: attribute.id, kind, aggregation: "last", granularityMs } as const;
    const items = [{ ...item, lookAroundMs: undefined }];
    const convert = await inUnit(needs, device, read);
    const samples: { at: number; value: unknown }[] = [];
    for await (const { piece } of await needs.telemetry.query({ requester: "rules", ...range, items })) {
      const column = piece.columns[0];
      for (let row = 0; row < piece.count && column !== undefined; row++) {
        if (column.presence[row] !== 1) continue;
        const value = column.kind === "boolean" ? column.values[row] === 1 : column.values[row];
        samples.push({ at: itemAt(piece.times, row), value: convert(value) });
      }
    }
    found.set(keyOf(read), samples);
  }
  return (attribute, start, end) => found.get(keyOf(attribute))?.filter(({ at }) => at >= start && at <= end);
}

const keyOf = ({ device, attribute, unit }: Parameters<RuleHistory>[0]): string =>
  JSON.stringify([device, attribute, unit]);
