// Stored telemetry for a dry run: read in pieces, and in steps that are long enough for all of it to fit the memory.
import { refuse } from "#core/app-error.ts";
import { itemAt } from "#core/item-at.ts";
import type { RuleReads } from "#core/rule/rule-reads.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { fineTime } from "#core/time/instant.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { PastColumn } from "#service/ports/simulate-rule.ts";
import type { Call } from "#service/ports.ts";
import { inUnit, knownDevice } from "#service/rule/declarative/look-for-rule.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";

/** Of all attributes together. */
const MOST_SAMPLES = 150_000;
const MOST_TEXT_BYTES = 32 * 1_048_576;
/** Values from before the beginning that still count there, and those that a rule looks back to. */
const BEFORE_MS = 6 * 3_600_000;
const LONGEST_BEFORE_MS = 24 * 3_600_000;

type Read = Pick<RuleReads["attributes"][number], "device" | "attribute" | "unit">;

interface Asked {
  readonly reads: Pick<RuleReads, "attributes" | "windows">;
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
  readonly requester: string;
}

interface PastValues {
  readonly columns: readonly PastColumn[];
  readonly stepMs: number;
  /** Reads that have no stored value. */
  readonly missing: readonly string[];
}

export async function pastValues(needs: NowNeeds, call: Call, asked: Asked): Promise<PastValues> {
  const { to } = asked;
  const { attributes, windows } = asked.reads;
  const back = [...attributes.map(({ maxAgeMs }) => maxAgeMs ?? 0), ...windows.map(({ ms }) => ms)];
  const from = asked.from - Math.min(Math.max(BEFORE_MS, ...back), LONGEST_BEFORE_MS);
  const reads = [...new Map(attributes.map((read) => [keyOf(read), read])).values()];
  const most = MOST_SAMPLES / Math.max(reads.length, 1);
  const stepMs = Math.max(1, Math.ceil((to - from) / most / 1_000)) * 1_000;
  const columns: PastColumn[] = [];
  const missing: string[] = [];
  let textBytes = 0;
  for (const read of reads) {
    const column = await pastColumn(needs, call, { ...asked, from, read, stepMs });
    textBytes += column.values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    if (column.times.length === 0 || textBytes > MOST_TEXT_BYTES) missing.push(`${read.device}.${read.attribute}`);
    else columns.push(column);
  }
  return { columns, stepMs, missing };
}

interface AskedColumn extends Asked {
  readonly read: Read;
  readonly stepMs: number;
}

async function pastColumn(needs: NowNeeds, call: Call, asked: AskedColumn): Promise<PastColumn> {
  const { read, from, to, stepMs, signal, requester } = asked;
  const { device: name, attribute: attributeName, unit } = read;
  const nothing = { device: name, attribute: attributeName, unit, times: new Float64Array(), values: [] };
  const device = await knownDevice(needs, call, name);
  const attribute = device && attributesOf(await deviceBlueprint(needs, device)).get(attributeName);
  if (device === undefined || attribute === undefined) return nothing;
  const kind = columnKind(attribute.type);
  const of = { deviceId: device.id, attribute: attribute.id, kind };
  const item = { ...of, aggregation: "last" as const, granularityMs: stepMs, lookAroundMs: undefined };
  const convert = await inUnit(needs, device, { attribute: attributeName, unit });
  const range = { from: fineTime(from), to: fineTime(to + 1) };
  const times: number[] = [];
  const values: unknown[] = [];
  for await (const { piece } of await needs.telemetry.query({ requester, ...range, items: [item] })) {
    if (signal.aborted) throw nobodyWaits();
    const column = piece.columns[0];
    for (let row = 0; row < piece.count && column !== undefined; row++) {
      if (column.presence[row] !== 1) continue;
      times.push(itemAt(piece.times, row));
      values.push(convert(column.kind === "boolean" ? column.values[row] === 1 : column.values[row]));
    }
  }
  return { ...nothing, times: Float64Array.from(times), values };
}

export const nobodyWaits = () => refuse("request_timeout", "nobody waits for this dry run any more");

const keyOf = ({ device, attribute, unit }: Read): string => JSON.stringify([device, attribute, unit]);
