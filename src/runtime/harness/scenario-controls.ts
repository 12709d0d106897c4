// The controls of a scenario: decides by the rules of a gateway what the device is told, each second of virtual time.
import { type Claim, holds } from "#core/control/claim.ts";
import { type Control, valueOfReading } from "#core/control/control.ts";
import {
  type ControlState,
  type Follow,
  NEVER_WRITTEN,
  planWrite,
  startedAnew,
  writeEnded,
} from "#core/control/control-writer.ts";
import type { ControlCall } from "#core/control/declared-control.ts";
import { resolveClaims } from "#core/control/resolve-claims.ts";
import { writeCalls } from "#core/control/write-calls.ts";
import type { StepClaim } from "#manifest/scenario/claims.ts";
import { messageOf, outcomeOf, type RunningCommand, type ScenarioRecord } from "./scenario-record.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface ScenarioControlsNeeds {
  readonly controls: ReadonlyMap<string, Control>;
  readonly clock: VirtualClock;
  readonly record: ScenarioRecord;
  readonly isConnected: () => boolean;
  /** Hands a command to the script. A text says why it is refused. */
  readonly execute: (call: ControlCall) => RunningCommand | string;
}

/** How a control stands. */
export interface ControlStanding {
  readonly value: number | undefined;
  /** What the device was told and took. */
  readonly written: number | undefined;
  readonly follow: Follow;
  /** Why the last write failed. */
  readonly problem: string | undefined;
}

interface Entry {
  readonly control: Control;
  claims: readonly Claim[];
  state: ControlState;
  write:
    | { readonly running: RunningCommand; readonly next: readonly ControlCall[]; readonly endsAt: number }
    | undefined;
  problem: string | undefined;
}

const CYCLE_MS = 1000;
/** While a command runs: its end is noticed so fast. */
const WATCH_MS = 50;
const WRITE_MS = 15_000;
/** Times of the writer begin far enough from 0, which stands for never. */
const BEGIN_MS = 1_000_000_000;

export class ScenarioControls {
  readonly #needs: ScenarioControlsNeeds;
  readonly #entries = new Map<string, Entry>();
  #cancel: (() => void) | undefined;
  #lastId = 0;

  constructor(needs: ScenarioControlsNeeds) {
    this.#needs = needs;
  }

  claim({ control: name, class: claimClass, values, leaseMs }: StepClaim): void {
    const entry = this.#entryOf(name);
    if (entry === undefined) return;
    const now = this.#now();
    for (const { kind, value } of values) {
      this.#lastId += 1;
      const claim: Claim = {
        id: `claim-${String(this.#lastId).padStart(6, "0")}`,
        deviceId: "device",
        control: name,
        kind,
        value,
        class: claimClass,
        source: claimClass,
        reason: "scenario",
        leaseUntil: now + (leaseMs ?? Number.POSITIVE_INFINITY),
        createdAt: now,
        cause: undefined,
      };
      const others = entry.claims.filter((one) => one.source !== claim.source || one.kind !== kind);
      entry.claims = [...others, claim];
    }
    this.#turn();
  }

  release(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    entry.claims = [];
    this.#turn();
  }

  /** The script was started again, or is connected again: nobody knows what the device still has. */
  startAnew(): void {
    for (const entry of this.#entries.values()) {
      entry.write = undefined;
      entry.state = startedAnew(entry.state);
    }
  }

  standing(name: string): ControlStanding | undefined {
    const control = this.#needs.controls.get(name);
    if (control === undefined) return undefined;
    const { claims, state, problem } = this.#entries.get(name) ?? {
      claims: [],
      state: NEVER_WRITTEN,
      problem: undefined,
    };
    const isTaken = state.writing === undefined && state.failures === 0;
    return {
      value: resolveClaims(control, claims, this.#now()).value,
      written: isTaken ? state.sent : undefined,
      follow: state.follow,
      problem,
    };
  }

  #now(): number {
    return BEGIN_MS + this.#needs.clock.elapsed();
  }

  #entryOf(name: string): Entry | undefined {
    const control = this.#needs.controls.get(name);
    if (control === undefined) return undefined;
    const entry = this.#entries.get(name) ?? {
      control,
      claims: [],
      state: NEVER_WRITTEN,
      write: undefined,
      problem: undefined,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #turn(): void {
    this.#cancel?.();
    for (const entry of this.#entries.values()) this.#run(entry);
    const isWriting = [...this.#entries.values()].some(({ write }) => write !== undefined);
    this.#cancel = this.#needs.clock.after(isWriting ? WATCH_MS : CYCLE_MS, () => this.#turn());
  }

  #run(entry: Entry): void {
    this.#watch(entry);
    const { control, claims } = entry;
    const now = this.#now();
    const { value, bounds } = resolveClaims(control, claims, now);
    const reading = this.#readingOf(control);
    const situation = { now, value, bounds, reading, isReachable: this.#needs.isConnected() };
    const plan = planWrite(control, entry.state, situation);
    entry.state = plan.state;
    entry.claims = claims.filter((claim) => holds(claim, now));
    if (plan.write !== undefined) this.#execute(entry, writeCalls(control, plan.write), now + WRITE_MS);
  }

  #execute(entry: Entry, [call, ...next]: readonly ControlCall[], endsAt: number): void {
    if (call === undefined) {
      entry.problem = undefined;
      entry.write = undefined;
      entry.state = writeEnded(entry.state, true);
      return;
    }
    const running = this.#needs.execute(call);
    if (typeof running === "string") this.#failed(entry, `${call.command}: ${running}`);
    else entry.write = { running, next, endsAt };
  }

  /** Looks whether the command of a write has ended. */
  #watch(entry: Entry): void {
    if (entry.write === undefined) return;
    const { running, next, endsAt } = entry.write;
    const outcome = outcomeOf(running);
    if (outcome?.state === "SUCCEEDED") this.#execute(entry, next, endsAt);
    else if (outcome !== undefined) this.#failed(entry, `${running.command.id} failed: ${messageOf(outcome)}`);
    else if (this.#now() >= endsAt) this.#failed(entry, `${running.command.id} has not ended`);
  }

  #failed(entry: Entry, problem: string): void {
    entry.problem = problem;
    entry.write = undefined;
    entry.state = writeEnded(entry.state, false);
  }

  #readingOf(control: Control) {
    if (control.reads === undefined) return undefined;
    const latest = this.#needs.record.latest(control.reads.attribute);
    const value = latest && valueOfReading(control, latest.value);
    return latest === undefined || value === undefined ? undefined : { value, at: BEGIN_MS + latest.at };
  }
}
