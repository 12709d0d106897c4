import { latest } from "./latest.svelte.ts";

/**
 * Something that is read now, when what it asks for changes, and every so often while the page is seen. `ask` gives undefined while
 * there is nothing to ask. Call it while a component is made.
 */
export function polled<Value>(ask: () => Promise<Value> | undefined, everyMs: number) {
  const answer = latest(ask);

  $effect(() => {
    void answer.read();
    const timer = setInterval(() => {
      if (!document.hidden) void answer.read();
    }, everyMs);
    return () => clearInterval(timer);
  });

  return answer;
}
