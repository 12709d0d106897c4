// Random rules, values, silences and restarts, compared with a plain reading of the whole history. The reference looks at each second
// from the beginning and stores nothing between them. Bugs that are planted into the machine are found.
import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { ruleOf } from "../../../test/support/rule-run.ts";
import { parseRuleState } from "./parse-rule-state.ts";
import { type DeclarativeRule, MOST_PER_MINUTE } from "./rule.ts";
import { NEW_STATE, type RuleState, renderRuleState } from "./rule-state.ts";
import type { RuleWorld } from "./rule-world.ts";
import { type RuleEvent, stepRule } from "./step-rule.ts";

const SECONDS = 300;
const START = Date.UTC(2026, 5, 1);
/** A value is unknown from this second of its age on. */
const FRESH = 10;
const LEASE = 9;

interface Case {
  readonly seed: number;
  readonly above: number;
  readonly hysteresis: number;
  readonly forS: number;
  readonly minOn: number;
  readonly minOff: number;
  readonly wait: number;
  readonly hasIf: boolean;
  /** By second. Undefined: nothing came. */
  readonly power: readonly (number | undefined)[];
  readonly soc: readonly (number | undefined)[];
  /** Seconds in which the service is off. */
  readonly isOff: readonly boolean[];
}

function randomCase(seed: number): Case {
  const random = randomFrom(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const series = () => {
    let isSilent = false;
    let value = upTo(10);
    return Array.from({ length: SECONDS }, () => {
      if (random() < 0.03) isSilent = !isSilent;
      if (random() < 0.15) value = upTo(10);
      return isSilent || random() < 0.3 ? undefined : value;
    });
  };
  const isOff = Array<boolean>(SECONDS).fill(false);
  for (let n = upTo(4); n > 0; n -= 1) {
    const from = 1 + upTo(SECONDS - 2);
    isOff.fill(true, from, Math.min(from + upTo(40), SECONDS - 1));
  }
  return {
    seed,
    above: 3 + upTo(4),
    hysteresis: upTo(2) * 1.5,
    forS: random() < 0.5 ? 0 : upTo(20),
    minOn: random() < 0.5 ? 0 : upTo(25),
    minOff: random() < 0.5 ? 0 : upTo(25),
    wait: 1 + upTo(15),
    hasIf: random() < 0.5,
    power: series(),
    soc: series(),
    isOff,
  };
}

const textOf = (given: Case): string => `
when: { device: meter, attribute: power, above: ${given.above}, hysteresis: ${given.hysteresis}, max_age: ${FRESH * 1000 - 1}ms }
for: ${given.forS}s
${given.hasIf ? `if: { device: battery, attribute: soc, below: 6, max_age: ${FRESH * 1000 - 1}ms }` : ""}
min_on: ${given.minOn}s
min_off: ${given.minOff}s
then: [{ notify: a }, { claim: power, device: charger, max: 0, lease: ${LEASE}s }, { wait: ${given.wait}s }, { notify: b }]
else: [{ notify: c }, { claim: power, device: boiler, max: 0, lease: ${LEASE}s }, { wait: ${given.wait}s }, { notify: d }]
`;

interface Happened {
  /** `second what`. */
  readonly log: readonly string[];
  /** Seconds at which the claim holds. */
  readonly held: ReadonlySet<number>;
  /** What `else` claims. */
  readonly heldOff: ReadonlySet<number>;
}

type Driving = "each second" | "when due" | "when due and at random";

/** Ways to break the machine. */
interface Sabotage {
  readonly rule?: (rule: DeclarativeRule) => DeclarativeRule;
  readonly state?: (state: RuleState) => RuleState;
  readonly world?: (world: RuleWorld) => RuleWorld;
  readonly hasHistory?: boolean;
}

function drive(given: Case, driving: Driving, sabotage: Sabotage = {}): Happened {
  const rule = (sabotage.rule ?? ((one) => one))(ruleOf(textOf(given)));
  const random = randomFrom(given.seed + 7);
  const samples = (list: Case["power"]) =>
    list.flatMap((value, second) => (value === undefined ? [] : [{ at: START + second * 1000, value }]));
  const stored = new Map([
    ["power", samples(given.power)],
    ["soc", samples(given.soc)],
  ]);
  const log: string[] = [];
  const [held, heldOff] = [new Set<number>(), new Set<number>()];
  let state: RuleState = NEW_STATE;
  let nextDue: number | undefined = START;
  let [leaseUntil, leaseOffUntil] = [0, 0];
  let wasOff = true;
  const step = (now: number, event: RuleEvent) => {
    const world: RuleWorld = {
      now,
      timezone: "UTC",
      location: undefined,
      reading: (_, attribute) => {
        const last = stored.get(attribute)?.findLast(({ at }) => at <= now);
        return last && { ...last, usualMs: undefined };
      },
      samples: () => undefined,
      isOnline: () => undefined,
      alerts: () => undefined,
      variable: () => undefined,
      control: () => undefined,
      nextCron: () => undefined,
      calendar: () => undefined,
      price: () => undefined,
    };
    const seen = (sabotage.world ?? ((one) => one))(world);
    const found = stepRule({ id: "r", rule }, parseRuleState(renderRuleState(state)).state, { world: seen, event });
    state = (sabotage.state ?? ((one) => one))(found.state);
    nextDue = found.nextDue;
    if (nextDue !== undefined) expect(nextDue).toBeGreaterThan(now);
    for (const effect of found.effects) {
      if (effect.kind === "notify") log.push(`${(now - START) / 1000} ${effect.text}`);
      if (effect.kind === "claim" && effect.device === "boiler") leaseOffUntil = effect.leaseUntil;
      else if (effect.kind === "claim") leaseUntil = effect.leaseUntil;
      if (effect.kind === "release" && effect.device === "boiler") leaseOffUntil = 0;
      else if (effect.kind === "release") {
        log.push(`${(now - START) / 1000} release`);
        leaseUntil = 0;
      }
    }
  };
  for (let second = 0; second < SECONDS; second += 1) {
    const now = START + second * 1000;
    const isOff = given.isOff[second] === true;
    const hasNews = given.power[second] !== undefined || given.soc[second] !== undefined;
    const isDue = nextDue !== undefined && nextDue <= now;
    if (!isOff && wasOff)
      step(now, {
        kind: "start",
        history:
          sabotage.hasHistory === false
            ? undefined
            : ({ attribute }, from, to) => (stored.get(attribute) ?? []).filter(({ at }) => at >= from && at <= to),
      });
    else if (!isOff && (driving === "each second" || hasNews || isDue || (driving !== "when due" && random() < 0.3)))
      step(now, { kind: "tick" });
    wasOff = isOff;
    if (leaseUntil > now) held.add(second);
    if (leaseOffUntil > now) heldOff.add(second);
  }
  return { log, held, heldOff };
}

/** What should happen. */
function reference(given: Case): Happened & Record<"wanted" | "wantedOff", ReadonlySet<number>> {
  const truths = (list: Case["power"], isMet: (value: number, wasMet: boolean) => boolean) => {
    let was = false;
    return list.map((_, second) => {
      const recent = list.slice(Math.max(second - FRESH + 1, 0), second + 1).findLast((value) => value !== undefined);
      if (recent === undefined) return undefined;
      was = isMet(recent, was);
      return was;
    });
  };
  const when = truths(given.power, (value, wasMet) => value > given.above - (wasMet ? given.hysteresis : 0));
  const also = given.hasIf ? truths(given.soc, (value) => value < 6) : when.map(() => true);
  const both = when.map((truth, second) => {
    if (truth === false || also[second] === false) return false;
    return truth === undefined || also[second] === undefined ? undefined : true;
  });
  /** Seconds that it was known to be true since it was last false. */
  const trueFor = (second: number) => {
    const since = when.slice(0, second).lastIndexOf(false) + 1;
    return when.slice(since, second).filter((truth) => truth === true).length;
  };
  const log: string[] = [];
  const [held, heldOff] = [new Set<number>(), new Set<number>()];
  const [wanted, wantedOff] = [new Set<number>(), new Set<number>()];
  let isOn = false;
  let changed = Number.NEGATIVE_INFINITY;
  let waitingFor: { readonly at: number; readonly what: string } | undefined;
  let lastSeen = -1;
  for (let second = 0; second < SECONDS; second += 1) {
    if (given.isOff[second] === true) continue;
    const said: string[] = [];
    const turn = (to: boolean) => {
      isOn = to;
      changed = second;
      said.length = 0;
      said.push(to ? "a" : "c");
      waitingFor = { at: second + given.wait, what: to ? "b" : "d" };
      if (!to) released = true;
    };
    let released = false;
    // Had it been running, it would have turned off.
    const missed = both.some((truth, n) => truth === false && n > lastSeen && n < second && n - changed >= given.minOn);
    if (isOn && missed && second - changed >= given.minOn) turn(false);
    if (isOn && both[second] === false && second - changed >= given.minOn) turn(false);
    else if (!isOn && both[second] === true && trueFor(second) >= given.forS && second - changed >= given.minOff)
      turn(true);
    lastSeen = second;
    if (waitingFor !== undefined && second >= waitingFor.at) {
      said.push(waitingFor.what);
      waitingFor = undefined;
    }
    for (const what of said) if (recentMessages(log, second) < MOST_PER_MINUTE) log.push(`${second} ${what}`);
    // Turned off and on again in the same second: the claim goes on.
    if (released && !isOn) log.push(`${second} release`);
    if (isOn && (both[second] === true || second - changed < given.minOn)) wanted.add(second);
    if (!isOn && (both[second] !== undefined || second - changed < given.minOff)) wantedOff.add(second);
  }
  return { log, held, heldOff, wanted, wantedOff };
}

const recentMessages = (log: readonly string[], second: number): number =>
  log.filter((line) => !line.endsWith("release") && second - Number.parseInt(line, 10) < 60).length;

function differs(given: Case, driving: Driving, sabotage?: Sabotage): string | undefined {
  const [found, expected] = [drive(given, driving, sabotage), reference(given)];
  const [mine, theirs] = [found.log.join("; "), expected.log.join("; ")];
  if (mine !== theirs) return `\n${mine}\nshould be\n${theirs}`;
  const isLive = (second: number) => given.isOff[second] !== true;
  for (let second = 0; second < SECONDS; second += 1) {
    // A claim that is not renewed ends with its lease.
    const recent = Array.from({ length: LEASE }, (_, n) => second - n);
    for (const [name, wanted, held] of [
      ["claim", expected.wanted, found.held],
      ["claim of else", expected.wantedOff, found.heldOff],
    ] as const) {
      if (isLive(second) && wanted.has(second) && !held.has(second)) return `no ${name} at ${second}`;
      if (held.has(second) && !recent.some((one) => wanted.has(one))) return `a ${name} at ${second}`;
    }
  }
  return undefined;
}

const CASES = Array.from({ length: process.env["BUSBAR_LONG"] === "1" ? 1_500 : 30 }, (_, n) => randomCase(n + 1));

test.each(["each second", "when due", "when due and at random"] as const)(
  "as the reference says, stepped %s",
  (driving) => {
    for (const given of CASES) expect([given.seed, differs(given, driving)]).toEqual([given.seed, undefined]);
  },
);

const less = (rule: DeclarativeRule, changes: Partial<DeclarativeRule>): DeclarativeRule => ({ ...rule, ...changes });

test.each<readonly [string, Sabotage]>([
  ["`for` is a second too short", { rule: (rule) => less(rule, { forMs: Math.max(rule.forMs - 1000, 0) }) }],
  ["the minimum time is not kept", { rule: (rule) => less(rule, { minOnMs: 0 }) }],
  ["the minimum pause is not kept", { rule: (rule) => less(rule, { minOffMs: 0 }) }],
  ["`if` is left out", { rule: (rule) => less(rule, { condition: undefined }) }],
  ["hysteresis is forgotten", { state: (state) => ({ ...state, memory: [] }) }],
  ["unknown is taken for false", { world: (world) => staleAsZero(world) }],
  ["unknown counts for `for`", { state: (state) => ({ ...state, pausedAt: null }) }],
  ["a restart forgets since when it is true", { hasHistory: false }],
  [
    "a restart forgets that it is on",
    { state: (state) => (state.isOn ? { ...state, isOn: state.seenAt !== null && state.seenAt % 3 !== 0 } : state) },
  ],
  ["a wait is forgotten", { state: (state) => ({ ...state, runs: [] }) }],
  ["claims are forgotten", { state: (state) => ({ ...state, claims: [] }) }],
  [
    "claims are not renewed",
    { state: (state) => ({ ...state, claims: state.claims.map((one) => ({ ...one, sentAt: state.seenAt })) }) },
  ],
])("a planted bug is found: %s", (_, sabotage) => {
  expect(CASES.some((given) => differs(given, "each second", sabotage) !== undefined)).toBe(true);
});

function staleAsZero(world: RuleWorld): RuleWorld {
  return {
    ...world,
    reading: (device, attribute, unit) => {
      const found = world.reading(device, attribute, unit);
      return found && world.now - found.at >= FRESH * 1000 ? { ...found, at: world.now, value: 0 } : found;
    },
  };
}
