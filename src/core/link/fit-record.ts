// Makes a record fit into a message of a link before it leaves. Hardly any record is that large: of an execution the payloads
// are left out then, of properties and configuration those that no longer fit. Anything else cannot be sent at all.
import type { CommandResponse } from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { utf8Bytes } from "#core/text/utf8-bytes.ts";
import type { ChangeOutcome } from "./asked-change.ts";
import { RECORD_JSON } from "./link-limits.ts";
import type { LinkedItem } from "./messages.ts";

interface FittedRecord {
  /** Undefined: nothing of it can be sent. */
  readonly item: LinkedItem | undefined;
  /** What the other side does not get. */
  readonly leftOut: string | undefined;
}

/** What holds less than this fits, however its texts are escaped. */
const SURE_BYTES = 256 * 1024;

export function fitRecord(item: LinkedItem): FittedRecord {
  if (fits(item)) return { item, leftOut: undefined };
  switch (item.kind) {
    case "execution":
      return { item: { ...item, value: fitChange(item.value) }, leftOut: PAYLOADS };
    case "properties": {
      const value = firstThatFit(item.value);
      return { item: { ...item, value }, leftOut: `${item.value.length - value.length} properties` };
    }
    case "configuration": {
      const value = firstThatFit(item.value);
      return { item: { ...item, value }, leftOut: `${item.value.length - value.length} buckets` };
    }
    case "controls": {
      const value = firstThatFit(item.value);
      return { item: { ...item, value }, leftOut: `${item.value.length - value.length} controls` };
    }
    case "site":
    case "blueprint":
    case "device":
    case "control_record":
    case "interlock":
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
    case "tariff":
    case "prices":
    case "alert":
    case "log":
    case "notification":
    case "audit":
      return { item: undefined, leftOut: "all of it" };
  }
}

const PAYLOADS = "the payloads of its responses";

/** The execution without the payloads of its responses, if it is too large with them. */
export function fitChange(change: ExecutionChange): ExecutionChange {
  if (fits(change)) return change;
  const { execution, responses } = change;
  const response = execution.response && withoutPayload(execution.response);
  return { ...change, execution: { ...execution, response }, responses: responses.map(withoutPayload) };
}

/** Without the answer that it would not fit with. The records that the change is about follow it anyway. */
export function fitOutcome(outcome: ChangeOutcome): ChangeOutcome {
  return outcome.state === "DONE" && !fits(outcome) ? { ...outcome, answer: undefined } : outcome;
}

function withoutPayload({ payload, ...response }: CommandResponse): CommandResponse {
  if (payload === undefined) return { ...response, payload };
  return { ...response, payload: { message: "the payload is left out here: it is too large to be sent to the cloud" } };
}

function firstThatFit<Part>(parts: readonly Part[]): readonly Part[] {
  const kept: Part[] = [];
  let [bytes, values] = [0, 0];
  for (const part of parts) {
    const json = JSON.stringify(part);
    bytes += utf8Bytes(json);
    // Also those within texts: a few too many.
    values += countValues(json);
    if (bytes > RECORD_JSON.bytes || values > RECORD_JSON.values) return kept;
    kept.push(part);
  }
  return kept;
}

function fits(value: unknown): boolean {
  const bytes = approximateBytes(value);
  if (bytes <= SURE_BYTES) return true;
  const json = JSON.stringify(value);
  return utf8Bytes(json) <= RECORD_JSON.bytes && jsonExcess(json, RECORD_JSON) === undefined;
}

const countValues = (json: string): number => json.match(/[,[{]/g)?.length ?? 0;
