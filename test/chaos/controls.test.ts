// kill -9 while claims are made on the demo plant: after each start the claims that were acknowledged hold, the values that count
// are those of the plain reference, and the devices are told.
import { expect, test, vi } from "vitest";
import type { Claim, ClaimClass, ClaimKind, ClaimValue } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import { naiveResolution } from "../support/naive-resolution.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { startVictim, type Victim } from "./victim.ts";

const ROUNDS = roundsOf("kills of claims");
const CLAIMS = 50;

type Known = Pick<Control, "safe" | "fallback"> & { readonly hasRamp: boolean };

/** What the example blueprints say of their controls, as far as the interface does not show it. */
const CONTROLS: Readonly<Record<string, Known>> = {
  "battery-rack-a/battery_power": { safe: "zero", fallback: undefined, hasRamp: false },
  "electrolyser/production_rate": { safe: "min", fallback: { kind: "value", value: 100 }, hasRamp: true },
  "roof-inverter/power_limit": { safe: "min", fallback: { kind: "value", value: 100 }, hasRamp: false },
  "wallbox/current_limit": { safe: "min", fallback: { kind: "value", value: 32 }, hasRamp: false },
};

interface WireClaim {
  readonly id: string;
  readonly kind: ClaimKind;
  readonly value: ClaimValue;
  readonly class: ClaimClass;
  readonly source: string;
  readonly lease_until: string;
  readonly created_at: string;
}

interface WireControl {
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
  readonly value: number | null;
  readonly written: number | null;
  readonly is_contradicted: boolean;
  readonly winner: WireClaim | null;
  readonly limited_by: readonly WireClaim[];
  readonly losers: readonly WireClaim[];
}

