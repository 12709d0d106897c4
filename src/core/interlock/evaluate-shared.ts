// Connections and circuits: what loads may take of a power or a current that they share with others. The part of the others is
// what the meter says without the loads. It is calculated when the meter has a new value, from what the loads drew then, so a load
// that follows faster than the meter does not look like a gap in the load of others.
import { type Control, representable } from "#core/control/control.ts";
import { itemAt } from "#core/item-at.ts";
import {
  type Inputs,
  type InterlockState,
  type Limit,
  type Measured,
  measure,
  numberOf,
  type Outcome,
  sinceOf,
  waiting,
  waitingSince,
} from "./outcome.ts";
import type { Resolved, ResolvedLoad, Source } from "./resolve-interlock.ts";
import { type Demand, shareCapacity } from "./share-capacity.ts";

export interface SharedMemory {
  readonly kind: "shared";
  readonly state: InterlockState;
  readonly since: number;
  /** By line. */
  readonly bases: ReadonlyMap<string, Base>;
  /** By load and direction. */
  readonly released: ReadonlyMap<string, Released>;
}

/** What others than the loads take of a line. */
interface Base {
  readonly value: number;
  /** The time of the measurement that it comes from. */
  readonly sample: string;
  readonly knownAt: number;
}

/** A limit falls at once and rises slowly. */
interface Released {
  readonly most: number;
  /** Since when more is free, and how much at least. */
  readonly betterSince: number | undefined;
  readonly better: number;
}

type ResolvedShared = Extract<Resolved, { readonly kind: "connection" | "circuits" }>;

/** Something that can be full: a direction of a connection, or a phase of a circuit. */
interface Line {
  readonly key: string;
  /** 1: what is taken from the grid counts. -1: what is fed into it. */
  readonly direction: 1 | -1;
  readonly max: number;
  readonly base: Base | undefined;
}

export function evaluateShared(
  resolved: ResolvedShared,
  before: SharedMemory | undefined,
  inputs: Inputs,
): { readonly outcome: Outcome; readonly memory: SharedMemory | undefined } {
  const { now } = inputs;
  const measured: Measured[] = [];
  const lines = linesOf(resolved, { before, inputs, measured });
  const { staleMs } = resolved.interlock;
  const released = new Map<string, Released>();
  const limits = ([1, -1] as const).flatMap((direction) =>
    limitsOf(
      resolved,
      lines.filter((line) => line.direction === direction),
      { direction, before, inputs, released },
    ),
  );
  const unknown = lines.find(({ base }) => base === undefined);
  const awaited = unknown && waitingSince(sourcesOf(resolved), before, { ...inputs, staleMs });
  if (unknown !== undefined && awaited !== undefined) {
    const why = `the first measurement of ${unknown.key} has not come yet`;
    return {
      outcome: { state: "waiting", since: awaited, why, limits: limits.map(waiting), measured },
      memory: before,
    };
  }
  const isHolding = limits.some((limit) => limit.isHolding);
  const state = unknown !== undefined ? "blind" : isHolding ? "holding" : "idle";
  const since = sinceOf(before, state, now);
  const bases = new Map(lines.flatMap(({ key, base }) => (base === undefined ? [] : [[key, base] as const])));
  const why = unknown !== undefined ? `the measurement of ${unknown.key} is unknown` : isHolding ? TOO_MUCH : WITHIN;
  return {
    outcome: { state, since, why, limits, measured },
    memory: { kind: "shared", state, since, bases, released },
  };
}

const sourcesOf = (resolved: ResolvedShared): readonly (Source | undefined)[] =>
  resolved.kind === "connection" ? [resolved.meter] : [...resolved.meters.values()].flat();

const WITHIN = "what is wanted is within the limits";
const TOO_MUCH = "more is wanted than there is room for";

interface Context {
  readonly before: SharedMemory | undefined;
  readonly inputs: Inputs;
  readonly measured: Measured[];
}

