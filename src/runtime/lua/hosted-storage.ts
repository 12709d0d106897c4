// The storage of a script inside a thread of the pool: reads from memory, writes as messages that wait for their answer.
import type { ToPool } from "./pool-messages.ts";
import type { ScriptHost } from "./script-host.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** Each one is a write to the disk. A script that writes more often waits. */
const STORES = { perSecond: 20, burst: 100 };
const STORE_PAUSE_MS = 50;
const MAX_KEY_BYTES = 256;
const MAX_TEXT_BYTES = 65_536;
const MAX_KEYS = 1_000;
const MAX_STORED_BYTES = 1_048_576;

type HostedStorage = ScriptHost["storage"] & {
  readonly registerChild: NonNullable<ScriptHost["registerChild"]>;
  /** What was sent with this number is stored, or was refused. */
  readonly stored: (id: number, error: string | undefined) => void;
};

interface StorageNeeds {
  readonly slot: number;
  readonly post: (message: ToPool) => void;
  readonly wake: () => void;
}

export function createHostedStorage(
  { slot, post, wake }: StorageNeeds,
  stored: Iterable<readonly [string, string]>,
): HostedStorage {
  const texts = new Map(stored);
  const storing = new Map<number, { readonly done: (error: string | undefined) => void; readonly apply: () => void }>();
  const stores = createTokenBucket(STORES.perSecond, STORES.burst);
  let lastStoring = 0;
  let storedBytes = [...texts].reduce((sum, [key, text]) => sum + key.length + text.length, 0);

  async function untilMayStore(): Promise<void> {
    do {
      await new Promise((resolve) => setTimeout(resolve, STORE_PAUSE_MS));
      // Output outside a turn is sent with the next one.
      wake();
    } while (!stores.take(performance.now()));
  }

  async function store(key: string, text: string | undefined): Promise<string | undefined> {
    // Without a wait, what is said leaves with this turn.
    if (!stores.take(performance.now())) await untilMayStore();
    const problem = text === undefined ? undefined : storageProblem(key, text);
    if (problem !== undefined) return problem;
    const id = ++lastStoring;
    post({ kind: "store", slot, id, key, ...(text === undefined ? {} : { text }) });
    return new Promise((done) => storing.set(id, { done, apply: () => keep(key, text) }));
  }

  function storageProblem(key: string, text: string): string | undefined {
    if (key.length > MAX_KEY_BYTES) return `a key has at most ${MAX_KEY_BYTES} bytes`;
    if (text.length > MAX_TEXT_BYTES) return `a text has at most ${MAX_TEXT_BYTES} bytes`;
    if (!texts.has(key) && texts.size >= MAX_KEYS) return `at most ${MAX_KEYS} keys are stored`;
    const grown = storedBytes + key.length + text.length - (texts.get(key)?.length ?? 0);
    return grown > MAX_STORED_BYTES ? `at most ${MAX_STORED_BYTES} bytes are stored` : undefined;
  }

  function keep(key: string, text: string | undefined): void {
    const old = texts.get(key);
    if (old !== undefined) storedBytes -= key.length + old.length;
    texts.delete(key);
    if (text === undefined) return;
    storedBytes += key.length + text.length;
    texts.set(key, text);
  }

  return {
    read: (key) => texts.get(key),
    write: store,
    remove: (key) => store(key, undefined),
    async registerChild(child) {
      if (!stores.take(performance.now())) await untilMayStore();
      const id = ++lastStoring;
      post({ kind: "child", slot, id, child });
      return new Promise((done) => storing.set(id, { done, apply: () => {} }));
    },
    stored(id, error) {
      const waiting = storing.get(id);
      storing.delete(id);
      if (error === undefined) waiting?.apply();
      waiting?.done(error);
    },
  };
}
