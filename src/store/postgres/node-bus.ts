// The connection over which a node hears of the others: notifications, the notes of changes that must not be missed, and
// claims. It is opened again whenever it is lost.
//
// A notification is sent after the commit, in a transaction of its own. NOTIFY inside of the transactions would make all
// commits of the database wait for each other. A node that dies in between sends none, so nothing depends on them.

import type pg from "pg";
import { itemAt } from "#core/item-at.ts";
import type { Claim, NodeMessage, Nodes } from "#service/ports/nodes.ts";
import { clientConfig } from "./connect.ts";
import { DatabaseClient } from "./database-client.ts";
import { lockNumber } from "./lock-number.ts";
import { newestKnown, requireNotTooOld, VERSION_CLASS } from "./migrate.ts";
import { NEW_NOTES, PRUNE_NOTES } from "./node-notes.ts";
import { serverTrouble } from "./trouble.ts";

const CHANNEL = "busbar";
/** Distinguishes the locks of nodes from those of other programs. */
const NODE_CLASS = 723_841;
/** The lock that every node shares, so that they can be counted. */
const PRESENT = 0;
/** How often notes are read without a notification. */
const LOOK_EVERY_MS = 300;
/** What began to be read at most so long ago holds everything that was changed a second ago. */
const CURRENT_MS = 900;
/** A connection that has not answered for so long is given up, and its claims with it. */
const SILENT_MS = 4_000;
/** Well below the time for which notes are kept. */
const MISSED_MS = 120_000;
const PRUNE_EVERY_MS = 60_000;
const AGAIN_MS = [50, 100, 200, 500, 1_000];
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
const MAX_WAITING = 10_000;
/** So long news of events wait for more. Whoever follows events gathers them for longer than that. */
const GATHER_MS = 10;

/** What a notification holds: messages, or that events were stored. */
interface Payload {
  readonly events?: true;
  readonly notes?: true;
  readonly messages?: readonly NodeMessage[];
}

export interface NodeBus extends Nodes {
  /** This node has stored events, or notes. */
  stored(what: "events" | "notes"): void;
  /** Whether notifications arrive now. */
  isListening(): boolean;
  close(): Promise<void>;
}

export interface BusSettings {
  readonly url: string;
  /** Events of another node may be there. */
  readonly onEvents: () => void;
  readonly onLost: (error: Error) => void;
  /** False in tests of what holds without notifications: none is sent, and none is heard. */
  readonly notifications?: boolean;
  /** The newest migration that this node knows. */
  readonly knows?: number;
  /** How often a node looks for notes by itself. */
  readonly lookEveryMs?: number;
}

interface Session {
  readonly client: pg.Client;
  readonly gone: AbortController;
}

