import { type CommandGate, closeGate, createCommandGate } from "./command-gate.ts";

/** The commands that were handed to one start of a script and have no outcome yet. */
export interface OpenCommands {
  readonly gate: CommandGate;
  /** Gives the command's ticket. */
  add(commandId: string): number;
  /** False when it has had its outcome. */
  end(commandId: string): boolean;
  /** None of them may begin any more, and all of them stop being open. */
  close(): { readonly begun: readonly string[]; readonly waiting: readonly string[] };
}

export function createOpenCommands(): OpenCommands {
  const gate = createCommandGate();
  const tickets = new Map<string, number>();
  let lastTicket = 0;
  return {
    gate,
    add(commandId) {
      tickets.set(commandId, ++lastTicket);
      return lastTicket;
    },
    end: (commandId) => tickets.delete(commandId),
    close() {
      const last = closeGate(gate);
      const open = [...tickets];
      tickets.clear();
      return {
        begun: open.filter(([, ticket]) => ticket <= last).map(([commandId]) => commandId),
        waiting: open.filter(([, ticket]) => ticket > last).map(([commandId]) => commandId),
      };
    },
  };
}
