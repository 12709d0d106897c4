// Watches a simulated run and notes whatever breaks a promise.
//
//   2. A command reaches the device at most once.
//   3. An execution always ends, at latest 5 s after its deadline.
// and besides: states change only as is legal, times of responses rise, what was acknowledged stays, nobody is given up
// on too early, and a command does reach a device that is there.

import { type Execution, type ExecutionState, isFinal, isOpen } from "#core/command/execution.ts";
import { everyOpen } from "#service/command/every-open.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import type { SimClock } from "./sim-clock.ts";

const LEGAL: Readonly<Record<ExecutionState, readonly ExecutionState[]>> = {
  NEW: ["IN_PROGRESS", "SUCCESS", "ERROR", "TIMEOUT"],
  IN_PROGRESS: ["IN_PROGRESS", "SUCCESS", "ERROR", "TIMEOUT"],
  TIMEOUT: ["SUCCESS", "ERROR"],
  SUCCESS: [],
  ERROR: [],
  UNSYNC: [],
};
const GRACE_MS = 5_000;
/** Hand-over, commit and answer take less than this where nothing is in the way, one more try included. */
const MOMENT_MS = 1_300;

/** Moments on the steady clock. */
export interface Circumstances {
  /** Since when the service runs; undefined while it is down. */
  readonly upSince: number | undefined;
  readonly lastTrouble: number;
  readonly lastJump: number;
  /** Since when a command could be handed to the device; undefined while it is away. */
  readySince(deviceId: string): number | undefined;
}

export class Referee {
  readonly violations: string[] = [];
  readonly #clock: SimClock;
  readonly #patienceMs: number;
  readonly #at: Circumstances;
  readonly #starts = new Map<string, number>();
  /** When something was last heard of an open execution, its creation included. */
  readonly #heard = new Map<string, number>();
  /** When it was last tried to send. */
  readonly #tried = new Map<string, number>();
  /** Whose last try did not leave. */
  readonly #notLeft = new Set<string>();
  /** When it ended first. */
  readonly #ended = new Map<string, number>();

