/** Many callbacks behind one listener: a signal looks through all of its listeners whenever one is added. */
export interface AbortWatch {
  /** Gives the function that ends it. */
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