export function openNodeBus(settings: BusSettings): NodeBus {
  const { url, onEvents, onLost, notifications = true, lookEveryMs = LOOK_EVERY_MS } = settings;
  const { knows = newestKnown() } = settings;
  const listeners = new Set<(message: NodeMessage) => void>();
  const waiting: NodeMessage[] = [];
  const news = { events: false, notes: false };
  const closing = new AbortController();
  /** A session may take a lock of its own twice. */
  const held = new Set<string>();
  let session: Session | undefined;
  /** Of the server, at the latest look. */
  let snapshot: string | undefined;
  /** When the latest look that succeeded began. */
  let lookedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = performance.now();
  let wake = () => {};
  let isSending = false;
  /** Until news of events leave that nothing more urgent has taken along. */
  let gathering: NodeJS.Timeout | undefined;
  const running = run();

  async function run(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      try {
        await openSession();
        failures = 0;
        while (!closing.signal.aborted && session?.gone.signal.aborted === false) {
          await look(session);
          await pause(lookEveryMs);
        }
      } catch (error) {
        if (!closing.signal.aborted) onLost(error instanceof Error ? error : new Error(String(error)));
      }
      await endSession();
      if (!closing.signal.aborted) await pause(itemAt(AGAIN_MS, Math.min(failures, AGAIN_MS.length - 1)));
    }
  }

  async function openSession(): Promise<void> {
    const client = new DatabaseClient({ ...clientConfig(url), pipeline: true, application_name: "busbar node" });
    const gone = new AbortController();
    client.on("error", () => gone.abort());
    client.on("end", () => {
      gone.abort();
      wake();
    });
    client.on("notification", ({ processId, payload }) => {
      if (notifications && processId !== ownProcess(client)) hear(payload);
    });
    try {
      await client.connect();
      // A node whose machine is gone loses its claims within this time.
      await client.query("SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3");
      // Notifications and old notes need not survive a crash of the server.
      await client.query("SET synchronous_commit = off");
      await client.query("SELECT pg_advisory_lock_shared($1::int, $2::int)", [NODE_CLASS, PRESENT]);
      // First the lock, then the look: a step that takes something away looks for such locks, and then takes it away.
      await client.query("SELECT pg_advisory_lock_shared($1::int, $2::int)", [VERSION_CLASS, knows]);
      await requireNotTooOld(client, knows);
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    session = { client, gone };
    // Notifications may have been lost meanwhile.
    onEvents();
    send();
  }

  async function endSession(): Promise<void> {
    const ended = session;
    session = undefined;
    ended?.gone.abort();
    await ended?.client.end().catch(() => {});
  }

  async function look({ client, gone }: Session): Promise<void> {
    const began = performance.now();
    const timer = setTimeout(() => {
      gone.abort();
      // The server may still hold the claims of a connection that we give up: it closes it, too.
      client.connection.stream.destroy();
    }, SILENT_MS);
    try {
      const { rows } = await client.query<{ snapshot: string; messages: readonly string[] }>({
        name: "notes",
        text: NEW_NOTES,
        values: [snapshot ?? "1:1:"],
      });
      const [row] = rows;
      if (row === undefined) return;
      const isFirst = snapshot === undefined;
      const isLate = !isFirst && began - lookedAt > MISSED_MS;
      snapshot = row.snapshot;
      lookedAt = began;
      if (isLate) deliverHere({ kind: "missed" });
      else if (!isFirst) for (const message of row.messages) deliverHere(JSON.parse(message) as NodeMessage);
      if (began - prunedAt > PRUNE_EVERY_MS) {
        prunedAt = began;
        await client.query(PRUNE_NOTES);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  function hear(payload: string | undefined): void {
    const { events, notes, messages = [] } = parsePayload(payload);
    // Somebody waits for what messages bring about.
    for (const message of messages) deliverHere(message);
    if (notes === true) wake();
    if (events === true) onEvents();
  }

  function deliverHere(message: NodeMessage): void {
    for (const listener of listeners) listener(message);
  }

  /** What gathers while a notification is on its way leaves with the next one. */
  function send(isUrgent = news.notes || waiting.length > 0): void {
    if (!notifications || isSending || session === undefined || !hasNews()) return;
    if (!isUrgent) {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        send(true);
      }, GATHER_MS);
      return;
    }
    clearTimeout(gathering);
    gathering = undefined;
    isSending = true;
    const { client } = session;
    setImmediate(() => {
      client
        .query({ name: "notify", text: "SELECT pg_notify($1, $2)", values: [CHANNEL, nextPayload()] })
        .catch(() => {})
        .finally(() => {
          isSending = false;
          send();
        });
    });
  }

  function hasNews(): boolean {
    return news.events || news.notes || waiting.length > 0;
  }

  function nextPayload(): string {
    const messages: NodeMessage[] = [];
    for (let bytes = 100; ; ) {
      const [next] = waiting;
      if (next === undefined) break;
      bytes += Buffer.byteLength(JSON.stringify(next)) + 1;
      if (bytes > MAX_PAYLOAD_BYTES && messages.length > 0) break;
      messages.push(next);
      waiting.shift();
    }
    const payload: Payload = {
      ...(news.events && { events: true }),
      ...(news.notes && { notes: true }),
      ...(messages.length > 0 && { messages }),
    };
    news.events = false;
    news.notes = false;
    return JSON.stringify(payload);
  }

  async function query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (session === undefined) return [];
    const { rows } = await session.client.query<Row>(text, [...values]);
    return rows;
  }

  return {
    isShared: true,
    broadcast(message) {
      if (waiting.length >= MAX_WAITING) waiting.shift();
      waiting.push(message);
      send();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isCurrent: () => performance.now() - lookedAt < CURRENT_MS,
    async claim(name) {
      const owner = session;
      if (owner === undefined || held.has(name)) return undefined;
      held.add(name);
      try {
        const claim = await claimOn(owner, claimNumber(name), () => held.delete(name));
        if (claim === undefined) held.delete(name);
        return claim;
      } catch (error) {
        held.delete(name);
        if (serverTrouble(error) === undefined) throw error;
        return undefined;
      }
    },
    async held(names) {
      const numbers = new Map(names.map((name) => [String(claimNumber(name)), name]));
      const rows = await query<{ number: string }>(HELD, [[...numbers.keys()]]);
      return new Set(rows.flatMap(({ number }) => numbers.get(number) ?? []));
    },
    async count() {
      const [row] = await query<{ count: number }>(
        `SELECT count(DISTINCT pid) AS count FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND classid = $1::int::oid AND objid = $2::int::oid AND objsubid = 2
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        [NODE_CLASS, PRESENT],
      );
      return Math.max(1, row?.count ?? 1);
    },
    stored(what) {
      news[what] = true;
      send();
    },
    isListening: () => notifications && session !== undefined,
    async close() {
      clearTimeout(gathering);
      closing.abort();
      wake();
      await running;
    },
  };
}

const claimNumber = (name: string) => lockNumber(`claim ${name}`);

/** A lock of 64 bits is listed as its two halves. */
const HELD = `SELECT number FROM (
  SELECT (classid::bigint << 32 | objid::bigint)::text AS number FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
) AS advisory WHERE number = ANY ($1::text[])`;

/**
 * Undefined when another node has it. A claim may last for months, so that two names with one number would exclude each
 * other: the number has 64 bits, like those of the locks of writes, whose names are others.
 */
async function claimOn({ client, gone }: Session, number: bigint, onEnd: () => void): Promise<Claim | undefined> {
  const { rows } = await client.query<{ mine: boolean }>("SELECT pg_try_advisory_lock($1::bigint) AS mine", [number]);
  if (rows[0]?.mine !== true || gone.signal.aborted) return undefined;
  let isHeld = true;
  const end = () => {
    const was = isHeld;
    isHeld = false;
    if (was) onEnd();
    return was;
  };
  gone.signal.addEventListener("abort", end, { once: true });
  return {
    lost: gone.signal,
    async release() {
      gone.signal.removeEventListener("abort", end);
      if (!isHeld) return;
      await client.query("SELECT pg_advisory_unlock($1::bigint)", [number]).catch(() => {});
      end();
    },
  };
}

function ownProcess(client: pg.Client): number | undefined {
  return (client as unknown as { readonly processID?: number }).processID;
}

/** Anything may be sent on the channel by whoever may use the database. */
function parsePayload(payload: string | undefined): Payload {
  try {
    const parsed: unknown = JSON.parse(payload ?? "");
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
