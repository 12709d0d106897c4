// What a person or a command has changed about a simulated device, and the pure steps that change it.

import { alertListProblem, MAX_LISTED_ALERTS } from "#core/alert/alert-limits.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { MistakeList } from "#core/mistakes.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { byName } from "#core/value/by-name.ts";
import { type DeclaredValue, valueProblem } from "#core/value/value-problem.ts";

export const NEXT_COMMAND_KINDS = ["fail", "slow", "silent"] as const;

/** What becomes of the next command instead of the usual. */
export interface NextCommand {
  readonly kind: (typeof NEXT_COMMAND_KINDS)[number];
  /** Only this command, by its id; undefined: whichever comes. */
  readonly command: string | undefined;
  /** How many of them. */
  readonly times: number;
  /** The message of a failing command. */
  readonly message: string | undefined;
  /** How long a slow one takes. */
  readonly delayMs: number;
  /** Whether a slow one reports how far it is. */
  readonly reportsProgress: boolean;
}

export interface Adjustments {
  readonly seed: number;
  /** How many simulated seconds pass in a second. */
  readonly speed: number;
  /** As if unplugged: it sends nothing, takes no commands, and its time stands still. */
  readonly isPaused: boolean;
  readonly intervalMs: number;
  /** Held values of telemetry attributes and of properties, by id. */
  readonly telemetry: ReadonlyMap<string, unknown>;
  readonly properties: ReadonlyMap<string, unknown>;
  /** Held alerts: true is raised, false is cleared. */
  readonly alerts: ReadonlyMap<string, boolean>;
  readonly nextCommand: NextCommand | undefined;
  /** What commands have set, by argument. */
  readonly written: ReadonlyMap<string, unknown>;
  /** Simulated Unix milliseconds at which a command stopped the device. */
  readonly stoppedAt: number | undefined;
  /** At the real moment it was that simulated one. */
  readonly clock: { readonly real: Instant; readonly simulated: Instant };
}

const DEFAULT_INTERVAL_MS = 1_000;

/** A device without adjustments. Its time is the real one. */
export function untouched(seed: number, now: Instant): Adjustments {
  return {
    seed,
    speed: 1,
    isPaused: false,
    intervalMs: DEFAULT_INTERVAL_MS,
    telemetry: new Map(),
    properties: new Map(),
    alerts: new Map(),
    nextCommand: undefined,
    written: new Map(),
    stoppedAt: undefined,
    clock: { real: now, simulated: now },
  };
}

/** The last millisecond that RFC 3339 can write: there simulated time stands still. */
const LAST = 253_402_300_799_999;

/** What time it is for the device. */
export function simulatedTime({ clock, speed, isPaused }: Adjustments, now: Instant): Instant {
  const passed = isPaused ? 0 : Math.max(now - clock.real, 0) * speed;
  return instant(Math.min(Math.round(clock.simulated + passed), LAST));
}

/** What can be given back as a whole. `written` also undoes a stop. */
export const RELEASABLE = ["telemetry", "properties", "alerts", "next_command", "written"] as const;

/** A field that is absent stays; a null gives one of it back. */
export interface AdjustmentChange {
  /** Given back before anything else is changed. */
  readonly release?: readonly (typeof RELEASABLE)[number][];
  readonly seed?: number;
  readonly speed?: number;
  readonly isPaused?: boolean;
  readonly intervalMs?: number;
  /** What time it is for the device from now on. */
  readonly simulatedAt?: Instant;
  readonly telemetry?: ReadonlyMap<string, unknown>;
  readonly properties?: ReadonlyMap<string, unknown>;
  readonly alerts?: ReadonlyMap<string, boolean | null>;
  readonly nextCommand?: NextCommand;
}

export interface AdjustmentProblem {
  /** The keys that lead to the problem. */
  readonly at: readonly string[];
  readonly message: string;
}

export interface Adjusted {
  readonly adjustments: Adjustments;
  readonly problems: readonly AdjustmentProblem[];
  /** How many there are in addition to those. */
  readonly moreProblems: number;
}

