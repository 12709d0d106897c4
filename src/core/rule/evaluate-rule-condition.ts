// Whether a condition is true now. Everything that was looked at is kept, for the trace and to know when to look again.
import { isAmongCheapest, isInCheapestSpan } from "#core/energy/cheapest-times.ts";
import type { Direction } from "#core/energy/rates.ts";
import { QUARTER_MS } from "#core/time/hour.ts";
import { isInWindow } from "./local-times.ts";
import { averageOf, budgetOf, changeOf, windowBegin } from "./over-time.ts";
import type { Amount, AttributeRead, Comparison, ComputedAmount, Condition, PlainValue } from "./rule.ts";
import { printOf } from "./rule-print.ts";
import type { RuleVariable, RuleWorld } from "./rule-world.ts";
import { allOf, anyOf, notOf, type Truth } from "./truth.ts";

/** One thing that was looked at. */
export interface Evidence {
  readonly place: string;
  /** Such as `meter.power`. */
  readonly subject: string;
  /** Where the value comes from, if that is a device: not everybody may read each attribute. */
  readonly attribute?: { readonly device: string; readonly attribute: string };
  /** Undefined: missing or too old. */
  readonly value: PlainValue | undefined;
  /** Undefined: it has none, or nobody knows it. */
  readonly ageMs: number | undefined;
  readonly truth: Truth;
  readonly causes: readonly string[];
}

export interface Evaluation {
  readonly truth: Truth;
  readonly evidence: readonly Evidence[];
  /** How its comparisons with a hysteresis stand now, by their print. */
  readonly memory: ReadonlyMap<string, boolean>;
  /** Without a new value it stays so before this moment. */
  readonly until: number;
}

/** A clock of a device may differ by this much. What is further in the future is unknown. */
const CLOCK_MS = 5_000;
const LEAST_AGE_MS = 30_000;
const USUAL_TIMES = 3;

interface Looking {
  readonly world: RuleWorld;
  readonly before: ReadonlyMap<string, boolean>;
  readonly memory: Map<string, boolean>;
  readonly evidence: Evidence[];
  until: number;
}

export function evaluateRuleCondition(
  condition: Condition | undefined,
  before: ReadonlyMap<string, boolean>,
  world: RuleWorld,
): Evaluation {
  const looking = lookFrom(world, before);
  const truth = condition === undefined ? true : truthOf(looking, condition);
  return { truth, evidence: looking.evidence, memory: looking.memory, until: looking.until };
}

const lookFrom = (world: RuleWorld, before: ReadonlyMap<string, boolean>): Looking => ({
  world,
  before,
  memory: new Map(),
  evidence: [],
  until: Number.POSITIVE_INFINITY,
});

function truthOf(looking: Looking, condition: Condition): Truth {
  // All of them are looked at, so that the trace is whole and each hysteresis goes on.
  if (condition.kind === "all") return allOf(condition.conditions.map((one) => truthOf(looking, one)));
  if (condition.kind === "any") return anyOf(condition.conditions.map((one) => truthOf(looking, one)));
  if (condition.kind === "not") return notOf(truthOf(looking, condition.condition));
  const { truth, ...seen } = lookAt(looking, condition);
  looking.evidence.push({ place: condition.place, truth, ...seen });
  return truth;
}

type Leaf = Exclude<Condition, { readonly kind: "all" | "any" | "not" }>;
type Seen = Omit<Evidence, "place">;

const NO_CAUSES: readonly string[] = [];
const NO_MEMORY: ReadonlyMap<string, boolean> = new Map();
/** What was changed longer ago did not lead to what happens now. */
const CAUSE_MS = 60_000;

function recentCauses({ world }: Looking, found: Pick<RuleVariable, "at" | "causes"> | undefined): readonly string[] {
  return found === undefined || world.now - found.at > CAUSE_MS ? NO_CAUSES : found.causes;
}

