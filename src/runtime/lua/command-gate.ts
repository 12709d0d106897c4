// Tells which of the commands that a script received it has begun: one number that both threads see. When a script is taken away, the
// pool knows of each command whether it may have done anything, whatever state the thread is in.

/** The ticket of the last command that began, 0 before the first, CLOSED when none may begin any more. */
export type CommandGate = Int32Array<SharedArrayBuffer>;

const CLOSED = -1;

export function createCommandGate(): CommandGate {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** The script's side, right before a command begins; tickets rise. False: it must not. */
export function passGate(gate: CommandGate, ticket: number): boolean {
  const last = Atomics.load(gate, 0);
  return last !== CLOSED && Atomics.compareExchange(gate, 0, last, ticket) === last;
}

/** The other side: from now on nothing begins. Gives the ticket of the last one that did. */
export function closeGate(gate: CommandGate): number {
  return Atomics.exchange(gate, 0, CLOSED);
}
