import { ApiError } from "#client/errors.ts";
import { listenToEvents } from "#client/listen-to-events.ts";
import type { LiveEvent } from "#client/live-event.ts";
import { pause } from "#client/pause.ts";
import { transport } from "./connection.ts";

export type LivePhase = "connecting" | "live" | "lost";
type Happening = Exclude<LiveEvent, { readonly kind: "open" | "lost" | "gap" }>;
type Kind = Happening["kind"];
type Listener = (event: Happening) => void;

/** Live values are drawn at most this often: nobody reads faster, and a site of hundreds of devices stays cheap. */
const DRAW_EVERY = 500;
const FIRST_RETRY = 1_000;
const LAST_RETRY = 15_000;
/** A page that nobody looks at for this long gives its connection back: a browser has only six for each server. */
const HIDDEN_FOR = 120_000;
/** A timer that comes this much late means that the machine slept, and the connection with it. */
const SLEPT = 10_000;

let phase = $state<LivePhase>("connecting");
let since = $state(Date.now());
const listeners = new Set<{ readonly kinds: ReadonlySet<Kind> | undefined; readonly call: Listener }>();
const catchUps = new Set<(isGap: boolean) => void>();
let siteId: string | undefined;
let running: AbortController | undefined;

/** What happens on the server, as it happens. One connection for the whole page. */
export const live = {
  get phase(): LivePhase {
    return phase;
  },
  /** Unix ms since when the phase holds. */
  get since(): number {
    return since;
  },
  /** Calls for every event of these kinds; without kinds for all. Returns how to stop. */
  on<Wanted extends Kind>(
    kinds: readonly Wanted[],
    call: (event: Extract<Happening, { readonly kind: Wanted }>) => void,
  ): () => void {
    const listener = { kinds: new Set<Kind>(kinds), call: call as Listener };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  /**
   * Calls when the connection is there again. With `isGap` events are missing, and what was built from events must be
   * read again; otherwise only telemetry, which is never repeated.
   */
  onCatchUp(call: (isGap: boolean) => void): () => void {
    catchUps.add(call);
    return () => void catchUps.delete(call);
  },
  /** Listens to one site, or to all that the session sees. */
  listen(site: string | undefined): void {
    if (running !== undefined && siteId === site) return;
    siteId = site;
    restart(running !== undefined);
  },
  stop(): void {
    running?.abort();
    running = undefined;
    // Until the next connection nobody knows what happens.
    setPhase("connecting");
  },
};

function setPhase(next: LivePhase): void {
  if (phase === next) return;
  phase = next;
  since = Date.now();
}

function restart(isGap: boolean): void {
  running?.abort();
  running = new AbortController();
  void follow(running.signal, isGap);
}

async function follow(signal: AbortSignal, startsWithGap: boolean): Promise<void> {
  let isGap = startsWithGap;
  let isFirst = !startsWithGap;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const query = {
        ...(siteId !== undefined && { "site_id.in": [siteId] }),
        ...(isFirst && { replay: sinceOpened() }),
      };
      for await (const event of listenToEvents(transport, query, { signal })) {
        if (signal.aborted) return;
        if (event.kind === "lost") setPhase("lost");
        else if (event.kind === "open") {
          failures = 0;
          setPhase("live");
          if (!isFirst) catchUp(isGap);
          isFirst = false;
          isGap = false;
        } else if (event.kind === "gap") catchUp(true);
        else hand(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      // The session has ended: the page shows the sign-in, and starts again after it.
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
        setPhase("lost");
        return;
      }
    }
    setPhase("lost");
    isGap = true;
    isFirst = false;
    await pause(Math.min(FIRST_RETRY * 2 ** failures, LAST_RETRY) * (0.5 + Math.random() / 2), signal);
  }
}

/** Lists are read while the connection is made: what changes meanwhile comes with its first events. */
function sinceOpened(): string {
  return `${Math.min(60, Math.ceil(performance.now() / 1_000) + 2)}s`;
}

function catchUp(isGap: boolean): void {
  for (const call of catchUps) call(isGap);
}

/** Values wait for the next drawing; everything else is handed on at once. */
let waiting: Happening[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function hand(event: Happening): void {
  if (event.kind !== "telemetry") {
    publish(event);
    return;
  }
  waiting.push(event);
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const events = waiting;
    waiting = [];
    for (const one of newestPerDevice(events)) publish(one);
  }, DRAW_EVERY);
}

function publish(event: Happening): void {
  for (const { kinds, call } of listeners) if (kinds === undefined || kinds.has(event.kind)) call(event);
}

function newestPerDevice(events: readonly Happening[]): Iterable<Happening> {
  const merged = new Map<string, Extract<Happening, { readonly kind: "telemetry" }>>();
  for (const event of events) {
    if (event.kind !== "telemetry") continue;
    const known = merged.get(event.device_id);
    merged.set(
      event.device_id,
      known === undefined ? event : { ...event, telemetry: { ...known.telemetry, ...event.telemetry } },
    );
  }
  return merged.values();
}

/** Watches for sleep, for a network that returns, and for a page that nobody looks at. */
export function watchPage(): () => void {
  let hiddenAt: number | undefined;
  let lastTick = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const hasSlept = now - lastTick > SLEPT + 2_000;
    lastTick = now;
    if (document.hidden) {
      if (hiddenAt !== undefined && now - hiddenAt > HIDDEN_FOR) live.stop();
    } else if (hasSlept) restart(true);
  }, 2_000);
  const onVisible = () => {
    lastTick = Date.now();
    if (document.hidden) hiddenAt = Date.now();
    else {
      const wasAway = hiddenAt !== undefined && Date.now() - hiddenAt > HIDDEN_FOR / 4;
      hiddenAt = undefined;
      if (wasAway || running === undefined || phase === "lost") restart(true);
    }
  };
  const onOnline = () => restart(true);
  document.addEventListener("visibilitychange", onVisible);
  window.addEventListener("online", onOnline);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onVisible);
    window.removeEventListener("online", onOnline);
    live.stop();
  };
}