function lookAt(looking: Looking, condition: Leaf): Seen {
  const { world } = looking;
  switch (condition.kind) {
    case "value": {
      const seen = readAttribute(looking, condition);
      return { ...seen, truth: compare(looking, condition, seen.value) };
    }
    case "amount": {
      const value = amountIn(looking, condition.amount);
      const subject = subjectOf(condition.amount);
      return { subject, value, ageMs: undefined, truth: compare(looking, condition, value), causes: NO_CAUSES };
    }
    case "stale":
      return lookAtAge(looking, condition);
    case "variable": {
      const found = world.variable(condition.name);
      const [value, causes] = [found?.value, recentCauses(looking, found)];
      const subject = `variable ${condition.name}`;
      return { subject, value, ageMs: undefined, truth: compare(looking, condition, value), causes };
    }
    case "control":
    case "holder":
      return lookAtControl(looking, condition);
    case "online": {
      const value = world.isOnline(condition.device);
      const truth = value === undefined ? undefined : value === condition.isOnline;
      return { subject: `${condition.device} online`, value, ageMs: undefined, truth, causes: NO_CAUSES };
    }
    case "alert": {
      const active = world.alerts(condition.device);
      const { alert } = condition;
      const truth = active && (alert === undefined ? active.length > 0 : active.includes(alert));
      const subject = `alert ${alert ?? "any"} of ${condition.device}`;
      return { subject, value: truth, ageMs: undefined, truth, causes: NO_CAUSES };
    }
    case "calendar":
      return lookAtCalendar(looking, condition);
    case "tariff": {
      const value = priceNow(looking, condition.of);
      const subject = `price ${condition.of}`;
      return { subject, value, ageMs: undefined, truth: compare(looking, condition, value), causes: NO_CAUSES };
    }
    case "hours":
      return lookAtHours(looking, condition);
    case "time": {
      const { isInside, until } = isInWindow(condition, world.now, world);
      looking.until = Math.min(looking.until, until);
      return { subject: "time", value: isInside, ageMs: undefined, truth: isInside, causes: NO_CAUSES };
    }
  }
}

/** A calendar that is missing is unknown, never off. */
function lookAtCalendar(looking: Looking, condition: Extract<Leaf, { kind: "calendar" }>): Seen {
  const { name, isOn, comparison } = condition;
  const found = calendarNow(looking, name);
  const seen = { subject: `calendar ${name}`, value: found?.value ?? found?.isOn, ageMs: undefined, causes: NO_CAUSES };
  if (found === undefined) return { ...seen, truth: undefined };
  if (comparison === undefined) return { ...seen, truth: found.isOn === isOn };
  if (!found.isOn || found.value === undefined) return { ...seen, truth: false };
  return { ...seen, truth: compare(looking, { comparison, name }, found.value) };
}

function calendarNow(looking: Looking, name: string): ReturnType<RuleWorld["calendar"]> {
  const { now } = looking.world;
  const found = looking.world.calendar(name, now);
  looking.until = Math.min(looking.until, found?.until ?? Number.POSITIVE_INFINITY);
  return found;
}

/** Prices hold for a quarter of an hour. One that is missing is unknown, never zero. */
function priceNow(looking: Looking, of: Direction): number | undefined {
  const { now, price } = looking.world;
  looking.until = Math.min(looking.until, nextQuarter(now));
  return price(of, now);
}

function lookAtHours(looking: Looking, hours: Extract<Leaf, { kind: "hours" }>): Seen {
  const { of, rank, lengthMs, isUnbroken, before } = hours;
  const { world } = looking;
  const { now } = world;
  const window = isInWindow({ from: hours.from ?? before, to: before, days: undefined }, now, world);
  looking.until = Math.min(looking.until, window.until, nextQuarter(now));
  const seen = { subject: `price ${of}`, value: world.price(of, now), ageMs: undefined, causes: NO_CAUSES };
  if (window.span === undefined) return { ...seen, truth: window.isInside };
  const sign = rank === "cheapest" ? 1 : -1;
  const priceAt = (at: number): number | undefined => {
    const price = world.price(of, at);
    return price === undefined ? undefined : sign * price;
  };
  const isOn = isUnbroken ? isInCheapestSpan : isAmongCheapest;
  return { ...seen, truth: isOn(priceAt, { ...window.span, lengthMs, now }) };
}

