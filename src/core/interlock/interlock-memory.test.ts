import { describe, expect, test } from "vitest";
import type { Claim } from "#core/control/claim.ts";
import { limitsOf, Watched } from "../../../test/support/interlock-site.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import { parseMemory, renderMemory } from "./interlock-memory.ts";

const ROUNDS = roundsOf("interlocks with restarts");
const MINUTE = 60_000;
const POWER = [{ device: "charger", control: "power", max: 0 }];
const HOT = {
  kind: "condition",
  when: { device: "room", attribute: "temperature", above: 40, hysteresis: 5 },
  hold_for: "5m",
  limits: POWER,
};
const KEEPING = { ...HOT, hold_for: "0s", when_unknown: "keep", keep_for: "2m" };
const CONNECTION = {
  kind: "connection",
  meter: { device: "meter", attribute: "power" },
  max_import: 10_000,
  loads: [{ device: "charger", control: "power" }],
};
const CONTACT = {
  kind: "grid_signal",
  from: { device: "contact", attribute: "dim" },
  failsafe_for: "10m",
  after_failsafe: "release",
  limits: POWER,
};
const CLAIMS = { ...CONTACT, from: "claims", limits: undefined, failsafe: POWER };

const shown = (outcome: ReturnType<Watched["evaluate"]>) =>
  `${outcome.state} since ${outcome.since}: ${limitsOf(outcome).join(" ")}`;

/** What is measured and claimed at this moment, for both. */
type Surroundings = (watched: Watched, now: number) => void;

/** A walk through random surroundings: what one says that never stops, and one that is killed or stopped again and again. */
interface Walk {
  readonly document: object;
  readonly surroundings: (random: () => number) => () => Surroundings;
  /** It is only stopped, never killed. */
  readonly isStopped?: boolean;
}

function* walk({ document, surroundings, isStopped = false }: Walk, seed: number) {
  const random = randomFrom(seed);
  const next = surroundings(random);
  const [steady, restarted] = [new Watched(document), new Watched(document)];
  let now = 1_800_000_000_000;
  for (let step = 0; step < 120; step += 1) {
    now += 1_000 + Math.floor(random() * (random() < 0.2 ? 60_000 : 10_000));
    const change = next();
    change(steady, now);
    change(restarted, now);
    const isRestarted = random() < 0.2;
    if (isRestarted) restarted.startAgain(now);
    yield { step, steady: steady.evaluate(now), restarted: restarted.evaluate(now) };
    restarted.store(now, isStopped || random() < 0.1);
  }
}

const temperatures = (random: () => number) => {
  let celsius = 37;
  return (): Surroundings => {
    const isSilent = random() < 0.2;
    celsius += (random() - 0.5) * 6;
    celsius += (38 - celsius) / 10;
    const value = celsius;
    return ({ readings }, now) => {
      if (!isSilent) readings["room.temperature"] = { value, at: now };
    };
  };
};

const powers = (random: () => number) => {
  let others = 5;
  return (): Surroundings => {
    others = Math.min(Math.max(others + (random() - 0.5) * 4, 0), 12);
    const [current, wanted, power] = [random() * 5_000, random() < 0.3 ? undefined : random() * 11_000, others];
    return (watched, now) => {
      watched.readings["meter.power"] = { value: power + current / 1_000, at: now };
      watched.loadings["charger.power"] = { current, wanted };
    };
  };
};

const contacts = (random: () => number) => {
  let [isDimmed, isDead] = [false, false];
  return (): Surroundings => {
    if (random() < 0.1) isDimmed = !isDimmed;
    if (random() < 0.05) isDead = !isDead;
    const [value, isSilent] = [isDimmed, isDead];
    return ({ readings }, now) => {
      if (!isSilent) readings["contact.dim"] = { value, at: now };
    };
  };
};

const claims = (random: () => number) => {
  let [value, renewal, isDead]: [number | "unlimited", number, boolean] = [5, 0, false];
  return (): Surroundings => {
    if (random() < 0.1) value = random() < 0.5 ? "unlimited" : Math.floor(random() * 9);
    if (random() < 0.05) isDead = !isDead;
    if (!isDead) renewal += 1;
    const claim = { id: "c", value, leaseUntil: renewal } as Claim;
    return (watched) => {
      watched.claims = () => [claim];
    };
  };
};

