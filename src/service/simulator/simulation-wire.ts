import { MAX_ALERT_ID_LENGTH, MAX_LISTED_ALERTS } from "#core/alert/alert-limits.ts";
import { AppError, type Refusal } from "#core/app-error.ts";
import {
  type AdjustmentChange,
  NEXT_COMMAND_KINDS,
  type NextCommand,
  RELEASABLE,
} from "#core/simulator/adjustments.ts";
import { type Duration, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { formatDuration } from "#core/time/format-duration.ts";
import { parseInstant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { Simulation } from "#service/ports/simulator.ts";

const held = (what: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", maxProperties: 10_000, description: what });

const nextCommand = described("NextCommand", "What becomes of the next command of a simulated device.", {
  kind: oneOf(NEXT_COMMAND_KINDS, {
    description: "fail answers an error, slow answers after delay, silent never answers.",
  }),
  command: Type.Optional(
    nullable(Type.String({ maxLength: 200, description: "Only this command, by its manifest name. Default: any." })),
  ),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "How many commands. Default: 1." })),
  message: Type.Optional(nullable(Type.String({ maxLength: 1_000, description: "What a failing one says." }))),
  delay: Type.Optional(Type.String({ maxLength: 64, description: "How long a slow one takes. Default: 20s." })),
  progress: Type.Optional(Type.Boolean({ description: "Whether a slow command reports progress. Default: true." })),
});

export const simulationChangeSchema = described("SimulationChange", "What is not given stays as it is.", {
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })),
  speed: Type.Optional(
    Type.Number({ minimum: 0, maximum: 3_600, description: "Simulated seconds in a second; 0 stops the clock." }),
  ),
  paused: Type.Optional(Type.Boolean({ description: "As if unplugged." })),
  simulated_at: Type.Optional({ ...timestamp, description: "What time it is for the device from now on." }),
  interval: Type.Optional(Type.String({ maxLength: 64, description: "Time between messages, 100ms to 1h." })),
  release: Type.Optional(
    Type.Array(oneOf(RELEASABLE), {
      maxItems: RELEASABLE.length,
      description: "What is given back as a whole before anything else; written is what commands have set.",
    }),
  ),
  telemetry: Type.Optional(held("Attribute to the value it holds; null gives it back.")),
  properties: Type.Optional(held("Property to the value it holds; null gives it back.")),
  alerts: Type.Optional(
    Type.Unsafe<Readonly<Record<string, boolean | null>>>({
      type: "object",
      maxProperties: MAX_LISTED_ALERTS,
      propertyNames: { minLength: 1, maxLength: MAX_ALERT_ID_LENGTH },
      additionalProperties: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      description: "Alert to true (raised), false (cleared) or null (as it comes).",
    }),
  ),
  next_command: Type.Optional(nextCommand),
});

export const simulationSchema = described("Simulation", "What a simulated device does, and what was changed.", {
  seed: Type.Integer(),
  speed: Type.Number(),
  paused: Type.Boolean(),
  interval: Type.String(),
  simulated_at: { ...timestamp, description: "What time it is for the device." },
  telemetry: held("Held values by attribute."),
  properties: held("Held values by property."),
  alerts: Type.Unsafe<Readonly<Record<string, boolean>>>({
    type: "object",
    additionalProperties: { type: "boolean" },
    description: "Held alerts: true is raised, false is cleared.",
  }),
  next_command: nullable(nextCommand),
  written: held("What commands have set, by argument."),
  stopped: Type.Boolean({ description: "A command has stopped the device." }),
  current: strict("SimulatedNow", {
    telemetry: held("What it would send now."),
    properties: held("Its properties."),
    alerts: Type.Array(Type.String(), { description: "Active alerts." }),
  }),
});

const SHORTEST_INTERVAL = 100;
const LONGEST_INTERVAL = 3_600_000;
const LONGEST_DELAY = 86_400_000;
const USUAL_DELAY = 20_000;