const nextQuarter = (now: number): number => (Math.floor(now / QUARTER_MS) + 1) * QUARTER_MS;

/** The latest value, if it is young enough, or what it was over a time. */
function readAttribute(looking: Looking, read: AttributeRead): Omit<Seen, "truth"> {
  const { value, holdMs, ...seen } = readLatest(looking, read);
  const { over, device, attribute, unit } = read;
  if (over === undefined) return { ...seen, value };
  const subject = `${over.kind} of ${seen.subject}`;
  if (typeof value !== "number") return { ...seen, subject, value: undefined };
  const { now } = looking.world;
  const stretch = { from: now - over.ms, to: now, holdMs };
  const samples = looking.world.samples(device, attribute, { unit, from: stretch.from }) ?? [];
  const averaged = over.kind === "average" ? averageOf(samples, stretch) : changeOf(samples, stretch);
  return { ...seen, subject, value: averaged === undefined ? undefined : tidy(averaged) };
}

type Latest = Omit<Seen, "truth"> & {
  /** How long a value counts. */
  readonly holdMs: number;
};

function readLatest(looking: Looking, { device, attribute, unit, maxAgeMs }: AttributeRead): Latest {
  const { now } = looking.world;
  const found = looking.world.reading(device, attribute, unit);
  const about = { subject: `${device}.${attribute}`, attribute: { device, attribute }, causes: NO_CAUSES };
  if (found === undefined) return { ...about, value: undefined, ageMs: undefined, holdMs: 0 };
  const longest = maxAgeMs ?? Math.max(USUAL_TIMES * (found.usualMs ?? 0), LEAST_AGE_MS);
  const ageMs = Math.max(now - found.at, 0);
  const isFuture = found.at > now + CLOCK_MS;
  if (isFuture) looking.until = Math.min(looking.until, found.at - CLOCK_MS);
  else if (ageMs <= longest) looking.until = Math.min(looking.until, found.at + longest + 1);
  const value = isFuture || ageMs > longest ? undefined : plainOf(found.value);
  return { ...about, value, ageMs, holdMs: longest };
}

function plainOf(value: unknown): PlainValue | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

/** What has never been there is unknown, not stale. */
function lookAtAge(looking: Looking, { device, attribute, afterMs }: Extract<Leaf, { kind: "stale" }>): Seen {
  const { now } = looking.world;
  const found = looking.world.reading(device, attribute, undefined);
  const subject = `${device}.${attribute}`;
  const about = { subject, attribute: { device, attribute }, causes: NO_CAUSES };
  if (found === undefined) return { ...about, value: undefined, ageMs: undefined, truth: undefined };
  const ageMs = Math.max(now - found.at, 0);
  const truth = ageMs > afterMs;
  if (!truth) looking.until = Math.min(looking.until, found.at + afterMs + 1);
  return { ...about, value: plainOf(found.value), ageMs, truth };
}

function lookAtControl(looking: Looking, condition: Extract<Leaf, { kind: "control" | "holder" }>): Seen {
  const { device, control } = condition;
  const found = looking.world.control(device, control);
  const causes = recentCauses(looking, found);
  const subject = `control ${control} of ${device}`;
  if (condition.kind === "control") {
    const value = found?.value;
    return { subject, value, ageMs: undefined, truth: compare(looking, condition, value), causes };
  }
  const value = found === undefined ? undefined : (found.holder ?? "nobody");
  const truth = value === undefined ? undefined : value === condition.holder;
  return { subject: `holder of ${subject}`, value, ageMs: undefined, truth, causes };
}

interface Compared {
  /** Of a calendar: its hysteresis is its own. */
  readonly name?: string;
  readonly comparison: Comparison;
}

