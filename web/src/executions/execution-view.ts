// What an execution means, without words: tone, kind of outcome, progress, times.
import type { CommandResponse, Execution, JsonObject } from "#client/resources.ts";
import { hasEnded, isFinal } from "#core/command/execution.ts";

export type Tone = "ok" | "warning" | "error" | "info" | "neutral";

export const TONES: Readonly<Record<Execution["state"], Tone>> = {
  NEW: "neutral",
  IN_PROGRESS: "info",
  SUCCESS: "ok",
  ERROR: "error",
  TIMEOUT: "warning",
  UNSYNC: "warning",
};

/** How it stands with an execution, finer than its state. */
export type Outcome =
  | "waiting"
  | "running"
  | "done"
  | "device error"
  /** The gateway was restarted while the command ran: nobody knows what the device did. */
  | "interrupted"
  /** Not one answer came, at most the word that the command was handed over. */
  | "never answered"
  /** The device reported what it does, and then fell silent. */
  | "fell silent"
  | "not known here";

const INTERRUPTED = /\boutcome unknown\b/;

export function outcomeOf({ state, response }: Pick<Execution, "state" | "response">): Outcome {
  switch (state) {
    case "NEW":
      return "waiting";
    case "IN_PROGRESS":
      return "running";
    case "SUCCESS":
      return "done";
    case "ERROR":
      return INTERRUPTED.test(messageOf(response?.payload) ?? "") ? "interrupted" : "device error";
    case "TIMEOUT":
      return response?.state === "IN_PROGRESS" ? "fell silent" : "never answered";
    case "UNSYNC":
      return "not known here";
  }
}

export function messageOf(payload: JsonObject | undefined): string | undefined {
  const message = payload?.["message"];
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** From 0 to 1, where the device says how far it is; undefined where it does not. */
export function progressOf(payload: JsonObject | undefined): number | undefined {
  const progress = payload?.["progress"];
  if (typeof progress === "number") return between(progress > 1 ? progress / 100 : progress);
  const percent = payload?.["percent"];
  if (typeof percent === "number") return between(percent / 100);
  const written = /(\d{1,3}(?:\.\d+)?)\s?%/.exec(messageOf(payload) ?? "")?.[1];
  return written === undefined || Number(written) > 100 ? undefined : Number(written) / 100;
}

function between(share: number): number | undefined {
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : undefined;
}

/** Unix ms when nothing more was heard; undefined while it runs, and where the end is not known. */
export function endOf({ state, response }: Pick<Execution, "state" | "response">): number | undefined {
  return isFinal(state) && response !== undefined ? Date.parse(response.received_at) : undefined;
}

/** Milliseconds from the request to the last answer, or until now while it runs. Undefined where nobody knows. */
export function durationOf(execution: Execution, now: number): number | undefined {
  const began = Date.parse(execution.created_at);
  const end = endOf(execution) ?? (hasEnded(execution.state) || execution.state === "UNSYNC" ? undefined : now);
  return end === undefined ? undefined : Math.max(0, end - began);
}

/** All responses, oldest first, without repetitions. An event brings only the newest one, and may come late. */
export function withResponses(
  known: readonly CommandResponse[],
  { log, response }: Pick<Execution, "log" | "response">,
): readonly CommandResponse[] {
  const all = [...known, ...(log ?? []), ...(response === undefined ? [] : [response])];
  const byTime = new Map(all.map((one) => [one.received_at, one]));
  return [...byTime.values()].sort((a, b) => (a.received_at < b.received_at ? -1 : 1));
}

/** The newer of two: a later answer, or the same one with another state. Answers of the server may overtake events. */
export function isNewer(known: Execution | undefined, execution: Execution): boolean {
  if (known === undefined) return true;
  const [before, after] = [known.response?.received_at ?? "", execution.response?.received_at ?? ""];
  return after > before || (after === before && !isFinal(known.state));
}

/** What the payload says besides the declared fields and the message, which is shown already. */
export function furtherFields(payload: JsonObject, declared: { has(name: string): boolean }): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !declared.has(name) && name !== "message"));
}

/** Whether a manifest as its author wrote it names a command that cancels this one while it runs. */
export function namesCancel(manifest: unknown, command: string): boolean {
  const below = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null && Object.hasOwn(value, key)
      ? (value as Readonly<Record<string, unknown>>)[key]
      : undefined;
  return typeof below(below(below(below(manifest, "commands"), command), ".busbar"), "cancel") === "string";
}
