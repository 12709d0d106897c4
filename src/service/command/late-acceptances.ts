// Delays the record that a gateway has accepted an execution for a moment. Most commands end within that time, and what the
// gateway tells of the end says both in one commit. The delay is safe: an execution that was sent to a gateway counts as
// perhaps accepted, by its mark of an attempt, until more is known.
import type { Execution } from "#core/command/execution.ts";
import type { After } from "#service/deadlines.ts";

type Accepted = Pick<Execution, "id" | "deviceId">;

export interface LateAcceptances {
  note(accepted: Accepted): void;
  /** The store knows more of this execution than its acceptance by now. */
  drop(id: string): void;
  /** Records all that wait; later ones are recorded at once. */
  stop(): void;
}

/** How long an acceptance waits for what follows. */
const WAIT_MS = 25;

export function createLateAcceptances(after: After, record: (accepted: Accepted) => void): LateAcceptances {
  const waiting = new Map<string, { readonly accepted: Accepted; readonly callOff: () => void }>();
  let stopped = false;

  function drop(id: string): void {
    waiting.get(id)?.callOff();
    waiting.delete(id);
  }

  return {
    note({ id, deviceId }) {
      const accepted = { id, deviceId };
      if (stopped) return record(accepted);
      const callOff = after(WAIT_MS, () => {
        waiting.delete(id);
        record(accepted);
      });
      waiting.set(id, { accepted, callOff });
    },
    drop,
    stop() {
      stopped = true;
      for (const { accepted } of waiting.values()) {
        drop(accepted.id);
        record(accepted);
      }
    },
  };
}
