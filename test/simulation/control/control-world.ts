// One controlled device in simulated time: its gateway is killed and started again, the device is away for a while, writes are
// lost, and the clock is set. A referee looks at every write.
import type { Claim } from "#core/control/claim.ts";
import type { Control } from "#core/control/control.ts";
import {
  type ControlState,
  NEVER_WRITTEN,
  planWrite,
  startedAnew,
  type Write,
  writeEnded,
} from "#core/control/control-writer.ts";
import { resolveClaims } from "#core/control/resolve-claims.ts";
import { applyLimits, type LimitClaim } from "#core/interlock/apply-limits.ts";
import { naiveResolution } from "../../support/naive-resolution.ts";

export const RULES = {
  applyLimits,
  resolveClaims,
  planWrite,
  writeEnded,
  restarted: startedAnew,
  reconnected: startedAnew,
};
export type Rules = typeof RULES;

export class ControlWorld {
  /** The clock on the wall, which may be set. */
  now = 1_000_000;
  /** Time that really passed. */
  passed = 0;
  isUp = true;
  isReachable = true;
  /** No more kills. */
  isCalm = false;
  claims: Claim[] = [];
  /** Those of interlocks, which hold whatever anybody claims. */
  limits: readonly LimitClaim[] = [];
  readonly violations: string[] = [];
  /** What is on disk. */
  state: ControlState = NEVER_WRITTEN;
  /** The value that the device keeps; undefined: it runs by itself. */
  device: { readonly value: number; readonly since: number } | undefined;
  readonly #control: Control;
  readonly #rules: Rules;
  readonly #random: () => number;
  #isLossy = false;
  #pending: { readonly endsAt: number; readonly isDone: boolean } | undefined;
  #last: { readonly write: Write; readonly at: number; isSure: boolean } | undefined;
  #settledAt = 0;
  #heldFrom: number | undefined;
  /** Before this turn. */
  #wasHeld = false;

  constructor(control: Control, random: () => number, rules: Rules) {
    this.#control = control;
    this.#random = random;
    this.#rules = rules;
  }

  claim(claim: Claim): void {
    this.claims = [...this.claims.filter(({ id }) => id !== claim.id), claim];
    this.#settledAt = this.passed;
  }

  release(id: string): void {
    this.claims = this.claims.filter((claim) => claim.id !== id);
    this.#settledAt = this.passed;
  }

  limit(limits: readonly LimitClaim[]): void {
    this.limits = limits;
    this.#forgive();
  }

  crash(): void {
    this.isUp = false;
    this.#pending = undefined;
  }

  start(): void {
    this.isUp = true;
    this.state = this.#rules.restarted(this.state);
    this.#forgive();
  }

  cut(): void {
    this.isReachable = false;
    this.#forgive();
  }