async function ask<Body>(victim: Victim, path: string, body?: object, token = victim.token): Promise<Body> {
  const answer = await fetch(new URL(path, victim.url), {
    method: body === undefined ? "GET" : "POST",
    headers: { "X-Service-Auth-Token": token, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const read = (await answer.json()) as Body;
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(read)}`);
  return read;
}

const pathOf = (control: string) => `/v3/devices/${control.replace("/", "/controls/")}`;

async function readControl(victim: Victim, name: string): Promise<WireControl> {
  return (await ask<{ control: WireControl }>(victim, pathOf(name))).control;
}

function claimsOf({ winner, limited_by, losers }: WireControl): readonly WireClaim[] {
  return [...new Map([winner, ...limited_by, ...losers].flatMap((one) => (one ? [[one.id, one]] : []))).values()];
}

/** Of one source, kind and control there is at most one claim. */
class Ledger {
  readonly #acknowledged = new Map<string, ClaimValue>();
  /** Asked for, and nobody knows whether they were stored. */
  readonly #open = new Map<string, ClaimValue[]>();
  count = 0;

  asked(key: string, value: ClaimValue): void {
    this.#open.set(key, [...(this.#open.get(key) ?? []), value]);
  }

  acknowledged(key: string, value: ClaimValue): void {
    this.count += 1;
    this.#acknowledged.set(key, value);
    this.#open.delete(key);
  }

  /** What is wrong with the claims that are there after a start. What is there counts from now on. */
  check(stored: ReadonlyMap<string, ClaimValue>): readonly string[] {
    const wrong: string[] = [];
    for (const [key, value] of this.#acknowledged) {
      const allowed = [value, ...(this.#open.get(key) ?? [])];
      const found = stored.get(key);
      if (found === undefined || !allowed.includes(found)) wrong.push(`${key}: ${found} instead of ${allowed.join()}`);
    }
    for (const [key, value] of stored) {
      const isKnown = this.#acknowledged.has(key) || this.#open.get(key)?.includes(value);
      if (!isKnown) wrong.push(`${key}: ${value} was never asked for`);
    }
    for (const [key, value] of stored) this.#acknowledged.set(key, value);
    this.#open.clear();
    return wrong;
  }
}

test("a kill under claims loses none, and what counts is what the reference says", async () => {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  console.log(`seed ${seed} (repeat with BUSBAR_TEST_SEED=${seed})`);
  const data = tempFolder();
  const ledger = new Ledger();
  let victim = await start(data);
  await removeInterlocks(victim);
  const tokens = [];
  for (const name of ["a", "b", "c", "d", "e"]) {
    tokens.push(await ask<{ id: string; token: string }>(victim, "/v3/tokens", { name, level: "installer" }));
  }
  for (let round = 1; round <= ROUNDS; round++) {
    const before = ledger.count;
    // The first round is not cut short, so that there are as many claims as said.
    const most = round === 1 ? CLAIMS : Math.floor(random() * CLAIMS);
    await makeClaims(victim, { tokens, ledger, random, most });
    victim.kill();
    expect(await victim.end).toBe("SIGKILL");
    victim = await start(data);
    const wrong: string[] = [];
    const stored = new Map<string, ClaimValue>();
    for (const [name, known] of Object.entries(CONTROLS)) {
      const control = await readControl(victim, name);
      // The demo has rules, too, which claim when they want.
      const own = claimsOf(control).filter(({ source }) => source.startsWith("token:"));
      for (const claim of own) stored.set(`${name} ${claim.source} ${claim.kind}`, claim.value);
      wrong.push(...differences(name, known, control));
    }
    wrong.push(...ledger.check(stored));
    expect({ round, wrong }).toEqual({ round, wrong: [] });
    await devicesAreTold(victim);
    console.log(`round ${round}: ${ledger.count - before} claims acknowledged, ${stored.size} hold`);
  }
});

function differences(name: string, known: Known, control: WireControl): readonly string[] {
  const { min, max, value, is_contradicted, winner } = control;
  const limits = { ...known, min, max, step: control.step ?? undefined };
  const claims = claimsOf(control).map(
    (claim): Claim => ({
      ...claim,
      deviceId: "",
      control: name,
      reason: "",
      cause: undefined,
      leaseUntil: Date.parse(claim.lease_until),
      createdAt: Date.parse(claim.created_at),
    }),
  );
  const right = naiveResolution(limits, claims, Date.now());
  const found = [value ?? undefined, winner?.id, is_contradicted];
  const wanted = [right.value, right.winner, right.isContradicted];
  return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`${name}: ${found} instead of ${wanted}`];
}

/** This is about claims alone. */
async function removeInterlocks(victim: Victim): Promise<void> {
  const { sites } = await ask<{ sites: readonly { id: string }[] }>(victim, "/v3/sites");
  const path = `/v3/sites/${sites[0]?.id}/interlocks`;
  const { interlocks } = await ask<{ interlocks: readonly { name: string }[] }>(victim, path);
  for (const { name } of interlocks) {
    const headers = { "X-Service-Auth-Token": victim.token };
    expect((await fetch(new URL(`${path}/${name}`, victim.url), { method: "DELETE", headers })).status).toBe(200);
  }
}

/** A ramp takes its time; the others have their value as soon as the device is there again. */
async function devicesAreTold(victim: Victim): Promise<void> {
  for (const [name, { hasRamp }] of Object.entries(CONTROLS)) {
    const isTold = async () => {
      const { value, written } = await readControl(victim, name);
      if (hasRamp) expect(written).not.toBeNull();
      else expect({ name, written }).toEqual({ name, written: value });
    };
    await vi.waitFor(isTold, { timeout: 60_000, interval: 200 });
  }
}

interface Load {
  readonly tokens: readonly { readonly id: string; readonly token: string }[];
  readonly ledger: Ledger;
  readonly random: () => number;
  /** After so many answers the program is killed. */
  readonly most: number;
}

async function makeClaims(victim: Victim, { tokens, ledger, random, most }: Load): Promise<void> {
  const before = ledger.count;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const names = Object.keys(CONTROLS);
  const jobs = names.flatMap((name) =>
    tokens.flatMap(({ id, token }) => (["target", "min", "max"] as const).map((kind) => ({ name, id, token, kind }))),
  );
  const ranges = new Map<string, WireControl>();
  const lane = async (): Promise<void> => {
    for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
      const { name, id, token, kind } = next;
      const { min, max } = ranges.get(name) ?? { min: 0, max: 0 };
      const key = `${name} token:${id} ${kind}`;
      const some = Math.round(min + random() * (max - min));
      const value: ClaimValue = pick([some, some, some, null, kind === "target" ? null : "unlimited"]);
      const claimClass = kind === "target" ? pick(["person", "rule", "plan"]) : pick(["grid", "person", "rule"]);
      const body = { kind, value, class: claimClass, reason: "under load", lease: "20h" };
      ledger.asked(key, value);
      await ask(victim, `${pathOf(name)}/claims`, body, token);
      ledger.acknowledged(key, value);
      if (ledger.count - before >= most) victim.kill();
    }
  };
  const todo = Array.from({ length: CLAIMS }, () => jobs.splice(Math.floor(random() * jobs.length), 1)[0]).filter(
    (job) => job !== undefined,
  );
  let isDead = false;
  const watch = victim.end.then(() => {
    isDead = true;
  });
  try {
    for (const name of names) ranges.set(name, await readControl(victim, name));
    // Claims of one source and kind never overtake each other: each is asked for once in a round.
    await Promise.all([lane(), lane(), lane(), lane()]);
  } catch (error) {
    await Promise.race([watch, new Promise((resolve) => setTimeout(resolve, 5_000))]);
    if (!isDead) throw error;
  }
}

async function start(data: string): Promise<Victim> {
  const victim = await startVictim(data, undefined, ["--demo", "--demo-history", "1d", "--mqtt-port", "0"]);
  if (victim === undefined) throw new Error("without a failpoint nothing kills the program");
  return victim;
}
