import { mayPass } from "./errors.ts";
import { listenToEvents } from "./listen-to-events.ts";
import type { LiveEvent } from "./live-event.ts";
import { pause } from "./pause.ts";
import type { CommandResponse, Execution, ExecutionState } from "./resources.ts";
import type { Transport } from "./transport.ts";

export type ExecutionUpdate = {
  readonly execution: Execution;
  /** The responses that were not reported before, oldest first. */
  readonly responses: readonly CommandResponse[];
};

type Needs = {
  readonly transport: Transport;
  /** The execution as the server has it, with its log. */
  readonly read: () => Promise<Execution>;
};

/** Events report what happens at once. Asking as well costs little, and also works where something holds events back. */
const ASK_BESIDE_EVENTS = 5_000;
const ASK_WITHOUT_EVENTS = 1_000;
/** A server that restarts is away for a moment. */
const PATIENCE = 30_000;

/** Ends when the execution has ended. Throws when the server refuses or stays away, and when the signal fires. */
export async function* followExecution(
  { transport, read }: Needs,
  { signal }: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<ExecutionUpdate> {
  const first = await read();
  const news = createNews();
  yield* news(first);
  if (hasEnded(first.state)) return;

  const leaving = new AbortController();
  const events = listenToEvents(
    transport,
    { "kind.in": ["execution"], "device_id.in": [first.device_id] },
    { signal: signal === undefined ? leaving.signal : AbortSignal.any([leaving.signal, signal]) },
  );
  /** Without events, for whatever reason, asking remains. */
  const nextEvent = () =>
    events.next().then(
      ({ value }) => value ?? "none",
      () => "none" as const,
    );
  let next: Promise<LiveEvent | "none"> | undefined = nextEvent();
  let lastContact = Date.now();
  try {
    for (;;) {
      const event = await happens(next, signal);
      if (event === "none") next = undefined;
      else if (event !== "time") next = nextEvent();
      const reported = event === "time" || event === "none" ? undefined : executionOf(event, first.id);
      if (reported === "other") continue;
      const execution = reported ?? (await read().catch(passing(() => lastContact)));
      if (execution === undefined) continue;
      lastContact = Date.now();
      for (const update of news(execution)) {
        yield update;
        if (hasEnded(update.execution.state)) return;
      }
    }
  } finally {
    leaving.abort();
  }
}

async function happens(
  next: Promise<LiveEvent | "none"> | undefined,
  signal: AbortSignal | undefined,
): Promise<LiveEvent | "none" | "time"> {
  const settled = new AbortController();
  const stop = signal === undefined ? settled.signal : AbortSignal.any([settled.signal, signal]);
  const time = pause(next === undefined ? ASK_WITHOUT_EVENTS : ASK_BESIDE_EVENTS, stop).then(() => "time" as const);
  try {
    return next === undefined ? await time : await Promise.race([next, time]);
  } finally {
    settled.abort();
  }
}

/** What an event says about the execution: its new state, nothing ("other"), or that it must be read (undefined). */
function executionOf(event: LiveEvent, id: string): Execution | "other" | undefined {
  if (event.kind === "execution") return event.execution.id === id ? event.execution : "other";
  return event.kind === "open" || event.kind === "gap" ? undefined : "other";
}

function passing(lastContact: () => number): (error: unknown) => undefined {
  return (error) => {
    if (!mayPass(error) || Date.now() - lastContact() > PATIENCE) throw error;
    return undefined;
  };
}

/** A late answer may still change TIMEOUT, but nobody waits for it. */
function hasEnded(state: ExecutionState): boolean {
  return state === "SUCCESS" || state === "ERROR" || state === "TIMEOUT";
}

/** What a state of the execution adds to those before. An older one adds nothing: events may lag behind answers. */
function createNews(): (execution: Execution) => readonly ExecutionUpdate[] {
  let state: ExecutionState | undefined;
  let lastSeen = "";
  return (execution) => {
    const latest = execution.response?.received_at ?? "";
    if (latest < lastSeen) return [];
    const known = execution.log ?? (execution.response === undefined ? [] : [execution.response]);
    const responses = known
      .filter((response) => response.received_at > lastSeen)
      .toSorted((a, b) => (a.received_at < b.received_at ? -1 : 1));
    if (responses.length === 0 && execution.state === state) return [];
    state = execution.state;
    lastSeen = latest;
    return [{ execution, responses }];
  };
}
