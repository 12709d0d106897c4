// Records which of its received commands a script has begun, in one number that both threads see. So when a script is
// removed, the pool knows for each command whether it may have done anything, whatever state the thread is in.

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

/** The other side: from now on nothing begins. Returns the ticket of the last command that did. */
export function closeGate(gate: CommandGate): number {
  return Atomics.exchange(gate, 0, CLOSED);
}
