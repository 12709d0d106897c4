// A question that somebody asks in the cloud and that only the gateway of the site can answer: what is too large or too live to be
// copied. It travels as a reading operation of the HTTP interface, so that the gateway checks and answers it like a call of its own.
// Nothing of it is stored, and it does not outlive its deadline.
import type { Payload } from "#core/command/execution.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { utf8Bytes } from "#core/text/utf8-bytes.ts";
import type { AskedChange, ChangeOutcome } from "./asked-change.ts";

export interface AskedQuestion
  extends Pick<AskedChange, "id" | "operation" | "params" | "body" | "asker" | "requestId"> {
  /** As texts, as in a URL. */
  readonly query: Readonly<Record<string, string>>;
  /** How long the answer is waited for, in milliseconds: the two clocks may differ. */
  readonly patienceMs: number;
}

export type QuestionOutcome = Exclude<ChangeOutcome, { state: "OVERRULED" }>;

/** At both ends: of all callers of a gateway, and of one. Others wait in turns. */
export const QUESTIONS = { slots: 4, slotsPerKey: 2, waiting: 64, waitingPerKey: 16 } as const;

export const PATIENCE_MS = 15_000;
export const LONGEST_PATIENCE_MS = 120_000;

/** As JSON. A larger answer would hold up the line for everything else. */
const MAX_ANSWER_BYTES = 1_048_576;
const ANSWER_JSON = { depth: 64, values: 40_000, text: MAX_ANSWER_BYTES } as const;
/** What holds less than this fits, however its texts are escaped. */
const SURE_BYTES = MAX_ANSWER_BYTES / 8;

/** Why the answer does not travel. Undefined: it does. */
export function answerExcess(answer: Payload): string | undefined {
  if (approximateBytes(answer) <= SURE_BYTES) return undefined;
  const json = JSON.stringify(answer);
  if (utf8Bytes(json) > MAX_ANSWER_BYTES) return `larger than ${MAX_ANSWER_BYTES} bytes`;
  return jsonExcess(json, ANSWER_JSON);
}