function linesOf(resolved: ResolvedShared, context: Context): readonly Line[] {
  if (resolved.kind === "circuits") return circuitLines(resolved, context);
  return connectionLines(resolved, context);
}

function connectionLines(
  resolved: Extract<Resolved, { readonly kind: "connection" }>,
  context: Context,
): readonly Line[] {
  const { interlock, meter } = resolved;
  const measured = measure(meter, interlock.staleMs, context.inputs);
  if (measured !== undefined) context.measured.push(measured);
  const sign = interlock.meter.positive === "import" ? 1 : -1;
  const base = baseOf(resolved, { ...context, key: "the connection", measured, sign, isOn: () => true });
  const line = (direction: 1 | -1, max: number | undefined) =>
    max === undefined ? [] : [{ key: "the connection", direction, max, base }];
  return [...line(1, interlock.maxImport), ...line(-1, interlock.maxExport)];
}

function circuitLines(resolved: Extract<Resolved, { readonly kind: "circuits" }>, context: Context): readonly Line[] {
  const { interlock, meters } = resolved;
  const lines = new Map<string, Line>();
  const parents = new Map(interlock.circuits.map(({ name, parent }) => [name, parent]));
  // Children before parents: what is known of a circuit without a meter is what is known of those below it.
  const depth = (name: string) => [...circuitsUpFrom(name, parents)].length;
  for (const circuit of [...interlock.circuits].sort((a, b) => depth(b.name) - depth(a.name))) {
    const below = interlock.circuits.filter(({ parent }) => parent === circuit.name).map(({ name }) => name);
    const sources = meters.get(circuit.name);
    for (const phase of [1, 2, 3] as const) {
      const key = lineKey(circuit.name, phase);
      const isOn = (load: ResolvedLoad) =>
        load.phases.includes(phase) && circuitsUpFrom(load.circuit, parents).some((one) => one === circuit.name);
      const measured = sources && measure(sources[phase - 1], interlock.staleMs, context.inputs);
      if (measured !== undefined) context.measured.push(measured);
      const base =
        sources === undefined
          ? sumOf(
              below.map((name) => lines.get(lineKey(name, phase))?.base),
              circuit.unmeasured,
              context.inputs.now,
            )
          : baseOf(resolved, { ...context, key, measured, sign: 1, isOn });
      lines.set(key, { key, direction: 1, max: circuit.maxCurrent, base });
    }
  }
  return [...lines.values()];
}

const lineKey = (circuit: string, phase: number): string => `${circuit} L${phase}`;

/** By circuit: the one above it. */
type Parents = ReadonlyMap<string, string | undefined>;

/** The circuit and those above it. It ends, because none is its own ancestor (`parse-interlock.ts`). */
function* circuitsUpFrom(circuit: string | undefined, parents: Parents): Generator<string> {
  for (let at = circuit; at !== undefined; at = parents.get(at)) yield at;
}

function sumOf(bases: readonly (Base | undefined)[], unmeasured: number, now: number): Base | undefined {
  let value = unmeasured;
  for (const base of bases) {
    if (base === undefined) return undefined;
    value += base.value;
  }
  return { value, sample: "", knownAt: now };
}

interface Measurement extends Omit<Context, "measured"> {
  readonly key: string;
  readonly measured: Measured | undefined;
  readonly sign: 1 | -1;
  readonly isOn: (load: ResolvedLoad) => boolean;
}

function baseOf({ interlock, loads }: ResolvedShared, given: Measurement): Base | undefined {
  const { key, measured, sign, isOn, before, inputs } = given;
  const { now } = inputs;
  const last = before?.bases.get(key);
  const total = numberOf(measured);
  if (total === undefined) {
    const isKept = interlock.whenUnknown === "keep" && last !== undefined && now - last.knownAt < interlock.keepMs;
    return isKept ? { ...last, knownAt: Math.min(last.knownAt, now) } : undefined;
  }
  const sample = `${measured?.at} ${total}`;
  if (last?.sample === sample) return { ...last, knownAt: now };
  let value = sign * total;
  for (const load of loads) if (isOn(load)) value -= drawOf(load, interlock.staleMs, inputs);
  return { value, sample, knownAt: now };
}

