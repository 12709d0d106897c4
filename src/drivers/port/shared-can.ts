// A CAN bus that scripts share. It is opened on first use and again after it was lost; every frame goes to all
// listeners of its identifier, also a frame of another script.

import { ConnectionError } from "#drivers/connection-error.ts";
import type { Timers } from "#drivers/timers.ts";
import type { CanBus, CanFrame, OpenCan } from "./can-bus.ts";

const PAUSE_MS = 1000;

interface FrameSink {
  add(frame: CanFrame): void;
  /** Drops what it holds. */
  clear(): void;
}

export class SharedCan {
  readonly #open: OpenCan;
  readonly #timers: Timers;
  /** With whose it is. */
  readonly #stores = new Map<FrameSink, object>();
  #bus: Promise<CanBus> | undefined;
  #failure: ConnectionError | undefined;
  #pauseUntil = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(open: OpenCan, timers: Timers) {
    this.#open = open;
    this.#timers = timers;
  }

  async send(frame: CanFrame, sender: object): Promise<void> {
    const bus = await this.ready();
    await bus.send(frame);
    if (bus.repeatsOwn) return;
    for (const [store, owner] of this.#stores) if (owner !== sender) store.add(frame);
  }

  /** Open, or a `ConnectionError` that says why not. */
  async ready(): Promise<CanBus> {
    if (this.#isClosed) throw new ConnectionError("closed", "the port was closed");
    if (this.#bus === undefined) {
      if (this.#failure !== undefined && this.#timers.elapsed() < this.#pauseUntil) throw this.#failure;
      const opening: Promise<CanBus> = this.#open({
        received: (frame) => {
          for (const store of this.#stores.keys()) store.add(frame);
        },
        lost: (why) => {
          if (this.#bus === opening) this.#fail(new ConnectionError("connection", why));
        },
      });
      this.#bus = opening;
    }
    const bus = this.#bus;
    try {
      return await bus;
    } catch (error) {
      if (error instanceof ConnectionError && this.#bus === bus) this.#fail(error);
      throw error;
    }
  }

  add(store: FrameSink, owner: object): void {
    this.#stores.set(store, owner);
  }

  remove(store: FrameSink): void {
    this.#stores.delete(store);
    store.clear();
  }

  close(): void {
    this.#isClosed = true;
    this.#bus?.then(
      (bus) => bus.close(),
      // The caller that opened it got the error.
      () => {},
    );
  }

  #fail(error: ConnectionError): void {
    this.#bus = undefined;
    this.#failure = error;
    this.#pauseUntil = this.#timers.elapsed() + PAUSE_MS;
  }
}
