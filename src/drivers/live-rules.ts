import type { ReachRule } from "#core/net/reach-rule.ts";

/** What scripts may reach, for all devices. It may change while they run. */
export interface LiveRules {
  readonly current: readonly ReachRule[];
  /** Returns the function that unsubscribes. */
  listen(listener: (rules: readonly ReachRule[]) => void): () => void;
}

export function createLiveRules(first: readonly ReachRule[]): LiveRules & { set(rules: readonly ReachRule[]): void } {
  const listeners = new Set<(rules: readonly ReachRule[]) => void>();
  let current = first;
  return {
    get current() {
      return current;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(rules) {
      current = rules;
      for (const listener of listeners) listener(rules);
    },
  };
}
