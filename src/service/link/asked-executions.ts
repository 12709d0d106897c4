// Executions that one connected gateway was asked for and has not answered. What it says not to know counts only among these.
import type { DownMessage } from "#core/link/messages.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { ASKED_AT_ONCE, type OpenElsewhereNeeds, openElsewhere } from "#service/link/open-elsewhere.ts";

export interface AskedExecutions {
  ask(executions: readonly string[]): Promise<void>;
  /**
   * Asks for the next ones that are still open, or were sent and never answered, when none is missing. A page at a time: the
   * gateway reads nothing while it waits until an answer has left, and nobody reads that while asking. False when nothing is
   * left.
   */
  askNext(): Promise<boolean>;
  /** The gateway has reported the execution. */
  answered(id: string): void;
  /** The gateway does not know these. A restored one may have run them. */
  unknown(ids: readonly string[], isRestored: boolean): Promise<void>;
}

export interface AskedNeeds extends OpenElsewhereNeeds {
  readonly dispatcher: Pick<CommandDispatcher, "loseSight" | "returned" | "lost">;
}

export function createAskedExecutions(
  needs: AskedNeeds,
  gatewayId: string,
  send: (message: DownMessage) => Promise<void>,
): AskedExecutions {
  const missing = new Set<string>();
  const open = openElsewhere(needs, gatewayId)[Symbol.asyncIterator]();

  async function ask(executions: readonly string[]): Promise<void> {
    for (let at = 0; at < executions.length; at += ASKED_AT_ONCE) {
      const page = executions.slice(at, at + ASKED_AT_ONCE);
      for (const id of page) missing.add(id);
      await send({ type: "ask", executions: page });
    }
  }

  return {
    ask,
    async askNext() {
      if (missing.size > 0) return true;
      const page = await open.next();
      if (page.done === true) return false;
      for (const { id, isRemote } of page.value) if (!isRemote) await needs.dispatcher.loseSight(id);
      await ask(page.value.map(({ id }) => id));
      return true;
    },
    answered: (id) => void missing.delete(id),
    async unknown(ids, isRestored) {
      for (const id of ids) {
        // An execution of another gateway, for example.
        if (!missing.has(id)) continue;
        if (isRestored || !(await needs.dispatcher.returned(id))) await needs.dispatcher.lost(id, isRestored);
        missing.delete(id);
      }
    },
  };
}
