import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { MESSAGE_STATES } from "#core/notification/after-send.ts";
import { MESSAGE_KINDS, type MessageContent } from "#core/notification/message.ts";
import { NEW_WATCH, type Notified, type Watch } from "#core/notification/watch.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Message, SendAttempt, StoredWatch } from "#service/ports/message-store.ts";
import type { Database, Row } from "#store/database.ts";
import { number, oneOf, optionalText, optionalTime, text, time } from "./row.ts";
import { readRows, type StoredRow, storedJson } from "./stored-json.ts";

export const MESSAGE_COLUMNS =
  "id, site_id, channel_id, content, state, attempts, history, queued_at, next_attempt_at, give_up_at, error, finished_at";

export function readMessages(database: Database, rows: readonly Row[]): readonly Message[] {
  const table = "notification_message";
  return readRows(database, { table, rows }, (row) => parseMessage({ database, table, row }));
}

export function parseMessage(from: StoredRow): Message {
  const { row } = from;
  return {
    ...{ id: text(row, "id"), siteId: text(row, "site_id"), channelId: text(row, "channel_id") },
    content: storedJson(from, "content", isContent) ?? DAMAGED,
    state: oneOf(row, "state", MESSAGE_STATES),
    attempts: number(row, "attempts"),
    history: (storedJson(from, "history", isHistory) ?? []).map(({ at, outcome, error }) => ({ at, outcome, error })),
    queuedAt: time(row, "queued_at"),
    nextAttemptAt: optionalTime(row, "next_attempt_at"),
    giveUpAt: time(row, "give_up_at"),
    error: optionalText(row, "error"),
    finishedAt: optionalTime(row, "finished_at"),
  };
}

/** It is sent all the same: that something happened is better than nothing. */
const DAMAGED: MessageContent = { kind: "raised", site: "?", timezone: "UTC", count: 0, items: [] };

function isContent(value: unknown): value is MessageContent {
  const { kind, site, timezone, count, items } = (value ?? {}) as Record<string, unknown>;
  return (
    MESSAGE_KINDS.some((one) => one === kind) &&
    typeof site === "string" &&
    typeof timezone === "string" &&
    typeof count === "number" &&
    Array.isArray(items) &&
    items.every(isItem)
  );
}

function isItem(value: unknown): boolean {
  const { severity, name, at } = (value ?? {}) as Record<string, unknown>;
  return ALERT_SEVERITIES.some((one) => one === severity) && typeof name === "string" && typeof at === "number";
}

function isHistory(value: unknown): value is readonly SendAttempt[] {
  return Array.isArray(value) && value.every((one) => typeof (one as SendAttempt | null)?.at === "number");
}

export const WATCH_COLUMNS = "id, device_id, state, next_at, revision";

export function readWatches(database: Database, rows: readonly Row[]): readonly StoredWatch[] {
  const table = "notification_watch";
  return readRows(database, { table, rows }, (row) => ({
    id: text(row, "id"),
    deviceId: optionalText(row, "device_id"),
    watch: row["state"] === null ? NEW_WATCH : parseWatch({ database, table, row }),
    nextAt: optionalTime(row, "next_at"),
    revision: number(row, "revision"),
  }));
}

interface StoredState {
  readonly since?: number;
  readonly overAt?: number;
  readonly told: readonly (readonly [string, number, number])[];
}

export const watchJson = ({ since, overAt, notified }: Watch): string =>
  JSON.stringify({ since, overAt, told: [...notified].map(([channel, { at, count }]) => [channel, at, count]) });

/** What is damaged counts as not told. */
function parseWatch(from: StoredRow): Watch {
  const state = storedJson(from, "state", isState);
  if (state === undefined) return NEW_WATCH;
  const moment = (at: number | undefined): Instant | undefined => (at === undefined ? undefined : instant(at));
  const notified = state.told.map(([channel, at, count]): [string, Notified] => [channel, { at: instant(at), count }]);
  return { since: moment(state.since), overAt: moment(state.overAt), notified: new Map(notified) };
}

function isState(value: unknown): value is StoredState {
  const { since, overAt, told } = (value ?? {}) as Record<string, unknown>;
  const isMoment = (one: unknown) => one === undefined || typeof one === "number";
  return isMoment(since) && isMoment(overAt) && Array.isArray(told) && told.every((one) => Array.isArray(one));
}