/** What a load takes from the grid now, as far as it is known; below 0 if it feeds. */
function drawOf(load: ResolvedLoad, staleMs: number, inputs: Inputs): number {
  const sign = signOf(load);
  if (load.draws !== undefined) return sign * (numberOf(measure(load.draws, staleMs, inputs)) ?? NOTHING_KNOWN);
  const { current } = inputs.loading(load.deviceId, load.control);
  return current === undefined ? NOTHING_KNOWN : sign * load.perUnit * current;
}

/** It is taken for a part of what others draw, which leaves the least room. */
const NOTHING_KNOWN = 0;
const signOf = ({ effect }: ResolvedLoad): 1 | -1 => (effect === "consumes" ? 1 : -1);

interface Sharing {
  readonly direction: 1 | -1;
  readonly before: SharedMemory | undefined;
  readonly inputs: Inputs;
  readonly released: Map<string, Released>;
}

/** A load, in one direction. Amounts are of what is shared. */
interface Share {
  readonly load: ResolvedLoad;
  readonly lines: readonly number[];
  /** The value of the control that stands for an amount, and back. */
  readonly sign: 1 | -1;
  readonly current: number | undefined;
  readonly wanted: number | undefined;
  readonly demand: Demand;
  /** All that the control allows. */
  readonly most: number;
  readonly isBlind: boolean;
}

function limitsOf(resolved: ResolvedShared, lines: readonly Line[], sharing: Sharing): readonly Limit[] {
  const { interlock, loads } = resolved;
  if (lines.length === 0) return [];
  const surroundings = { interlock, lines, under: linesByLoad(resolved, lines), sharing };
  const shares = loads.flatMap((load) => shareOf(load, surroundings));
  const reliefs = reliefsOf(loads, surroundings);
  const capacities = lines.map((line, index) => capacityOf(line, itemAt(reliefs, index)));
  const mosts = shareCapacity(
    capacities,
    shares.map(({ demand }) => demand),
    interlock.sharing,
  );
  return shares.flatMap((share, n) => {
    const { load, sign, isBlind } = share;
    const margin = interlock.margin * Math.max(...share.lines.map((line) => lines[line]?.max ?? 0));
    const free = isBlind ? share.demand.floor : (mosts[n] ?? share.demand.floor);
    const most = released(`${sharing.direction} ${load.deviceId} ${load.control.id}`, {
      free: Math.min(free, share.most),
      full: share.most,
      margin,
      releaseMs: interlock.releaseMs,
      sharing,
    });
    if (most >= share.most && !isBlind) return [];
    const kind = sign > 0 ? "max" : "min";
    const value = representable(load.control, (sign * most) / load.perUnit, kind);
    const isOutside = (one: number | undefined) => one !== undefined && (sign > 0 ? one > value : one < value);
    const isHolding = isBlind || isOutside(share.current) || isOutside(share.wanted);
    return [{ deviceId: load.deviceId, control: load.control, kind, value, isHolding }];
  });
}

interface Surroundings {
  readonly interlock: ResolvedShared["interlock"];
  readonly lines: readonly Line[];
  readonly under: ReadonlyMap<ResolvedLoad, readonly number[]>;
  readonly sharing: Sharing;
}

/** By load: the lines that it loads. */
function linesByLoad(
  { interlock, loads }: ResolvedShared,
  lines: readonly Line[],
): ReadonlyMap<ResolvedLoad, readonly number[]> {
  if (interlock.kind === "connection") return new Map(loads.map((load) => [load, lines.map((_, index) => index)]));
  const parents = new Map(interlock.circuits.map(({ name, parent }) => [name, parent]));
  const places = new Map(lines.map(({ key }, index) => [key, index]));
  return new Map(
    loads.map((load) => {
      const found: number[] = [];
      for (const circuit of circuitsUpFrom(load.circuit, parents))
        for (const phase of load.phases) found.push(places.get(lineKey(circuit, phase)) ?? NO_LINE);
      return [load, found.filter((line) => line !== NO_LINE)];
    }),
  );
}

