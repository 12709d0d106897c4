import { CLAIM_CLASSES, CLAIM_KINDS, type Claim, type ClaimValue } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import { type LimitClaim, limitClaim } from "#core/interlock/apply-limits.ts";
import { randomFrom } from "../../support/random.ts";
import { ControlWorld, RULES, type Rules } from "./control-world.ts";

const CONTROL: Control = {
  id: "power",
  displayName: "Power",
  unit: "W",
  command: "set_power",
  argument: "power",
  argumentType: "float",
  toArgument: { factor: 1, offset: 0 },
  arguments: new Map(),
  reads: { attribute: "power", fromReading: { factor: 1, offset: 0 } },
  min: -10,
  max: 10,
  step: undefined,
  refreshMs: undefined,
  tolerance: 0.1,
  settleMs: 20_000,
  ramp: undefined,
  intervalMs: 1000,
  safe: "zero",
  prepare: undefined,
  fallback: { kind: "command", command: "release", arguments: new Map(), value: undefined },
  profile: undefined,
};

/** Plays one random schedule to its end and gives what it broke. */
export function playControlSchedule(seed: number, rules: Partial<Rules> = {}): readonly string[] {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const control: Control = {
    ...CONTROL,
    refreshMs: pick([undefined, 30_000]),
    ramp: pick([undefined, 1]),
    step: pick([undefined, 0.5]),
    intervalMs: pick([1000, 5000]),
    safe: pick(["min", "max", "zero"] as const),
  };
  const world = new ControlWorld(control, random, { ...RULES, ...rules });
  for (let step = 0; step < 15 + random() * 25; step += 1) {
    const dice = random();
    if (dice < 0.55) world.claim(randomClaim(world, random));
    else if (dice < 0.62) world.release(pick(["a", "b", "c", "d"]));
    else if (dice < 0.7 && world.isUp) world.crash();
    else if (dice < 0.8) world.cut();
    else if (dice < 0.86) world.loseWrites(random() < 0.5);
    else if (dice < 0.9) world.jump((random() - 0.5) * 600_000);
    else if (dice < 0.96) world.limit(randomLimits(random));
    else world.limit([]);
    if (!world.isUp && random() < 0.7) world.start();
    if (!world.isReachable && random() < 0.6) world.connect();
    world.pass(random() < 0.7 ? random() * 15 : random() * 240);
  }
  world.limit([]);
  world.loseWrites(false);
  if (!world.isUp) world.start();
  world.connect();
  world.claims = world.claims.map((claim) => ({
    ...claim,
    leaseUntil: Math.min(claim.leaseUntil, world.now + 30_000),
  }));
  world.isCalm = true;
  world.pass(240);
  world.checkEnd();
  return [...new Set(world.violations)];
}

/** One or two limits, which may exclude each other. After a start nothing may be known yet. */
function randomLimits(random: () => number): readonly LimitClaim[] {
  const isWaiting = random() < 0.3;
  const limit = (kind: "min" | "max"): LimitClaim => {
    const value = Math.floor(random() * 19) - 9;
    const names = { name: kind, class: "interlock", reason: "", deviceId: "d", control: "power", since: 0 } as const;
    return { claim: limitClaim({ ...names, kind, value }), isHolding: !isWaiting && random() < 0.7, isWaiting };
  };
  const kinds = [["max"], ["min"], ["min", "max"]] as const;
  return (kinds[Math.floor(random() * kinds.length)] ?? kinds[0]).map(limit);
}

function randomClaim(world: ControlWorld, random: () => number): Claim {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const kind = pick([...CLAIM_KINDS, "target"] as const);
  const some = Math.floor(random() * 25) - 12;
  const value: ClaimValue = pick([some, some, some, 0, null, kind === "target" ? null : "unlimited"]);
  return {
    id: pick(["a", "b", "c", "d"]),
    deviceId: "d",
    control: "power",
    kind,
    value,
    class: kind === "target" ? pick(["person", "rule", "plan"] as const) : pick(CLAIM_CLASSES),
    source: "s",
    reason: "",
    leaseUntil: world.now + Math.floor(random() * 240_000),
    createdAt: world.now,
    cause: undefined,
  };
}
