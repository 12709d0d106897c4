// Values of the last time, for what rules average or sum up: stored telemetry once, and then what the rule sees each second.
import { itemAt } from "#core/item-at.ts";
import type { RuleSample } from "#core/rule/rule-world.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { fineTime } from "#core/time/instant.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { Call, Needs } from "#service/ports.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";
import { inUnit, knownDevice, type RecentValues, type RuleWindow } from "./look-for-rule.ts";

/** Values of a window are kept at most so densely: the average of a quarter of an hour sees every third second. */
const MOST_SAMPLES = 300;

interface Kept {
  readonly window: RuleWindow;
  samples: RuleSample[];
  isLoaded: boolean;
}

export type RecentNeeds = NowNeeds & Pick<Needs, "now">;

/** Of one rule. */
export function createRecentValues(needs: RecentNeeds): RecentValues {
  const kept = new Map<string, Kept>();
  return {
    async take(call, read, seen) {
      const one = kept.get(keyOf(read)) ?? { window: read, samples: [], isLoaded: false };
      const window = one.window.ms >= read.ms ? one.window : read;
      // A longer window begins anew, with what is stored.
      const entry = window === one.window ? one : { window, samples: [], isLoaded: false };
      kept.set(keyOf(read), entry);
      if (!entry.isLoaded) {
        entry.isLoaded = true;
        entry.samples = await storedSamples(needs, call, window);
      }
      if (seen !== undefined) add(entry, seen);
    },
    of: (read) => kept.get(keyOf(read))?.samples ?? [],
  };
}

const keyOf = ({ device, attribute, unit }: Omit<RuleWindow, "ms">): string =>
  JSON.stringify([device, attribute, unit]);

function add({ window, samples }: Kept, { at, value }: RuleSample): void {
  const last = samples.at(-1);
  if (last !== undefined && at <= last.at) return;
  const before = samples.at(-2);
  // The last one is replaced until it is far enough from the one before it.
  const isDense = before !== undefined && last !== undefined && last.at - before.at < window.ms / MOST_SAMPLES;
  if (isDense) samples.pop();
  samples.push({ at, value });
  // The one that held at the beginning of the window stays.
  while ((samples[1]?.at ?? at) <= at - window.ms) samples.shift();
}

async function storedSamples(needs: RecentNeeds, call: Call, window: RuleWindow): Promise<RuleSample[]> {
  const now = needs.now();
  const device = await knownDevice(needs, call, window.device);
  const attribute = device && attributesOf(await deviceBlueprint(needs, device)).get(window.attribute);
  if (device === undefined || attribute === undefined) return [];
  const granularityMs = Math.max(1, Math.ceil(window.ms / MOST_SAMPLES / 1_000)) * 1_000;
  const range = { from: fineTime(now - window.ms - granularityMs), to: fineTime(now) };
  const item = { deviceId: device.id, attribute: attribute.id, kind: columnKind(attribute.type), granularityMs };
  const items = [{ ...item, aggregation: "last" as const, lookAroundMs: undefined }];
  const convert = await inUnit(needs, device, window);
  const samples: RuleSample[] = [];
  for await (const { piece } of await needs.telemetry.query({ requester: "rules", ...range, items })) {
    const column = piece.columns[0];
    for (let row = 0; row < piece.count && column !== undefined; row++) {
      if (column.presence[row] === 1 && column.kind === "number")
        samples.push({ at: itemAt(piece.times, row), value: convert(itemAt(column.values, row)) });
    }
  }
  return samples;
}