/** A refusal lists everything that is wrong at once. */
export function parseSimulationChange(body: Static<typeof simulationChangeSchema>): AdjustmentChange {
  const refusals: Refusal[] = [];
  const duration = (text: string | undefined, pointer: string, [least, most]: readonly [number, number]) => {
    if (text === undefined) return undefined;
    const parsed = parseDuration(text);
    const ms = parsed === undefined ? Number.NaN : toMilliseconds(parsed);
    if (ms >= least && ms <= most) return ms;
    const limits = `${renderMs(least)} to ${renderMs(most)}`;
    const message = `must be a duration of ${limits}, for example 5s, not ${JSON.stringify(text.slice(0, 80))}`;
    refusals.push({ code: "invalid_body", message, details: { pointer } });
    return undefined;
  };
  const intervalMs = duration(body.interval, "/interval", [SHORTEST_INTERVAL, LONGEST_INTERVAL]);
  const delayMs = duration(body.next_command?.delay, "/next_command/delay", [1, LONGEST_DELAY]);
  const simulatedAt = body.simulated_at === undefined ? undefined : parseInstant(body.simulated_at);
  if (body.simulated_at !== undefined && simulatedAt === undefined) {
    const message = `must be an RFC 3339 date-time, not ${JSON.stringify(body.simulated_at.slice(0, 80))}`;
    refusals.push({ code: "invalid_body", message, details: { pointer: "/simulated_at" } });
  }
  const [first, ...others] = refusals;
  if (first !== undefined) throw new AppError([first, ...others]);
  const map = <Value>(given: Readonly<Record<string, Value>>) => new Map(Object.entries(given));
  return {
    ...(body.release !== undefined && { release: body.release }),
    ...(body.seed !== undefined && { seed: body.seed }),
    ...(body.speed !== undefined && { speed: body.speed }),
    ...(body.paused !== undefined && { isPaused: body.paused }),
    ...(intervalMs !== undefined && { intervalMs }),
    ...(simulatedAt !== undefined && { simulatedAt }),
    ...(body.telemetry !== undefined && { telemetry: map(body.telemetry) }),
    ...(body.properties !== undefined && { properties: map(body.properties) }),
    ...(body.alerts !== undefined && { alerts: map(body.alerts) }),
    ...(body.next_command !== undefined && {
      nextCommand: parseNext(body.next_command, delayMs ?? USUAL_DELAY),
    }),
  };
}

function parseNext(given: Static<typeof nextCommand>, delayMs: number): NextCommand {
  return {
    kind: given.kind,
    command: given.command ?? undefined,
    times: given.times ?? 1,
    message: given.message ?? undefined,
    delayMs,
    reportsProgress: given.progress ?? true,
  };
}

export function renderSimulation(simulation: Simulation): Static<typeof simulationSchema> {
  const { adjustments, telemetry, properties } = simulation;
  return {
    seed: adjustments.seed,
    speed: adjustments.speed,
    paused: adjustments.isPaused,
    interval: renderMs(adjustments.intervalMs),
    simulated_at: renderInstant(simulation.simulatedAt),
    telemetry: Object.fromEntries(adjustments.telemetry),
    properties: Object.fromEntries(adjustments.properties),
    alerts: Object.fromEntries(adjustments.alerts),
    next_command: adjustments.nextCommand === undefined ? null : renderNext(adjustments.nextCommand),
    written: Object.fromEntries(adjustments.written),
    stopped: adjustments.stoppedAt !== undefined,
    current: {
      telemetry: Object.fromEntries(telemetry),
      properties: Object.fromEntries(properties),
      alerts: [...simulation.activeAlerts],
    },
  };
}

function renderNext(next: NextCommand): Static<typeof nextCommand> {
  return {
    kind: next.kind,
    command: next.command ?? null,
    times: next.times,
    ...(next.kind === "fail" && { message: next.message ?? null }),
    ...(next.kind === "slow" && { delay: renderMs(next.delayMs), progress: next.reportsProgress }),
  };
}

function renderMs(ms: number): string {
  return formatDuration((BigInt(Math.round(ms)) * 1_000_000n) as Duration);
}
