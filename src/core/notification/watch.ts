// What is to be told of one alert, or of one message of a rule, and when: a pure fold. It goes by channels, so a channel that
// several routes name is told once. Everything that was told is in the state, which is stored together with the messages: a restart
// or another node goes on from there. Times are absolute. A clock that was put back makes nothing come twice, and nothing wait for
// longer than it would have.
import { type AccessLevel, allows } from "#core/access/level.ts";
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Channel } from "./channel.ts";
import type { Route } from "./route.ts";
import { isAtLeast } from "./severity.ts";

/** How far one channel has been told. */
export interface Notified {
  readonly at: Instant;
  readonly count: number;
}

export interface Watch {
  /** When it could first be told. */
  readonly since: Instant | undefined;
  /** When its end was seen. */
  readonly overAt: Instant | undefined;
  /** By channel. Once a channel was told that it is over, it is not in here any more. */
  readonly notified: ReadonlyMap<string, Notified>;
}

export const NEW_WATCH: Watch = { since: undefined, overAt: undefined, notified: new Map() };

export interface Watched {
  readonly kind: "alert" | "rule";
  readonly severity: AlertSeverity;
  readonly readLevel: AccessLevel;
  readonly blueprintId: string | undefined;
  /** Its grace period has passed. */
  readonly isHard: boolean;
  readonly isActive: boolean;
  readonly isAcknowledged: boolean;
  /** By a maintenance window. */
  readonly silencedUntil: Instant | undefined;
}

/** What a calendar says. `until`: it stays so up to then; undefined: for a year at least. */
interface CalendarNow {
  readonly isOn: boolean;
  readonly until: number | undefined;
}

export interface WatchContext {
  readonly now: Instant;
  readonly routes: readonly Route[];
  readonly channels: ReadonlyMap<string, Pick<Channel, "quiet" | "level">>;
  /** Undefined: nobody knows. Then a route holds, and nothing is quiet: rather one message too many than one too few. */
  readonly calendar: (name: string) => CalendarNow | undefined;
  /** Blueprints that implement a profile. */
  readonly implementing: (profile: string) => ReadonlySet<string>;
  /** Channels with messages that wait: nobody is reminded of what has not arrived. */
  readonly behind: ReadonlySet<string>;
}

export type NoticeKind = "raised" | "reminder" | "over" | "rule";

export interface Notice {
  readonly channelId: string;
  readonly kind: NoticeKind;
  readonly dueAt: number;
  /** It may come so much earlier, together with others. */
  readonly groupMs: number;
  readonly route: Pick<Route, "id" | "name">;
}

export interface Advice {
  /** Undefined: nothing is to be told any more. */
  readonly watch: Watch | undefined;
  readonly notices: readonly Notice[];
  /** When to look again, if nothing changes before. Undefined: not before something changes. */
  readonly nextAt: Instant | undefined;
}

const MOST_REMINDERS = 1_000;
/** When nobody knows how long a calendar stays as it is, or a channel is behind. */
const LOOK_AGAIN_MS = 60_000;

export function advise(stored: Watch, watched: Watched, context: WatchContext): Advice {
  const { now } = context;
  const before = notAhead(stored, now);
  if (!watched.isActive) return adviseOver(before, watched, context);
  const watch = { ...before, overAt: undefined };
  if (!watched.isHard || watched.silencedUntil !== undefined)
    return { watch, notices: [], nextAt: watched.silencedUntil };
  const since = watch.since ?? now;
  const seen = { ...watch, since };
  if (watched.isAcknowledged) return { watch: seen, notices: [], nextAt: undefined };
  const { wishes, changesAt } = wishesFor(watched, context, since);
  const notices = wishes.flatMap((wish) => noticeOf(wish, seen, { watched, context, since }) ?? []);
  if (watched.kind === "rule" && notices.length === 0) return { watch: undefined, notices, nextAt: undefined };
  return { watch: seen, notices, nextAt: earliest([...changesAt, ...notices.map(({ dueAt }) => dueAt)]) };
}

/** Times that lie ahead are of a clock that was put back: they count as now. */
function notAhead({ since, overAt, notified }: Watch, now: Instant): Watch {
  const cut = (at: Instant) => instant(Math.min(at, now));
  const times = [...notified].map(([channel, { at, count }]): [string, Notified] => [channel, { at: cut(at), count }]);
  return { since: since && cut(since), overAt: overAt && cut(overAt), notified: new Map(times) };
}

/** What the watch is after these channels were told. */
export function withNotified(watch: Watch, notices: readonly Notice[], now: Instant): Watch {
  const notified = new Map(watch.notified);
  for (const { channelId, kind } of notices) {
    if (kind === "over") notified.delete(channelId);
    else notified.set(channelId, { at: now, count: (notified.get(channelId)?.count ?? -1) + 1 });
  }
  return { ...watch, notified };
}

interface Wish {
  readonly channelId: string;
  readonly afterMs: number;
  readonly groupMs: number;
  readonly remindMs: number | undefined;
  readonly route: Pick<Route, "id" | "name">;
}

