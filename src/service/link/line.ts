// One connection of a gateway to its cloud, as those see it who work on it: a way to send, a signal of its end, and a place to
// start work whose failure ends the connection.
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { createWake } from "#service/link/create-wake.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";

export interface Line {
  send(message: UpMessage): Promise<void>;
  /** Fires when the connection has ended. */
  readonly signal: AbortSignal;
  /** Work that goes on beside the messages. When it fails, the connection ends. */
  start(work: Promise<void>): void;
}

export interface OpenLine extends Line {
  /** Resolves when there is room for more work. */
  room(): Promise<void>;
  /** The connection has ended. */
  end(): void;
  /** Resolves when all work has ended. */
  settled(): Promise<void>;
  /** Throws the first failure of work from before the end. */
  throwFailure(): void;
}

/** What the cloud asks for at the same time. More is read when some of it is done. */
const MAX_WORKING = 1_000;

export function openLine(channel: Pick<LinkChannel<UpMessage, DownMessage>, "send" | "close">): OpenLine {
  const end = new AbortController();
  const done = createWake();
  const working = new Set<Promise<void>>();
  let failure: unknown;
  return {
    send: channel.send,
    signal: end.signal,
    start(work) {
      const supervised = work
        .catch((error: unknown) => {
          if (!end.signal.aborted) failure ??= error;
          channel.close("the gateway cannot go on");
        })
        .finally(() => {
          working.delete(supervised);
          done.call();
        });
      working.add(supervised);
    },
    async room() {
      while (working.size > MAX_WORKING) await done.next();
    },
    end: () => end.abort(),
    async settled() {
      await Promise.all(working);
    },
    throwFailure() {
      if (failure !== undefined) throw failure;
    },
  };
}