describe("with restarts as without", () => {
  test.each([
    ["a condition", { document: HOT, surroundings: temperatures }],
    ["a condition without a minimum time", { document: { ...HOT, hold_for: "0s" }, surroundings: temperatures }],
    ["a connection", { document: CONNECTION, surroundings: powers, isStopped: true }],
    ["claims of the grid operator", { document: CLAIMS, surroundings: claims }],
  ] as const)("%s", (_name, given) => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      for (const { step, steady, restarted } of walk(given, seed))
        expect(`${seed}/${step} ${shown(restarted)}`).toBe(`${seed}/${step} ${shown(steady)}`);
    }
  });

  // Times that every measurement moves on are stored every ten seconds only, so the careful side may come so much sooner.
  test.each([
    ["a condition that keeps what was known", { document: KEEPING, surroundings: temperatures }],
    ["a contact", { document: CONTACT, surroundings: contacts }],
  ] as const)("%s, or a little more careful", (_name, given) => {
    let differences = 0;
    let steps = 0;
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      for (const { step, steady, restarted } of walk(given, seed)) {
        steps += 1;
        if (restarted.state === steady.state) continue;
        differences += 1;
        expect(`${seed}/${step} ${restarted.state}`).toMatch(/ (blind|failsafe|init|holding)$/);
        expect(restarted.limits.length).toBeGreaterThan(0);
      }
    }
    expect(differences / steps).toBeLessThan(0.03);
  });
});

test("a memory that is too old, from the future, or missing leaves the careful side", () => {
  const between = (minutes: number, isHot: boolean) => {
    const watched = new Watched(HOT);
    watched.readings = { "room.temperature": { value: isHot ? 50 : 20, at: 0 } };
    watched.evaluate(0);
    watched.store(0);
    const now = minutes * MINUTE;
    watched.startAgain(now);
    watched.readings = { "room.temperature": { value: 38, at: now } };
    return watched.evaluate(now);
  };
  expect(between(10, false)).toMatchObject({ state: "idle", since: 0 });
  expect(between(11, false).state).toBe("holding");
  expect(between(-1, false).state).toBe("holding");
  // What held goes on, however long ago that was.
  expect(between(600, true)).toMatchObject({ state: "holding", since: 0 });
});

test("the last word of a contact from before a long stop is no sign of life", () => {
  const watched = new Watched(CONTACT);
  for (const second of [0, 5, 9]) {
    watched.readings = { "contact.dim": { value: false, at: second * 1_000 } };
    watched.evaluate(second * 1_000);
    watched.store(second * 1_000);
  }
  expect(watched.evaluate(10_000).state).toBe("unlimited");
  watched.startAgain(60_000);
  expect(watched.evaluate(60_000).state).toBe("unlimited");
  watched.startAgain(130_000);
  expect(watched.evaluate(130_000).state).toBe("failsafe");
});

test("nothing is stored while nothing changes, and a busy connection is stored every ten seconds", () => {
  const quiet = new Watched(HOT);
  const busy = new Watched(CONNECTION);
  for (let now = 0; now < 3_600_000; now += 1_000) {
    quiet.readings = { "room.temperature": { value: 20 + (now % 7_000) / 1_000, at: now } };
    busy.readings = { "meter.power": { value: 3 + (now % 11_000) / 10_000, at: now } };
    busy.loadings = { "charger.power": { current: now % 900, wanted: undefined } };
    for (const one of [quiet, busy]) {
      one.evaluate(now);
      one.store(now);
    }
  }
  expect(quiet.writes).toBeLessThanOrEqual(2);
  expect(busy.writes).toBeLessThanOrEqual(361);
});

test("what is no memory is none, and a control without a range keeps its own", () => {
  const good = { kind: "shared", state: "idle", since: 1, bases: new Map(), released: new Map() } as const;
  const released = new Map([["1 d power", { most: Infinity, better: 4, betterSince: undefined }]]);
  const endless = { ...good, released };
  expect(parseMemory(JSON.parse(JSON.stringify(renderMemory(endless))))).toEqual(endless);
  for (const bad of [
    null,
    5,
    [],
    {},
    { kind: "condition" },
    { kind: "condition", state: "idle", since: "x", isTrue: true, trueSince: 1 },
    { kind: "condition", state: "other", since: 1, isTrue: true, trueSince: 1 },
    { kind: "damaged", state: "damaged", since: 1 },
    { kind: "grid", state: "unlimited", since: 1, signs: [5], limitSigns: [] },
    { kind: "grid", state: "unlimited", since: 1, signs: [], limitSigns: "x" },
    { kind: "grid", state: "unlimited", since: 1, signs: [], limitSigns: [], heartbeatAt: "x" },
    { kind: "grid", state: "unlimited", since: 1, signs: [], limitSigns: [], limitAt: "x" },
    { kind: "grid", state: "unlimited", since: 1, signs: [], limitSigns: [], regainedAt: "x" },
    { kind: "condition", state: "idle", since: 1, isTrue: "x", trueSince: 1 },
    { kind: "condition", state: "idle", since: 1, isTrue: true, trueSince: "x" },
    { kind: "condition", state: "idle", since: 1, isTrue: true, trueSince: 1, knownAt: "x" },
    { ...good, bases: [], released: [["a", { most: null, better: 1 }]] },
    { ...good, bases: [[1, {}]], released: [] },
    { ...good, bases: [], released: Array(2_000).fill(["a", { most: 1, better: 1 }]) },
  ])
    expect([bad, parseMemory(bad)]).toEqual([bad, undefined]);
});
