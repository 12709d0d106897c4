import type { LiveEvent } from "#client/live-event.ts";
import type { Control } from "#client/resources.ts";
import { live } from "#web/data/live.svelte.ts";
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

/** Many events at once are one question. */
const GATHER_MS = 300;

/**
 * Controls that are read now and when what `ask` depends on changes. Events keep them true. Call it while a component is made.
 */
export function controlList({ ask, concerns, everyMs }: Listed) {
  let controls = $state.raw<readonly Control[] | undefined>();
  let failure = $state.raw<unknown>();
  /** An answer that was asked for before something newer is known is dropped. */
  let asked = 0;
  let soon: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    const question = ask();
    if (question === undefined) return;
    asked += 1;
    const mine = asked;
    try {
      const found = await question;
      if (mine === asked) [controls, failure] = [found, undefined];
    } catch (error) {
      if (mine === asked) failure = error;
    }
  }

  function readSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined;
      void read();
    }, GATHER_MS);
  }

  /** Whether it was in the list. */
  function put(control: Control): boolean {
    const key = controlKey(control);
    if (controls?.some((one) => controlKey(one) === key) !== true) return false;
    asked += 1;
    controls = controls.map((one) => (controlKey(one) === key ? control : one));
    return true;
  }

  $effect(() => {
    void read();
    const timer = everyMs === undefined ? undefined : setInterval(() => !document.hidden && void read(), everyMs);
    const stops = [
      live.onCatchUp(readSoon),
      live.on(["control"], (event) => {
        const isKnown = put(event.control);
        if ((!isKnown || event.control.value === null) && concerns(event)) readSoon();
      }),
    ];
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      soon = undefined;
      for (const stop of stops) stop();
      asked += 1;
    };
  });

  return {
    /** Undefined before the first answer. */
    get controls(): readonly Control[] | undefined {
      return controls;
    },
    /** Why the last question has no answer. What is known stays. */
    get failure(): unknown {
      return failure;
    },
    read,
    /** Takes over what the server has just answered. */
    put: (control: Control): void => void put(control),
  };
}
