// Messages to another thread are copied, and not every value can be copied: a function cannot, nor can a value that is
// nested thousands of levels deep. The copy then throws where it is made, which may be an unsupervised timer, and that
// would end the process. So every message goes through here, and one that cannot be copied fails alone.

/** The sending end of a channel: a Worker, or a MessagePort. */
export interface Sender {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
}

/** Sends the message, or returns why it cannot be copied; then nothing was sent. */
export function tryPost(to: Sender, message: unknown, transfer?: readonly ArrayBuffer[]): Error | undefined {
  try {
    to.postMessage(message, transfer);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return new Error(`a message to another thread cannot be copied: ${why}`, { cause: error });
  }
}

/** Sends a list as one message. If it cannot be copied, each item goes alone, and `onFailure` gets those that cannot. */
export function tryPostAll<Item>(
  to: Sender,
  items: readonly Item[],
  onFailure: (item: Item, error: Error) => void,
): void {
  if (tryPost(to, items) === undefined) return;
  for (const item of items) {
    const error = tryPost(to, [item]);
    if (error !== undefined) onFailure(item, error);
  }
}
