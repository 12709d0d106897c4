import { type Adjustments, NEXT_COMMAND_KINDS } from "#core/simulator/adjustments.ts";
import { isObject } from "./stored-json.ts";

/** Maps as lists of pairs, because names may be anything. */
type Stored = Omit<Adjustments, Held | "alerts"> & {
  readonly [Name in Held]: readonly [string, unknown][];
} & { readonly alerts: readonly [string, boolean][] };

const HELD = ["telemetry", "properties", "written"] as const;
type Held = (typeof HELD)[number];

export function renderAdjustments(adjustments: Adjustments): string {
  const { telemetry, properties, alerts, written, ...rest } = adjustments;
  return JSON.stringify({
    ...rest,
    telemetry: [...telemetry],
    properties: [...properties],
    alerts: [...alerts],
    written: [...written],
  });
}

/** Everything that a model calculates with. Values are checked against the blueprint where they are used. */
export function isStored(value: unknown): value is Stored {
  if (!isObject(value) || !isObject(value["clock"])) return false;
  const { seed, speed, isPaused, intervalMs, clock, nextCommand, stoppedAt } = value;
  const numbers = [seed, speed, intervalMs, clock["real"], clock["simulated"], stoppedAt ?? 0];
  return (
    numbers.every(Number.isFinite) &&
    Number(intervalMs) >= 1 &&
    typeof isPaused === "boolean" &&
    (nextCommand === undefined || nextCommand === null || isNextCommand(nextCommand)) &&
    HELD.every((name) => isPairs(value[name])) &&
    isPairs(value["alerts"], "boolean")
  );
}

function isNextCommand(value: unknown): boolean {
  return (
    isObject(value) &&
    NEXT_COMMAND_KINDS.some((kind) => kind === value["kind"]) &&
    [value["times"], value["delayMs"]].every(Number.isFinite)
  );
}

function isPairs(value: unknown, type?: "boolean"): boolean {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && typeof pair[0] === "string" && (type === undefined || typeof pair[1] === type);
  return Array.isArray(value) && value.every(isPair);
}

export function parseAdjustments(stored: Stored): Adjustments {
  return {
    ...stored,
    nextCommand: stored.nextCommand ?? undefined,
    stoppedAt: stored.stoppedAt ?? undefined,
    telemetry: new Map(stored.telemetry),
    properties: new Map(stored.properties),
    alerts: new Map(stored.alerts),
    written: new Map(stored.written),
  };
}