function compare(looking: Looking, compared: Compared, value: PlainValue | undefined): Truth {
  const { comparison } = compared;
  if (value === undefined && "hysteresis" in comparison && comparison.hysteresis > 0) remember(looking, compared);
  if (value === undefined) return undefined;
  if (comparison.kind === "equals") return comparison.values.includes(value);
  if (comparison.kind === "differs") return !comparison.values.includes(value);
  if (typeof value !== "number") return undefined;
  if (comparison.hysteresis === 0) return compareNumber(looking, comparison, { value, wasTrue: false });
  const wasTrue = looking.before.get(printOf(compared)) === true;
  const said = compareNumber(looking, comparison, { value, wasTrue });
  remember(looking, compared, said);
  return said;
}

/** What is unknown stays as it was. */
function remember({ before, memory }: Looking, compared: Compared, said?: Truth): void {
  const key = printOf(compared);
  const known = said ?? before.get(key);
  if (known !== undefined) memory.set(key, known);
}

type Ordered = Exclude<Comparison, { readonly kind: "equals" | "differs" }>;

/** A comparison that is true stays true until the value has gone back by the hysteresis. */
function compareNumber(
  looking: Looking,
  comparison: Ordered,
  { value, wasTrue }: { readonly value: number; readonly wasTrue: boolean },
): Truth {
  const room = wasTrue ? comparison.hysteresis : 0;
  if (comparison.kind === "between") {
    const [low, high] = [amountIn(looking, comparison.low), amountIn(looking, comparison.high)];
    return low === undefined || high === undefined ? undefined : value >= low - room && value <= high + room;
  }
  const threshold = amountIn(looking, comparison.threshold);
  if (threshold === undefined) return undefined;
  return comparison.kind === "above" ? value > threshold - room : value < threshold + room;
}

/** Undefined: what it is taken from is unknown. */
export function amountOf(world: RuleWorld, amount: Amount): number | undefined {
  return amountIn(lookFrom(world, NO_MEMORY), amount);
}

function amountIn(looking: Looking, amount: Amount): number | undefined {
  if (typeof amount === "number") return amount;
  const { times, plus, step, min, max } = amount;
  const value = sourceOf(looking, amount);
  if (typeof value !== "number" || !Number.isFinite(value)) return amount.unknown;
  const whole = tidy(value * times + plus);
  const computed = step === undefined ? whole : tidy(Math.trunc(tidy(whole / step)) * step);
  return Math.min(Math.max(computed, min ?? Number.NEGATIVE_INFINITY), max ?? Number.POSITIVE_INFINITY);
}

/** What factors leave behind 15 digits is noise. */
const tidy = (value: number): number => Number(value.toPrecision(15));

function sourceOf(looking: Looking, { from }: ComputedAmount): PlainValue | undefined {
  switch (from.kind) {
    case "variable":
      return looking.world.variable(from.name)?.value;
    case "calendar":
      return calendarNow(looking, from.name)?.value;
    case "tariff":
      return priceNow(looking, from.of);
    case "attribute":
      return readAttribute(looking, from).value;
    case "sum": {
      // All of them are looked at, so that it is known when to look again.
      const terms = from.of.map((one) => amountIn(looking, one));
      return terms.reduce((sum, term) => (sum === undefined || term === undefined ? undefined : sum + term), 0);
    }
    case "budget": {
      const { device, attribute, unit, everyMs } = from;
      const { value, holdMs } = readLatest(looking, from);
      const limit = amountIn(looking, from.limit);
      if (typeof value !== "number" || limit === undefined) return undefined;
      const { now } = looking.world;
      const samples = looking.world.samples(device, attribute, { unit, from: windowBegin(now, everyMs) }) ?? [];
      return budgetOf(samples, { now, everyMs, limit, holdMs });
    }
  }
}

/** Such as `sum of meter.power, charger.power`. */
function subjectOf({ from }: ComputedAmount): string {
  if (from.kind === "variable" || from.kind === "calendar") return `${from.kind} ${from.name}`;
  if (from.kind === "tariff") return `price ${from.of}`;
  if (from.kind !== "sum") return `${from.kind === "budget" ? "budget of " : ""}${from.device}.${from.attribute}`;
  const terms = from.of.map((term) => (typeof term === "number" ? String(term) : subjectOf(term)));
  return `sum of ${terms.join(", ")}`.slice(0, 200);
}
