/** Which value counts when limits contradict each other: the lower one, the higher one, or the one nearer to zero. */
export const SAFE_SIDES = ["min", "max", "zero"] as const;
export type SafeSide = (typeof SAFE_SIDES)[number];

/** A command with all its arguments, as JSON values. */
export interface ControlCall {
  readonly command: string;
  readonly arguments: ReadonlyMap<string, unknown>;
}

/** What is done when nobody claims the control any more. `min` and `max` are the limits of the control. */
export type DeclaredFallback =
  | { readonly kind: "value"; readonly value: number | "min" | "max" }
  /** `value` is what the device has after the command, if that is known. */
  | ({ readonly kind: "command"; readonly value: number | "min" | "max" | undefined } & ControlCall);

/** A quantity that can be controlled, as a manifest or a profile declares it. Undefined: not said. */
export interface DeclaredControl {
  readonly id: string;
  readonly displayName: string | undefined;
  /** Id of the command that sets it. */
  readonly command: string;
  readonly argument: string;
  /** Other arguments that every write has. */
  readonly arguments: ReadonlyMap<string, unknown>;
  /** Telemetry that measures it; in a profile maybe a field of another profile, `<profile>.<field>`. */
  readonly reads: string | undefined;
  readonly unit: string | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly step: number | undefined;
  /** How long the device keeps a value that is not written again. */
  readonly refreshMs: number | undefined;
  readonly tolerance: number | undefined;
  /** How long the device may take until it measures what was written. */
  readonly settleMs: number;
  /** The largest change per second. */
  readonly ramp: number | undefined;
  /** The shortest time between two writes. */
  readonly intervalMs: number;
  readonly safe: SafeSide;
  /** Executed before the first value, such as a command that takes over. */
  readonly prepare: ControlCall | undefined;
  readonly fallback: DeclaredFallback | undefined;
}

/** In the words of the manifest. Left out is what nobody said. */
export function renderControl(control: DeclaredControl): Readonly<Record<string, unknown>> {
  const { displayName, command, argument, reads, unit, min, max, step, tolerance, ramp, safe } = control;
  const all = {
    display_name: displayName,
    command,
    argument,
    arguments: control.arguments.size === 0 ? undefined : Object.fromEntries(control.arguments),
    reads,
    unit,
    min,
    max,
    step,
    refresh: control.refreshMs === undefined ? undefined : `${control.refreshMs}ms`,
    tolerance,
    settle: `${control.settleMs}ms`,
    ramp,
    interval: `${control.intervalMs}ms`,
    safe,
    prepare: control.prepare === undefined ? undefined : renderCall(control.prepare),
    fallback: control.fallback === undefined ? undefined : renderFallback(control.fallback),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function renderFallback(fallback: DeclaredFallback): Readonly<Record<string, unknown>> {
  if (fallback.kind === "value") return { value: fallback.value };
  return { ...renderCall(fallback), ...(fallback.value !== undefined && { value: fallback.value }) };
}

function renderCall(call: ControlCall): Readonly<Record<string, unknown>> {
  return { command: call.command, arguments: Object.fromEntries(call.arguments) };
}
