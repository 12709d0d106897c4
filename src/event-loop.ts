import type { EventLoop } from "#core/share/fair-turns.ts";

/** Node's event loop as fair turns see it. */
export const EVENT_LOOP: EventLoop = {
  elapsed: () => performance.now(),
  nextTurn: setImmediate,
  // Ticks go before promises, but one that a promise asks for comes after all of them.
  settled: (task) => queueMicrotask(() => process.nextTick(task)),
};
