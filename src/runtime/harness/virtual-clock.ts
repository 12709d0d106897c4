import type { Timers } from "#drivers/timers.ts";

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes only on request. Alarms of the same moment ring in the order in which they were set. */
export interface VirtualClock extends Timers {
  /** When the next alarm rings. */
  nextAt(): number | undefined;
  /** Sets the clock, which never goes back. */
  moveTo(at: number): void;
  /** Rings what is due. True when there was something. */
  ring(): boolean;
}

export function createVirtualClock(): VirtualClock {
  const alarms = new Set<Alarm>();
  let now = 0;
  let lastOrder = 0;

  function first(): Alarm | undefined {
    let found: Alarm | undefined;
    for (const alarm of alarms) {
      if (found === undefined || alarm.at < found.at || (alarm.at === found.at && alarm.order < found.order)) {
        found = alarm;
      }
    }
    return found;
  }

  return {
    elapsed: () => now,
    after(ms, run) {
      lastOrder += 1;
      const alarm = { at: now + Math.max(0, ms), order: lastOrder, run };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    nextAt: () => first()?.at,
    moveTo(at) {
      now = Math.max(now, at);
    },
    ring() {
      const alarm = first();
      if (alarm === undefined || alarm.at > now) return false;
      alarms.delete(alarm);
      alarm.run();
      return true;
    },
  };
}