  constructor(clock: SimClock, patienceMs: number, circumstances: Circumstances) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#at = circumstances;
  }

  #blame(text: string): void {
    this.violations.push(`at ${this.#clock.elapsed} ms: ${text}`);
  }

  /** The rows, with an eye on every change. */
  watch(rows: ExecutionStore): ExecutionStore {
    const look = async (id: string): Promise<{ execution: Execution; attempted: boolean } | undefined> =>
      await rows.toSend(id);
    return {
      ...rows,
      insert: async (input, trail) => {
        const stored = await rows.insert(input, trail);
        if (stored.isNew) this.#heard.set(stored.execution.id, this.#clock.elapsed);
        return stored;
      },
      record: async (deviceId, id, arrival) => {
        const before = await look(id);
        const after = await rows.record(deviceId, id, arrival);
        if (after === undefined) return undefined;
        // A timed-out one is not among the open ones; only its end may follow.
        this.#changed(before?.execution, after);
        this.#heard.set(id, this.#clock.elapsed);
        return after;
      },
      recordStartAndAnswer: async (deviceId, id, both) => {
        const before = await look(id);
        const after = await rows.recordStartAndAnswer(deviceId, id, both);
        let last = before?.execution;
        for (const next of [after.started, after.answered]) {
          if (next === undefined) continue;
          this.#changed(last, next);
          this.#heard.set(id, this.#clock.elapsed);
          last = next;
        }
        return after;
      },
      expire: async (id, deadline) => {
        const before = await look(id);
        const after = await rows.expire(id, deadline);
        if (after === undefined) return undefined;
        this.#changed(before?.execution, after);
        this.#judgeTimeout(after, before?.attempted ?? false);
        return after;
      },
    };
  }

  #changed(before: Execution | undefined, after: Execution): void {
    const from = before?.state ?? "TIMEOUT";
    if (!isOpen(after.state) && before !== undefined) this.#ended.set(after.id, this.#clock.elapsed);
    if (!LEGAL[from].includes(after.state)) this.#blame(`${after.id} went from ${from} to ${after.state}`);
    const [was, is] = [before?.response?.receivedAt ?? 0, after.response?.receivedAt ?? 0];
    if (after.response !== before?.response && is <= was) this.#blame(`${after.id} was answered at ${is} after ${was}`);
  }

  #judgeTimeout({ id, deviceId }: Execution, wasAttempted: boolean): void {
    const { upSince = 0, lastTrouble, lastJump } = this.#at;
    const heard = this.#heard.get(id) ?? 0;
    const now = this.#clock.elapsed;
    // After a restart the wall clock decides, and that may have been set meanwhile.
    if (heard > upSince && now - heard < this.#patienceMs) {
      this.#blame(`${id} was given up on after ${now - heard} ms`);
    }
    const ready = this.#at.readySince(deviceId);
    const calm = Math.max(heard, upSince, lastTrouble, ready ?? now, this.#tried.get(id) ?? 0);
    // A clock that is set forward, also between the call and its commit, makes a command look expired.
    const isClockTrue = lastJump < heard - MOMENT_MS;
    if (!wasAttempted && now - calm > MOMENT_MS && isClockTrue) {
      this.#blame(`${id} was never handed over, though its device was there since ${ready}`);
    }
    const isUntouched = heard > upSince && lastTrouble < heard && isClockTrue && now - (ready ?? now) > MOMENT_MS;
    if (wasAttempted && isUntouched && !this.#tried.has(id)) {
      this.#blame(`${id} was marked as attempted and never sent`);
    }
    const tried = this.#tried.get(id) ?? 0;
    const isLeftAlone = tried > upSince && lastTrouble < tried && now - Math.max(tried, ready ?? now) > MOMENT_MS;
    if (wasAttempted && isLeftAlone && isClockTrue && this.#notLeft.has(id)) {
      this.#blame(`${id} did not leave and was not tried again`);
    }
  }

  async sent(id: string, rows: ExecutionStore): Promise<void> {
    this.#tried.set(id, this.#clock.elapsed);
    if ((await rows.toSend(id)) === undefined) this.#blame(`${id} was sent after its end`);
  }

  left(id: string, hasLeft: boolean): void {
    if (hasLeft) this.#notLeft.delete(id);
    else this.#notLeft.add(id);
  }

  started(id: string): void {
    const count = (this.#starts.get(id) ?? 0) + 1;
    this.#starts.set(id, count);
    if (count > 1) this.#blame(`${id} was started ${count} times`);
  }

  hasStarted(id: string): boolean {
    return this.#starts.has(id);
  }

  /** What is open must not be open for longer than is promised. */
  async patrol(rows: ExecutionStore): Promise<void> {
    const { upSince, lastTrouble } = this.#at;
    if (upSince === undefined) return;
    for await (const { id } of everyOpen(rows)) {
      const since = Math.max(this.#heard.get(id) ?? 0, upSince, lastTrouble);
      const late = this.#clock.elapsed - since - this.#patienceMs;
      if (late > GRACE_MS) this.#blame(`${id} should have ended ${late} ms ago`);
    }
  }

  /** An end that was acknowledged to the device. */
  acknowledgedEnd(execution: Execution | undefined, id: string): void {
    if (execution !== undefined && !isFinal(execution.state)) {
      this.#blame(`${id} is ${execution.state} after its end was acknowledged`);
    }
  }

  /** A create that was acknowledged to the caller. */
  acknowledgedCreate(execution: Execution | undefined, id: string): void {
    if (execution === undefined) this.#blame(`${id} was acknowledged and is gone`);
  }

  /** What a waiting caller was answered, and when. */
  answered(answer: Execution, stored: Execution | undefined, waited: { readonly ms: number; readonly limit: number }) {
    const { id } = answer;
    if (waited.ms > waited.limit + MOMENT_MS) this.#blame(`${id}: a caller waited ${waited.ms} ms`);
    if (isOpen(answer.state) && waited.ms < waited.limit) {
      this.#blame(`${id}: a caller was sent away after ${waited.ms} ms`);
    }
    if (stored === undefined || isOpen(stored.state)) return;
    // Whoever asks only after the end is answered at once.
    const late = Math.min(this.#clock.elapsed - (this.#ended.get(id) ?? 0), waited.ms);
    if (late > MOMENT_MS) this.#blame(`${id}: a caller heard of its end ${late} ms late`);
  }
}
