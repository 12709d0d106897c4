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
import { writeCalls } from "#core/control/write-calls.ts";
import type { StepClaim } from "#manifest/scenario/claims.ts";
import { TESTED_DEVICE } from "#manifest/scenario/interlocks.ts";
import { loadingOf, resolveWithin } from "#service/control/limiter.ts";
import type { ScenarioInterlocks } from "./scenario-interlocks.ts";
import { messageOf, outcomeOf, type RunningCommand, type ScenarioRecord } from "./scenario-record.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface ScenarioControlsNeeds {
  readonly controls: ReadonlyMap<string, Control>;
  readonly clock: VirtualClock;
  readonly record: ScenarioRecord;
  readonly interlocks: ScenarioInterlocks;
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
  /** Undefined: nothing limits it on this side. */
  readonly lowerBound: number | undefined;
  readonly upperBound: number | undefined;
  /** The names of the interlocks that set the bounds. */
  readonly limitedBy: string | undefined;
  /** Why the last write failed. */
  readonly problem: string | undefined;
}

interface Entry {
  readonly control: Control;
  claims: readonly Claim[];
  state: ControlState;
  /** What the device did when an interlock first told it something; undefined while none does. */
  heldFrom: number | undefined;
  write:
    | { readonly running: RunningCommand; readonly next: readonly ControlCall[]; readonly endsAt: number }
    | undefined;
  problem: string | undefined;
}

const CYCLE_MS = 1000;
/** When interlocks begin. A script that sends each second has sent by then. */
const FIRST_MS = 1500;
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
    if (!needs.interlocks.isEmpty) this.#cancel = needs.clock.after(FIRST_MS, () => this.#turn());
  }

  claim({ control: name, class: claimClass, values, leaseMs }: StepClaim): void {
    const entry = this.#entryOf(name);
    if (entry === undefined) return;
    const now = this.#now();
    for (const { kind, value } of values) {
      this.#lastId += 1;
      const claim: Claim = {
        id: `claim-${String(this.#lastId).padStart(6, "0")}`,
        deviceId: TESTED_DEVICE,
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
    const entry = this.#entries.get(name) ?? newEntry(control);
    const { state, problem } = entry;
    const isTaken = state.writing === undefined && state.failures === 0;
    const { value, bounds } = this.#resolve(entry).resolution;
    const { minBy, maxBy } = bounds;
    const names = new Set([minBy, maxBy].flatMap((claim) => interlockOf(claim) ?? []));
    return {
      value,
      written: isTaken ? state.sent : undefined,
      follow: state.follow,
      lowerBound: minBy && bounds.min,
      upperBound: maxBy && bounds.max,
      limitedBy: names.size === 0 ? undefined : [...names].join(", "),
      problem,
    };
  }

  /** Why interlocks do not allow a command now; undefined: they do. */
  refusal(plan: Parameters<ScenarioInterlocks["refusal"]>[1]): string | undefined {
    const { interlocks, controls } = this.#needs;
    this.#evaluate();
    return interlocks.refusal(controls, plan, this.#now());
  }

  #now(): number {
    return BEGIN_MS + this.#needs.clock.elapsed();
  }

  #entryOf(name: string): Entry | undefined {
    const control = this.#needs.controls.get(name);
    if (control === undefined) return undefined;
    const entry = this.#entries.get(name) ?? newEntry(control);
    this.#entries.set(name, entry);
    return entry;
  }

  #evaluate(): void {
    const { interlocks, record } = this.#needs;
    if (interlocks.isEmpty) return;
    const now = this.#now();
    interlocks.evaluate({
      now,
      reading: (_, attribute) => {
        const latest = record.latest(attribute);
        return latest && { value: latest.value, at: BEGIN_MS + latest.at };
      },
      loading: (_, control) =>
        loadingOf(this.#entries.get(control.id) ?? newEntry(control), {
          control,
          reading: this.#readingOf(control),
          now,
        }),
      // Nothing is told to a device before the first step, so the careful side shows at once.
      begunAt: () => undefined,
      gridClaims: (_, name) =>
        this.#entries.get(name)?.claims.filter((claim) => claim.class === "grid" && holds(claim, now)) ?? [],
    });
  }

  /** What counts, with the limits of interlocks. */
  #resolve(entry: Entry) {
    const { control } = entry;
    const moment = { control, reading: this.#readingOf(control), now: this.#now() };
    return resolveWithin(this.#needs.interlocks.limitsOf(control.id), entry, moment);
  }

  #turn(): void {
    this.#cancel?.();
    this.#evaluate();
    for (const name of this.#needs.interlocks.holding()) this.#entryOf(name);
    for (const entry of this.#entries.values()) this.#run(entry);
    const isWriting = [...this.#entries.values()].some(({ write }) => write !== undefined);
    this.#cancel = this.#needs.clock.after(isWriting ? WATCH_MS : CYCLE_MS, () => this.#turn());
  }

  #run(entry: Entry): void {
    this.#watch(entry);
    const { control, claims } = entry;
    const now = this.#now();
    const { resolution, heldFrom } = this.#resolve(entry);
    const { value, bounds } = resolution;
    const reading = this.#readingOf(control);
    entry.heldFrom = heldFrom;
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

const newEntry = (control: Control): Entry => ({
  control,
  claims: [],
  state: NEVER_WRITTEN,
  heldFrom: undefined,
  write: undefined,
  problem: undefined,
});

/** The name of the interlock that a limit comes from. */
function interlockOf(claim: Claim | undefined): string | undefined {
  const source = claim?.source ?? "";
  return source.startsWith(INTERLOCK_SOURCE) ? source.slice(INTERLOCK_SOURCE.length) : undefined;
}

const INTERLOCK_SOURCE = "interlock:";
