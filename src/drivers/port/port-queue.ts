// Turns at a hardware port that several devices share: first come, first served, one at a time. A device may hold the
// port for a few calls in a row. The number of waiting calls and their time are both bounded.

import { ConnectionError } from "#drivers/connection-error.ts";
import type { Timers } from "#drivers/timers.ts";

const MAX_WAITING = 64;
const MAX_WAIT_MS = 10_000;
const MAX_HOLD_MS = 5000;

/** A user of the port. Two holders are the same only if they are the same object. */
export type Holder = object;

interface Waiter {
  readonly holder: Holder;
  readonly start: () => void;
  readonly refuse: (error: ConnectionError) => void;
}

export class PortQueue {
  readonly #timers: Timers;
  readonly #waiting: Waiter[] = [];
  #isBusy = false;
  #held: { readonly by: Holder; readonly cancel: () => void } | undefined;
  /** Held the port too long and has not noticed yet. */
  readonly #expired = new WeakSet<Holder>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs it when it is the holder's turn. */
  async run<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    if (this.#expired.has(holder))
      throw new ConnectionError("timeout", `the transaction took longer than ${MAX_HOLD_MS} ms`);
    await this.#turn(holder);
    try {
      return await work();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  /** From its turn on the holder owns the port, until `release` or the longest allowed time. */
  async hold(holder: Holder): Promise<void> {
    if (this.#held?.by === holder) return;
    await this.#turn(holder);
    const cancel = this.#timers.after(MAX_HOLD_MS, () => {
      this.#expired.add(holder);
      this.#held = undefined;
      this.#next();
    });
    this.#held = { by: holder, cancel };
    this.#isBusy = false;
    this.#next();
  }

  release(holder: Holder): void {
    this.#expired.delete(holder);
    if (this.#held?.by !== holder) return;
    this.#held.cancel();
    this.#held = undefined;
    this.#next();
  }

  /** The holder is gone and no longer waits for anything. */
  leave(holder: Holder): void {
    for (const waiter of this.#waiting.filter((one) => one.holder === holder))
      waiter.refuse(new ConnectionError("closed", "the device has stopped"));
    this.release(holder);
  }

  #turn(holder: Holder): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new ConnectionError("busy", `${MAX_WAITING} calls wait for the port already`));
    return new Promise((resolve, reject) => {
      const leave = () => {
        cancel();
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
      };
      const waiter: Waiter = {
        holder,
        start: () => {
          leave();
          this.#isBusy = true;
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const cancel = this.#timers.after(MAX_WAIT_MS, () =>
        waiter.refuse(new ConnectionError("busy", `the port was in use for ${MAX_WAIT_MS} ms`)),
      );
      this.#waiting.push(waiter);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isBusy) return;
    const held = this.#held;
    const next = held === undefined ? this.#waiting[0] : this.#waiting.find(({ holder }) => holder === held.by);
    next?.start();
  }
}
