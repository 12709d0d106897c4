// Live telemetry for all listeners together. Values are collected for a quarter of a second and then put on the board:
// the newest value of each attribute of each device. A listener only remembers how far it has read, so a slow one costs
// no memory of its own, and text that many listeners read is made once.
import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { shownValue } from "#core/telemetry/shown-value.ts";
import { renderTelemetryEvent } from "#service/event/event-wire.ts";
import type { CurrentValue } from "#service/telemetry/read-now.ts";
import type { TelemetryFeed, TelemetryNews } from "#service/telemetry/telemetry-feed.ts";

const ROUND_MS = 250;
export const LIVE_TELEMETRY_BYTES = 16 * 1_048_576;
const ENTRY_BYTES = 512;
const VALUE_BYTES = 128;
const ITEM_BYTES = 40;
/** How many changes a slow listener may be behind. */
const MAX_PLACES = 50_000;

interface TelemetryListener {
  readonly levelAt: (siteId: string) => AccessLevel;
  readonly wants: (siteId: string, deviceId: string) => boolean;
  /** There may be something to read. */
  readonly onNews: () => void;
}

export interface TelemetryReader {
  /** The next event, as it is sent; undefined when everything was sent. */
  take(): Buffer | undefined;
  close(): void;
}

export interface TelemetryBoard {
  open(listener: TelemetryListener): TelemetryReader;
}

interface Gathered {
  readonly siteId: string;
  readonly values: Map<string, CurrentValue & { readonly accessLevel: AccessLevel }>;
}

interface Value extends CurrentValue {
  readonly accessLevel: AccessLevel;
  /** The version of the entry with which it came. */
  readonly version: number;
}

/** One device. Each change creates a new entry, which takes over the content of the previous one. */
interface Entry {
  readonly siteId: string;
  readonly deviceId: string;
  readonly values: Map<string, Value>;
  readonly version: number;
  /** The version of the entry that this one replaced. */
  readonly replaced: number;
  readonly bytes: number;
  /** Text by level, for listeners that have read everything earlier. */
  readonly rendered: (Buffer | null | undefined)[];
}

interface Reader {
  readonly listener: TelemetryListener;
  /** Every entry up to this one is read or replaced by a later one. */
  cursor: number;
  /** The cursor when it had last read everything: newer values may not be sent yet. */
  since: number;
}

export function createTelemetryBoard(feed: TelemetryFeed, budget: ByteBudget, roundMs = ROUND_MS): TelemetryBoard {
  const readers = new Set<Reader>();
  /** What came since the last round, by device. */
  const gathered = new Map<string, Gathered>();
  let gatheredBytes = 0;
  const entries = new Map<string, Entry>();
  /** The entry of version n is at n - base. A replaced one leaves its place empty. */
  let log: (Entry | undefined)[] = [];
  let base = 1;
  /** Everything before this version is forgotten. */
  let first = 1;
  let timer: NodeJS.Timeout | undefined;
  let stopWatching: (() => void) | undefined;
  const last = () => base + log.length - 1;

  function gather({ siteId, deviceId, at, values }: TelemetryNews): void {
    const device = gathered.get(deviceId) ?? { siteId, values: new Map() };
    gathered.set(deviceId, device);
    for (const [{ id, type, accessLevel }, stored] of values) {
      const value = shownValue(type, stored);
      if (value === undefined) continue;
      const before = device.values.get(id);
      if (before !== undefined && at < before.at) continue;
      gatheredBytes += bytesOf(id, value) - (before === undefined ? 0 : bytesOf(id, before.value));
      device.values.set(id, { at, value, accessLevel });
    }
    if (gatheredBytes > budget.limit / 2) beginRound();
    else timer ??= setTimeout(beginRound, roundMs);
  }

  function beginRound(): void {
    clearTimeout(timer);
    timer = undefined;
    forgetRead();
    for (const [deviceId, device] of gathered) post(deviceId, device);
    gathered.clear();
    gatheredBytes = 0;
    for (const { listener } of readers) listener.onNews();
  }

  function post(deviceId: string, { siteId, values: fresh }: Gathered): void {
    const before = entries.get(deviceId);
    const version = last() + 1;
    const values = new Map(before?.values);
    for (const [id, value] of fresh) {
      if (value.at >= (values.get(id)?.at ?? value.at)) values.set(id, { ...value, version });
    }
    if (before !== undefined) forget(before);
    let bytes = ENTRY_BYTES;
    for (const [id, { value }] of values) bytes += bytesOf(id, value);
    // A listener that has not read the oldest by now misses it.
    while (version - first >= MAX_PLACES || !budget.take(bytes)) if (!forgetOldest()) return;
    const entry = { siteId, deviceId, values, version, replaced: before?.version ?? 0, bytes, rendered: [] };
    log.push(entry);
    entries.set(deviceId, entry);
  }

  function forget(entry: Entry): void {
    budget.give(entry.bytes);
    entries.delete(entry.deviceId);
    log[entry.version - base] = undefined;
  }

  function forgetOldest(): boolean {
    if (first > last()) return false;
    const entry = log[first - base];
    if (entry !== undefined) forget(entry);
    first++;
    return true;
  }

  /** The version up to which every listener has read. */
  function forgetRead(): void {
    let read = last();
    for (const { cursor } of readers) read = Math.min(read, cursor);
    while (first <= read) forgetOldest();
    log = log.slice(first - base);
    base = first;
  }

  function take(reader: Reader): Buffer | undefined {
    reader.cursor = Math.max(reader.cursor, first - 1);
    while (reader.cursor < last()) {
      reader.cursor++;
      const entry = log[reader.cursor - base];
      const { levelAt, wants } = reader.listener;
      if (entry === undefined || !wants(entry.siteId, entry.deviceId)) continue;
      const level = levelAt(entry.siteId);
      const text = entry.replaced <= reader.since ? renderOnce(entry, level) : render(entry, level, reader.since);
      if (text !== null) return text;
    }
    reader.since = reader.cursor;
    return undefined;
  }

  return {
    open(listener) {
      const reader: Reader = { listener, cursor: last(), since: last() };
      readers.add(reader);
      stopWatching ??= feed.watch(gather);
      return {
        take: () => take(reader),
        close() {
          readers.delete(reader);
          if (readers.size > 0) return;
          stopWatching?.();
          stopWatching = undefined;
          clearTimeout(timer);
          timer = undefined;
          gathered.clear();
          gatheredBytes = 0;
          forgetRead();
        },
      };
    },
  };
}

function renderOnce(entry: Entry, level: AccessLevel): Buffer | null {
  const at = ACCESS_LEVELS.indexOf(level);
  const known = entry.rendered[at];
  if (known !== undefined) return known;
  const made = render(entry, level, entry.version - 1);
  entry.rendered[at] = made;
  return made;
}

/** The values newer than `since` that the level may read. */
function render({ siteId, deviceId, values }: Entry, level: AccessLevel, since: number): Buffer | null {
  const visible = new Map([...values].filter(([, one]) => one.version > since && allows(level, one.accessLevel)));
  return visible.size === 0 ? null : renderTelemetryEvent({ siteId, deviceId, values: visible });
}

function bytesOf(id: string, value: CurrentValue["value"]): number {
  if (typeof value === "object") return value.reduce((sum, item) => sum + ITEM_BYTES + 2 * item.length, VALUE_BYTES);
  return VALUE_BYTES + id.length + (typeof value === "string" ? 2 * value.length : 0);
}