/** Applies the parts of a change that fit the blueprint; reports all that do not. */
export function adjust(
  { blueprint, now }: { readonly blueprint: Blueprint; readonly now: Instant },
  former: Adjustments,
  change: AdjustmentChange,
): Adjusted {
  const problems = new MistakeList<AdjustmentProblem>();
  const before = released(former, new Set(change.release));
  const isTimeChanged = [change.speed, change.isPaused, change.simulatedAt].some((one) => one !== undefined);
  const held = (kind: "telemetry" | "properties") => {
    const given = change[kind];
    if (given === undefined) return before[kind];
    return withValues({ kind, declared: blueprint[kind], problems }, before[kind], given);
  };
  const adjustments: Adjustments = {
    ...before,
    seed: change.seed ?? before.seed,
    speed: change.speed ?? before.speed,
    isPaused: change.isPaused ?? before.isPaused,
    intervalMs: change.intervalMs ?? before.intervalMs,
    telemetry: held("telemetry"),
    properties: held("properties"),
    alerts: withAlerts({ blueprint, problems }, before.alerts, change.alerts ?? new Map()),
    nextCommand: change.nextCommand ?? before.nextCommand,
    // From now on time goes otherwise; what has passed stays as it was.
    ...(isTimeChanged && { clock: { real: now, simulated: change.simulatedAt ?? simulatedTime(before, now) } }),
  };
  const command = change.nextCommand?.command;
  if (command !== undefined && !blueprint.commands.has(command)) {
    problems.add(() => ({
      at: ["next_command", "command"],
      message: unknown("command", command, blueprint.commands.keys()),
    }));
  }
  return { adjustments, problems: problems.listed, moreProblems: problems.more };
}

function released(adjustments: Adjustments, sections: ReadonlySet<string>): Adjustments {
  return {
    ...adjustments,
    ...(sections.has("telemetry") && { telemetry: new Map() }),
    ...(sections.has("properties") && { properties: new Map() }),
    ...(sections.has("alerts") && { alerts: new Map() }),
    ...(sections.has("next_command") && { nextCommand: undefined }),
    ...(sections.has("written") && { written: new Map(), stoppedAt: undefined }),
  };
}

/** Leaves out what does not fit the blueprint, which may have changed since. */
export function fitting(blueprint: Blueprint, adjustments: Adjustments): Adjustments {
  const keep = (declared: ReadonlyMap<string, DeclaredValue>, values: ReadonlyMap<string, unknown>) =>
    new Map([...values].filter(([id, value]) => fits(declared.get(id), value)));
  const { nextCommand } = adjustments;
  const isKnown = nextCommand?.command === undefined || blueprint.commands.has(nextCommand.command);
  return {
    ...adjustments,
    telemetry: keep(blueprint.telemetry, adjustments.telemetry),
    properties: keep(blueprint.properties, adjustments.properties),
    nextCommand: isKnown ? nextCommand : undefined,
  };
}

function fits(declared: DeclaredValue | undefined, value: unknown): boolean {
  return declared !== undefined && valueProblem(declared, value) === undefined;
}

interface Section {
  readonly kind: "telemetry" | "properties";
  readonly declared: ReadonlyMap<string, DeclaredValue & { readonly id: string; readonly aliases: readonly string[] }>;
  readonly problems: MistakeList<AdjustmentProblem>;
}

function withValues(
  { kind, declared, problems }: Section,
  before: ReadonlyMap<string, unknown>,
  given: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  const after = new Map(before);
  const find = byName(declared);
  for (const [name, value] of given) {
    const attribute = find(name);
    const at = [kind, name];
    if (attribute === undefined) {
      const what = kind === "telemetry" ? "telemetry attribute" : "property";
      problems.add(() => ({ at, message: unknown(what, name, declared.keys()) }));
    } else if (value === null) after.delete(attribute.id);
    else if (attribute.type === "alerts")
      problems.add(() => ({ at, message: `${name} lists alerts; hold them by alerts` }));
    else {
      const problem = valueProblem(attribute, value, { withHint: !problems.isFull });
      if (problem === undefined) after.set(attribute.id, value);
      else problems.add(() => ({ at, message: `${name} ${problem}` }));
    }
  }
  return after;
}

function withAlerts(
  { blueprint, problems }: { readonly blueprint: Blueprint; readonly problems: MistakeList<AdjustmentProblem> },
  before: ReadonlyMap<string, boolean>,
  given: ReadonlyMap<string, boolean | null>,
): ReadonlyMap<string, boolean> {
  const after = new Map(before);
  for (const [id, isRaised] of given) {
    const at = ["alerts", id];
    const problem = alertListProblem([id]);
    if (problem !== undefined) problems.add(() => ({ at, message: problem }));
    else if (isRaised === null) after.delete(id);
    // A device may raise what it has not declared; but to clear it can only be a slip.
    else if (!isRaised && !blueprint.alerts.has(id) && !before.has(id)) {
      problems.add(() => ({ at, message: unknown("alert", id, blueprint.alerts.keys()) }));
    } else after.set(id, isRaised);
  }
  if (after.size > MAX_LISTED_ALERTS) {
    const message = `at most ${MAX_LISTED_ALERTS} alerts can be held, not ${after.size}`;
    problems.add(() => ({ at: ["alerts"], message }));
  }
  return after;
}

function unknown(what: string, name: string, known: Iterable<string>): string {
  const close = nearestOf(name, known);
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  return `the blueprint has no ${what} ${JSON.stringify(name.slice(0, 80))}${hint}`;
}