/** Of each channel the earliest step and the shortest reminder of all routes that hold now. */
function wishesFor(
  watched: Watched,
  context: WatchContext,
  since: Instant,
): { readonly wishes: readonly Wish[]; readonly changesAt: readonly number[] } {
  const wishes = new Map<string, Wish>();
  const changesAt: number[] = [];
  for (const route of context.routes) {
    if (!fits(route, watched, context) || route.createdAt > since) continue;
    const hours = route.hours === undefined ? undefined : context.calendar(route.hours);
    if (hours !== undefined) changesAt.push(hours.until ?? context.now + LOOK_AGAIN_MS);
    if (hours !== undefined && !hours.isOn) continue;
    // A message of a rule is told once, to the first.
    for (const step of watched.kind === "rule" ? route.steps.slice(0, 1) : route.steps) {
      for (const channelId of step.channels) {
        const channel = context.channels.get(channelId);
        if (channel === undefined || !allows(channel.level, watched.readLevel)) continue;
        const wish = { channelId, ...route, ...step, route: { id: route.id, name: route.name } };
        wishes.set(channelId, merged(wishes.get(channelId), wish));
      }
    }
  }
  return { wishes: [...wishes.values()], changesAt };
}

function fits(route: Route, { kind, severity, blueprintId }: Watched, { implementing }: WatchContext): boolean {
  if (!route.isEnabled || !isAtLeast(severity, route.severity)) return false;
  if (kind === "rule") return route.tellsRules && route.profiles.length === 0;
  if (route.profiles.length === 0) return true;
  return blueprintId !== undefined && route.profiles.some((profile) => implementing(profile).has(blueprintId));
}

function merged(known: Wish | undefined, { channelId, afterMs, groupMs, remindMs, route }: Wish): Wish {
  const wish = { channelId, afterMs, groupMs, remindMs, route };
  if (known === undefined) return wish;
  const reminders = [known.remindMs, remindMs].filter((ms) => ms !== undefined);
  const first = afterMs + groupMs < known.afterMs + known.groupMs ? wish : known;
  return { ...first, remindMs: reminders.length === 0 ? undefined : Math.min(...reminders) };
}

interface At {
  readonly watched: Watched;
  readonly context: WatchContext;
  readonly since: Instant;
}

function noticeOf(wish: Wish, watch: Watch, { watched, context, since }: At): Notice | undefined {
  const { channelId, groupMs, route } = wish;
  const notified = watch.notified.get(channelId);
  const notice = (kind: NoticeKind, at: number) => ({
    ...{ channelId, kind, groupMs, route },
    dueAt: outsideQuiet(channelId, at, { watched, context }),
  });
  if (notified === undefined) {
    if (watched.kind === "rule") return notice("rule", since + groupMs);
    return notice("raised", since + wish.afterMs + groupMs);
  }
  if (watched.kind === "rule" || wish.remindMs === undefined || notified.count >= MOST_REMINDERS) return undefined;
  const due = notified.at + wish.remindMs;
  return notice("reminder", context.behind.has(channelId) ? Math.max(due, context.now + LOOK_AGAIN_MS) : due);
}

/** The moment itself, or the end of the hours in which the channel is left alone. */
function outsideQuiet(channelId: string, at: number, { watched, context }: Pick<At, "watched" | "context">): number {
  const quiet = context.channels.get(channelId)?.quiet;
  if (quiet === undefined) return at;
  if (quiet.except !== undefined && isAtLeast(watched.severity, quiet.except)) return at;
  const state = context.calendar(quiet.calendar);
  if (state?.isOn !== true) return at;
  return Math.max(at, state.until ?? context.now + LOOK_AGAIN_MS);
}

/** Whoever was told of it is told that it is over, if a route that names the channel says so. */
function adviseOver(before: Watch, watched: Watched, context: WatchContext): Advice {
  if (watched.kind === "rule") return { watch: undefined, notices: [], nextAt: undefined };
  const { now } = context;
  const overAt = before.overAt ?? now;
  const notified = new Map<string, Notified>();
  const notices: Notice[] = [];
  for (const [channelId, one] of before.notified) {
    const route = context.routes.find(
      ({ tellsOver, isEnabled, steps }) =>
        tellsOver && isEnabled && steps.some(({ channels }) => channels.includes(channelId)),
    );
    if (route === undefined || !context.channels.has(channelId)) continue;
    notified.set(channelId, one);
    const dueAt = outsideQuiet(channelId, overAt + route.groupMs, { watched, context });
    notices.push({ channelId, kind: "over", dueAt, groupMs: route.groupMs, route: { id: route.id, name: route.name } });
  }
  if (notices.length === 0) return { watch: undefined, notices, nextAt: undefined };
  return { watch: { ...before, overAt, notified }, notices, nextAt: earliest(notices.map(({ dueAt }) => dueAt)) };
}

const earliest = (times: readonly number[]): Instant | undefined =>
  times.length === 0 ? undefined : instant(Math.min(...times));
