/** Many callbacks behind one listener: adding a listener to a signal searches all of its listeners. */
export interface AbortWatch {
  /** Returns the function that removes the callback. */
  on(signal: AbortSignal, callback: () => void): () => void;
}

export function createAbortWatch(): AbortWatch {
  const watched = new WeakMap<AbortSignal, Set<() => void>>();
  const callbacksOf = (signal: AbortSignal): Set<() => void> => {
    const known = watched.get(signal);
    if (known !== undefined) return known;
    const callbacks = new Set<() => void>();
    watched.set(signal, callbacks);
    signal.addEventListener("abort", () => {
      for (const callback of callbacks) callback();
    });
    return callbacks;
  };
  return {
    on(signal, callback) {
      const callbacks = callbacksOf(signal).add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