const NO_LINE = -1;

/** Nothing for a load that cannot take anything in this direction. */
function shareOf(load: ResolvedLoad, surroundings: Surroundings): readonly Share[] {
  const { sharing, lines: all, interlock } = surroundings;
  const sign = (sharing.direction * signOf(load)) as 1 | -1;
  const amount = (value: number) => Math.max(sign * load.perUnit * value, 0);
  const { least, most } = amountsOf(load.control, amount, sign);
  if (most <= 0) return [];
  const lines = surroundings.under.get(load) ?? [];
  const isBlind = lines.some((line) => all[line]?.base === undefined);
  const { current, wanted } = sharing.inputs.loading(load.deviceId, load.control);
  const drawn = load.draws && Math.max(sharing.direction * drawOf(load, interlock.staleMs, sharing.inputs), 0);
  const takes = drawn ?? (current === undefined ? 0 : amount(current));
  const wants = Math.max(takes, wanted === undefined ? 0 : amount(wanted), least);
  const safe = Math.max(amount(load.safe), least);
  const demand = isBlind
    ? { wants: safe, floor: safe, least: 0, lines }
    : { wants, floor: least, least: load.least * load.perUnit, lines };
  return [{ load, lines, sign, current, wanted, demand, most, isBlind }];
}

function amountsOf({ min, max }: Control, amount: (value: number) => number, sign: 1 | -1) {
  return sign > 0 ? { least: amount(min), most: amount(max) } : { least: amount(max), most: amount(min) };
}

/** By line: what loads give in the other direction, as far as they will go on with it. */
function reliefsOf(
  loads: readonly ResolvedLoad[],
  { sharing, interlock, lines, under }: Surroundings,
): readonly number[] {
  const reliefs = lines.map(() => 0);
  for (const load of loads) {
    const gives = Math.max(-sharing.direction * drawOf(load, interlock.staleMs, sharing.inputs), 0);
    const { wanted } = sharing.inputs.loading(load.deviceId, load.control);
    const will = wanted === undefined ? gives : Math.max(-sharing.direction * signOf(load) * load.perUnit * wanted, 0);
    for (const line of under.get(load) ?? []) reliefs[line] = itemAt(reliefs, line) + Math.min(gives, will);
  }
  return reliefs;
}

/** What is left for the loads. A line of which nothing is known limits nobody by its number: its loads have their safe values. */
function capacityOf({ max, base, direction }: Line, relief: number): number {
  return base === undefined ? Infinity : max - direction * base.value + relief;
}

interface Change {
  readonly free: number;
  readonly full: number;
  readonly margin: number;
  readonly releaseMs: number;
  readonly sharing: Sharing;
}

/** A limit falls at once. It rises when more was free for some time, to what was free all that time. */
function released(key: string, { free, full, margin, releaseMs, sharing }: Change): number {
  const { before, inputs } = sharing;
  const last = before?.released.get(key);
  const next = rise(last, { free, full, margin, releaseMs, now: inputs.now });
  sharing.released.set(key, next);
  return next.most;
}

function rise(last: Released | undefined, given: Omit<Change, "sharing"> & { readonly now: number }): Released {
  const { free, full, margin, releaseMs, now } = given;
  const isBetter = last !== undefined && free > last.most && (free >= last.most + margin || free >= full);
  if (last === undefined || free <= last.most) return { most: free, betterSince: undefined, better: free };
  if (!isBetter) return { ...last, betterSince: undefined };
  const betterSince = Math.min(last.betterSince ?? now, now);
  const better = last.betterSince === undefined ? free : Math.min(last.better, free);
  if (now - betterSince < releaseMs) return { most: last.most, betterSince, better };
  return { most: better, betterSince: undefined, better };
}
