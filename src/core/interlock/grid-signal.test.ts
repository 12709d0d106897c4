import { expect, test } from "vitest";
import type { Claim } from "#core/control/claim.ts";
import { limitsOf, Watched } from "../../../test/support/interlock-site.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { type GridMemory, startGridSignal, stepGridSignal } from "./grid-signal.ts";

const LIMITS = [{ device: "charger", control: "power", max: 4_200 }];
const CONTACT = { kind: "grid_signal", from: { device: "contact", attribute: "dim" }, limits: LIMITS };

function watchContact(changes: object = {}) {
  const watched = new Watched({ ...CONTACT, ...changes });
  return (second: number, dim?: boolean) => {
    const now = second * 1000;
    if (dim !== undefined) watched.readings = { "contact.dim": { value: dim, at: now } };
    const outcome = watched.evaluate(now);
    return [outcome.state, ...limitsOf(outcome)].join(" ");
  };
}

test("a contact limits, is released, and leads to failsafe when it falls silent", () => {
  const at = watchContact();
  expect(at(0)).toBe("init charger.power<=4200!");
  expect(at(119)).toBe("init charger.power<=4200!");
  expect(at(120)).toBe("failsafe charger.power<=4200!");
  expect(at(130, false)).toBe("unlimited");
  expect(at(140, true)).toBe("limited charger.power<=4200!");
  expect(at(150, false)).toBe("unlimited");
  expect(at(269)).toBe("unlimited");
  expect(at(270)).toBe("failsafe charger.power<=4200!");
  // Not even after the time of the failsafe.
  expect(at(100_000)).toBe("failsafe charger.power<=4200!");
  expect(at(100_001, false)).toBe("unlimited");
});

test("what a contact said before the start is no sign of life", () => {
  const at = watchContact();
  expect(at(10, false)).toBe("init charger.power<=4200!");
  expect(at(11)).toBe("init charger.power<=4200!");
  expect(at(12, false)).toBe("unlimited");
});

test("failsafe has values of its own, and may end by itself only where the document says so", () => {
  const at = watchContact({
    failsafe: [{ device: "charger", control: "power", max: 0 }],
    failsafe_for: "1h",
    after_failsafe: "release",
  });
  expect(at(0)).toBe("init charger.power<=0!");
  expect(at(120)).toBe("failsafe charger.power<=0!");
  expect(at(3_719)).toBe("failsafe charger.power<=0!");
  expect(at(3_720)).toBe("autonomous");
  expect(at(3_730, true)).toBe("limited charger.power<=4200!");
});

test("claims: renewing is the heartbeat, and only a limit that follows it leads out of failsafe", () => {
  const watched = new Watched({ kind: "grid_signal", from: "claims", failsafe: LIMITS });
  const claim = (id: string, value: Claim["value"], leaseUntil: number): Claim => ({
    id,
    deviceId: "charger",
    control: "power",
    kind: "max",
    value,
    class: "grid",
    source: "token:1",
    reason: "",
    leaseUntil,
    createdAt: 0,
    cause: undefined,
  });
  const at = (second: number, ...claims: readonly Claim[]) => {
    watched.claims = () => claims;
    const outcome = watched.evaluate(second * 1000);
    return [outcome.state, ...limitsOf(outcome)].join(" ");
  };
  const failsafe = "charger.power<=4200!";
  // A claim that a restart has kept.
  expect(at(0, claim("a", 5_000, 60))).toBe(`init ${failsafe}`);
  expect(at(10, claim("a", 5_000, 70))).toBe(`init ${failsafe}`);
  expect(at(20, claim("b", null, 80))).toBe(`init ${failsafe}`);
  expect(at(30, claim("c", 5_000, 90))).toBe("limited");
  expect(at(100, claim("c", 5_000, 160))).toBe("limited");
  expect(at(110, claim("d", "unlimited", 170))).toBe("unlimited");
  // A claim that ends is no sign of life, and nobody is without a limit because of it.
  expect(at(170)).toBe(`failsafe ${failsafe}`);
  expect(at(171, claim("e", "unlimited", 500))).toBe("unlimited");
  expect(at(290, claim("e", "unlimited", 500))).toBe("unlimited");
  expect(at(291, claim("e", "unlimited", 500))).toBe(`failsafe ${failsafe}`);
  expect(at(300, claim("e", "unlimited", 600))).toBe(`failsafe ${failsafe}`);
  expect(at(310, claim("f", 3_000, 600))).toBe("limited");
});

test("random signals: unlimited only with a heartbeat and a limit after it, whatever the clock does", () => {
  const times = { heartbeatMs: 120_000, failsafeMs: 600_000, afterFailsafe: "stay" } as const;
  for (let seed = 1; seed <= 1_000; seed += 1) {
    const random = randomFrom(seed);
    let clock = 1_000_000;
    let passed = 0;
    let memory: GridMemory = startGridSignal({ signs: [], limitSigns: [], isLimited: undefined }, clock);
    let beat = 0;
    let limit = 0;
    let isLimited: boolean | undefined;
    let beatAt = -Infinity;
    let silentUntil = 0;
    let limitAt = -Infinity;
    for (let step = 0; step < 60; step += 1) {
      const milliseconds = random() < 0.8 ? random() * 30_000 : random() * 300_000;
      passed += milliseconds;
      clock += milliseconds;
      if (random() < 0.1) clock -= random() * 200_000;
      if (passed - beatAt >= times.heartbeatMs) silentUntil = passed;
      if (random() < 0.5) {
        beat += 1;
        beatAt = passed;
        if (random() < 0.4) {
          limit += 1;
          isLimited = random() < 0.5;
          limitAt = passed;
        }
      }
      memory = stepGridSignal(times, memory, {
        heard: { signs: [`${beat}`], limitSigns: limit === 0 ? [] : [`${limit}`], isLimited },
        now: clock,
      });
      const isOpen = memory.state === "unlimited" || memory.state === "limited";
      // A clock that was set back makes a heartbeat last at most as long as it was set back for, never without any.
      if (isOpen)
        expect([
          seed,
          step,
          limitAt > -Infinity,
          beatAt > -Infinity,
          limitAt >= silentUntil || clock < passed + 1_000_000,
        ]).toEqual([seed, step, true, true, true]);
      if (isOpen) expect(memory.state).toBe(isLimited === true ? "limited" : "unlimited");
      if (beatAt === passed && limitAt === passed) expect(isOpen).toBe(true);
    }
  }
});
