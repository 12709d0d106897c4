// A listener of /v3/events, for tests.
import { createEventStream } from "#client/event-stream.ts";

export interface HeardEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LiveEvents {
  /** Everything that came so far. */
  readonly heard: readonly HeardEvent[];
  /** Where another listener would go on. */
  readonly lastId: string | undefined;
  /** The first event that fits and was not given before; waits for it. Rejects when the stream ends without it. */
  next(fits: (event: HeardEvent) => boolean): Promise<HeardEvent>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

interface Listener {
  readonly token: string;
  /** For example `?kind.in=alert`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

/** Resolves when the server listens on behalf of the caller: what happens from then on is heard. */
export async function listenLive(url: string, { token, query = "", lastEventId }: Listener): Promise<LiveEvents> {
  const hangUp = new AbortController();
  const response = await fetch(`${url}/v3/events${query}`, {
    headers: { "X-Service-Auth-Token": token, ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) },
    signal: hangUp.signal,
  });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  const stream = createEventStream(lastEventId);
  const heard: HeardEvent[] = [];
  const given = new Set<HeardEvent>();
  const waiting = new Set<() => void>();
  let hasEnded = false;
  const wake = () => {
    for (const look of waiting) look();
  };
  const read = async (body: AsyncIterable<Uint8Array>) => {
    try {
      for await (const piece of body) {
        for (const { event, data } of stream.push(piece)) heard.push({ event, data: JSON.parse(data) });
        wake();
      }
    } catch {
      // The listener hung up, or the server broke off.
    }
    hasEnded = true;
    wake();
  };
  const ended = read(response.body);
  return {
    heard,
    ended,
    get lastId() {
      return stream.lastId;
    },
    next: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = heard.find((event) => !given.has(event) && fits(event));
          if (found !== undefined) {
            given.add(found);
            waiting.delete(look);
            resolve(found);
          } else if (hasEnded) reject(new Error(`the stream ended after ${JSON.stringify(heard)}`));
        };
        waiting.add(look);
        look();
      }),
    close: () => hangUp.abort(),
  };
}
