// Confirms to one gateway what is stored of its records, in their order.

export interface Confirmations {
  /** Confirms records up to the number `to`, once they are stored. */
  add(storing: Promise<void> | undefined, to: number): void;
  /** Resolves when there is room for another one. A gateway that reads no confirmations is not read either. */
  room(): Promise<void>;
  /** Resolves when everything that was added is confirmed, or cannot be. */
  settled(): Promise<void>;
}

/** More than a gateway sends before it waits for a confirmation. */
const MAX_CONFIRMING = 16;

/** `send` must not reject. `fail` is called when records cannot be stored; these are not confirmed. */
export function createConfirmations(
  send: (to: number) => Promise<void>,
  fail: (error: unknown) => void,
): Confirmations {
  /** Resolves when the position of what was sent so far is stored, and confirmed to the gateway. */
  let last: Promise<void> = Promise.resolve();
  /** Those that have not left. */
  let count = 0;
  return {
    add(storing, to) {
      count++;
      last = Promise.all([last, storing])
        .then(() => send(to), fail)
        .finally(() => count--);
    },
    async room() {
      if (count >= MAX_CONFIRMING) await last;
    },
    settled: () => last,
  };
}
