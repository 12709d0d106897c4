import type { LiveEvent } from "#client/live-event.ts";
import type { Control } from "#client/resources.ts";
import { latest } from "#web/data/latest.svelte.ts";
import { live } from "#web/data/live.svelte.ts";
import { soon } from "#web/data/soon.ts";
import { controlKey } from "./control-view.ts";

type ControlEvent = Extract<LiveEvent, { readonly kind: "control" }>;

interface Listed {
  /** Undefined while there is nothing to ask. */
  readonly ask: () => Promise<readonly Control[]> | undefined;
  /** Whether a control that is not in the list may belong to it. */
  readonly concerns: (event: ControlEvent) => boolean;
  /** No event reports that a new value was measured. Left out where measured values are not shown. */
  readonly everyMs?: number;
}

/**
 * Controls that are read now and when what `ask` depends on changes. Events keep them true. Call it while a component is made.
 */
export function controlList({ ask, concerns, everyMs }: Listed) {
  const answer = latest(ask);
  const again = soon(() => void answer.read());

  /** Whether it was in the list. */
  function put(control: Control): boolean {
    const key = controlKey(control);
    const known = answer.value;
    if (known?.some((one) => controlKey(one) === key) !== true) return false;
    answer.drop();
    answer.value = known.map((one) => (controlKey(one) === key ? control : one));
    return true;
  }

  $effect(() => {
    void answer.read();
    const timer =
      everyMs === undefined ? undefined : setInterval(() => !document.hidden && void answer.read(), everyMs);
    const stops = [
      live.onCatchUp(again.ask),
      live.on(["control"], (event) => {
        const isKnown = put(event.control);
        if ((!isKnown || event.control.value === null) && concerns(event)) again.ask();
      }),
    ];
    return () => {
      clearInterval(timer);
      again.stop();
      for (const stop of stops) stop();
      answer.drop();
    };
  });

  return {
    /** Undefined before the first answer. */
    get controls(): readonly Control[] | undefined {
      return answer.value;
    },
    /** Why the last question has no answer. What is known stays. */
    get failure(): unknown {
      return answer.error;
    },
    read: answer.read,
    /** Takes over what the server has just answered. */
    put: (control: Control): void => void put(control),
  };
}