  connect(): void {
    if (this.isReachable) return;
    this.#pending = undefined;
    if (this.isUp) this.state = this.#rules.reconnected(this.state);
    this.isReachable = true;
    // A device that was away may have lost its value.
    if (this.#random() < 0.3) this.device = undefined;
    this.#forgive();
  }

  loseWrites(isLossy: boolean): void {
    this.#isLossy = isLossy;
    this.#forgive();
  }

  jump(milliseconds: number): void {
    this.now += milliseconds;
    this.#forgive();
  }

  /** Lets time pass, a second at a time. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      this.now += 1000;
      this.passed += 1000;
      this.#watchdog();
      if (this.isUp) this.#turn();
      this.#checkCalm();
    }
  }

  #forgive(): void {
    if (this.#last !== undefined) this.#last.isSure = false;
    this.#settledAt = this.passed;
  }

  #watchdog(): void {
    const { refreshMs } = this.#control;
    if (refreshMs !== undefined && this.device !== undefined && this.passed - this.device.since > refreshMs) {
      this.device = undefined;
    }
  }

  #turn(): void {
    const pending = this.#pending;
    if (pending !== undefined && this.passed >= pending.endsAt) {
      this.#pending = undefined;
      if (!pending.isDone) this.#forgive();
      this.state = this.#rules.writeEnded(this.state, pending.isDone);
    }
    const given = { claims: this.claims, state: this.state, current: this.device?.value, heldFrom: this.#heldFrom };
    const limited = this.#rules.applyLimits(this.#control, given, { limits: this.limits, now: this.now });
    this.#heldFrom = limited.heldFrom;
    const { value, bounds } = this.#rules.resolveClaims(this.#control, limited.claims, this.now);
    const reading = this.isReachable ? { value: this.device?.value ?? 0, at: this.now } : undefined;
    const situation = { now: this.now, value, bounds, reading, isReachable: this.isReachable };
    this.#wasHeld = this.state.isHeld;
    const plan = this.#rules.planWrite(this.#control, this.state, situation);
    this.state = plan.state;
    if (plan.write !== undefined) this.#send(plan.write);
  }

  #send(write: Write): void {
    this.#judge(write);
    // A kill between the record and the write.
    if (!this.isCalm && this.#random() < 0.02) {
      this.crash();
      return;
    }
    const isLost = this.#isLossy && this.#random() < 0.6;
    if (!isLost) {
      this.device = write.kind === "value" ? { value: write.value, since: this.passed } : undefined;
    }
    const isAnswerLost = this.#isLossy && this.#random() < 0.4;
    const endsAt = this.passed + Math.floor(this.#random() * 4) * 1000;
    this.#pending = { endsAt, isDone: !isLost && !isAnswerLost };
  }

  #judge(write: Write): void {
    const own = this.claims.filter(({ leaseUntil, value }) => leaseUntil > this.now && typeof value === "number");
    const limits = this.limits.map(({ claim }) => claim);
    const interlocks = [...limits, ...own.filter((claim) => claim.class === "interlock")];
    const allowed = naiveResolution(this.#control, interlocks, this.now);
    if (write.kind === "value" && (write.value < allowed.min || write.value > allowed.max))
      this.violations.push(`${write.value} is against an interlock of ${allowed.min} to ${allowed.max}`);
    if (write.kind === "fallback" && this.limits.some(({ isHolding, isWaiting }) => isHolding || isWaiting))
      this.violations.push("a fallback that does not keep an interlock");
    const isWaiting = limits.length > 0 && this.limits.every((limit) => limit.isWaiting);
    if (isWaiting && own.length === 0 && !this.#wasHeld)
      this.violations.push("a device that nobody controls is told something before anything is known");
    const isFree = limits.length > 0 && own.length === 0;
    const right = naiveResolution(this.#control, [...this.claims, ...limits], this.now);
    const last = this.#last;
    const since = last === undefined ? Infinity : this.passed - last.at;
    if (this.#pending !== undefined) this.violations.push("two writes at once");
    if (!this.isReachable) this.violations.push("a write to a device that is away");
    if (last?.isSure && since < this.#control.intervalMs) this.violations.push(`a write after ${since} ms`);
    if (write.kind === "fallback" && right.value !== undefined && !isFree)
      this.violations.push("a fallback beside a claim");
    if (write.kind === "value" && right.value === undefined) this.violations.push("a value beyond every lease");
    if (write.kind === "value" && (write.value < right.min || write.value > right.max))
      this.violations.push(`${write.value} is against a limit of ${right.min} to ${right.max}`);
    const isSame = JSON.stringify(last?.write) === JSON.stringify(write);
    const isRefresh = this.#control.refreshMs !== undefined && since >= this.#control.refreshMs / 2;
    if (last?.isSure && isSame && !isRefresh) this.violations.push("the same write twice");
    this.#last = { write, at: this.passed, isSure: true };
  }

  /** A minute after the last trouble the device does what the claims say. */
  #checkCalm(): void {
    if (this.passed - this.#settledAt < 100_000 || !this.isUp || !this.isReachable) return;
    if (this.limits.length > 0) {
      const claims = [
        ...this.limits.map(({ claim }) => claim),
        ...this.claims.filter((one) => one.class === "interlock"),
      ];
      const { min, max } = naiveResolution(this.#control, claims, this.now);
      const isHolding = this.limits.some((limit) => limit.isHolding);
      const value = this.device?.value;
      if (isHolding && (value === undefined || value < min || value > max))
        this.violations.push(`the device has ${value}, and interlocks allow ${min} to ${max}`);
      return;
    }
    const right = naiveResolution(this.#control, this.claims, this.now);
    const isNew = this.claims.some(({ leaseUntil }) => leaseUntil <= this.now && leaseUntil > this.now - 60_000);
    if (!isNew && this.device?.value !== right.value)
      this.violations.push(`the device has ${this.device?.value} and not ${right.value}`);
  }

  /** All troubles are over, and every claim has ended. */
  checkEnd(): void {
    if (this.device !== undefined) this.violations.push("no fallback at the end");
    if (this.state.isHeld || this.state.writing !== undefined) this.violations.push("something is still owed");
  }
}
