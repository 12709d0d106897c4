import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { AppError, type Refusal } from "#core/app-error.ts";
import { CALENDAR_NAME } from "#core/calendar/site-calendar.ts";
import { MESSAGE_STATES } from "#core/notification/after-send.ts";
import { MESSAGE_KINDS } from "#core/notification/message.ts";
import {
  LONGEST_GROUP_MS,
  LONGEST_ROUTE_NAME,
  LONGEST_STEP_MS,
  MOST_ROUTE_PROFILES,
  MOST_STEP_CHANNELS,
  MOST_STEPS,
  type Route,
  SHORTEST_REMINDER_MS,
  USUAL_GROUP_MS,
} from "#core/notification/route.ts";
import type { Advice } from "#core/notification/watch.ts";
import { type Duration, durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { formatDuration } from "#core/time/format-duration.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";
import type { Message } from "#service/ports/message-store.ts";

const duration = (description: string) => Type.String({ minLength: 1, maxLength: 20, description });

export const newRouteSchema = described("NewNotificationRoute", "Who is notified of what.", {
  name: name("For people. Unique within the site.", LONGEST_ROUTE_NAME),
  enabled: Type.Optional(Type.Boolean({ description: "Default true." })),
  severity: Type.Optional(oneOf(ALERT_SEVERITIES, { description: "Of this severity and graver ones. Default info." })),
  profiles: Type.Optional(
    Type.Array(id("Name of a profile."), {
      maxItems: MOST_ROUTE_PROFILES,
      description: "Only alerts of devices that implement one of these. Default: of all devices.",
    }),
  ),
  hours: Type.Optional(
    Type.String({ pattern: CALENDAR_NAME.source, description: "Only while this calendar of the site is on." }),
  ),
  rules: Type.Optional(Type.Boolean({ description: "Also messages that rules send. Default true." })),
  group: Type.Optional(duration("Alerts within this time are sent together. Default 30s, at most 1h.")),
  remind: Type.Optional(duration("A reminder after this time, until acknowledged. At least 1m. Default: never.")),
  over: Type.Optional(
    Type.Boolean({ description: "Whoever was notified of an alert is notified when it is over. Default true." }),
  ),
  steps: Type.Array(
    strict("NewNotificationStep", {
      after: Type.Optional(duration("While nobody has acknowledged the alert. Default 0s, at most 7d.")),
      channels: Type.Array(id("Channel identifier."), { minItems: 1, maxItems: MOST_STEP_CHANNELS, uniqueItems: true }),
    }),
    { minItems: 1, maxItems: MOST_STEPS, description: "Who is notified, and who else after which time." },
  ),
});

export const routeSchema = described("NotificationRoute", "Who is notified of what.", {
  id: id("Identifier of the route."),
  site_id: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  severity: oneOf(ALERT_SEVERITIES),
  profiles: Type.Array(Type.String()),
  hours: nullable(Type.String()),
  rules: Type.Boolean(),
  group: Type.String(),
  remind: nullable(Type.String()),
  over: Type.Boolean(),
  steps: Type.Array(strict("NotificationStep", { after: Type.String(), channels: Type.Array(Type.String()) })),
  created_at: timestamp,
  updated_at: timestamp,
});

type Body = Static<typeof newRouteSchema>;
export type RouteContent = Omit<Route, "id" | "siteId" | "createdAt" | "updatedAt">;

/** Refuses with everything that is wrong. */
export function parseRoute(body: Body): RouteContent {
  const mistakes: Refusal[] = [];
  const read = (pointer: string, text: string, [least, most]: readonly [number, number]): number => {
    const parsed = parseDuration(text);
    const ms = parsed === undefined ? Number.NaN : toMilliseconds(parsed);
    if (ms >= least && ms <= most) return ms;
    const range = `must be a duration from ${shown(least)} to ${shown(most)}`;
    const message = `${pointer.slice(1).replaceAll("/", ".")} ${durationProblem(text) ?? range}`;
    mistakes.push({ code: "invalid_body", message, details: { pointer } });
    return least;
  };
  const steps = body.steps.map(({ after = "0s", channels }, index) => ({
    channels,
    afterMs: read(`/steps/${index}/after`, after, [0, LONGEST_STEP_MS]),
  }));
  const { remind } = body;
  const content: RouteContent = {
    ...{ name: body.name, isEnabled: body.enabled ?? true, severity: body.severity ?? "info", steps },
    ...{ profiles: body.profiles ?? [], hours: body.hours, tellsRules: body.rules ?? true },
    groupMs: body.group === undefined ? USUAL_GROUP_MS : read("/group", body.group, [0, LONGEST_GROUP_MS]),
    remindMs: remind === undefined ? undefined : read("/remind", remind, [SHORTEST_REMINDER_MS, LONGEST_STEP_MS]),
    tellsOver: body.over ?? true,
  };
  const [first, ...rest] = mistakes;
  if (first !== undefined) throw new AppError([first, ...rest]);
  return content;
}

const shown = (ms: number): string => formatDuration((BigInt(Math.round(ms)) * 1_000_000n) as Duration);

export function renderRoute(route: Route): Static<typeof routeSchema> {
  const { remindMs, steps } = route;
  return {
    ...{ id: route.id, site_id: route.siteId, name: route.name, enabled: route.isEnabled, severity: route.severity },
    ...{ profiles: [...route.profiles], hours: route.hours ?? null, rules: route.tellsRules },
    ...{ group: shown(route.groupMs), remind: remindMs === undefined ? null : shown(remindMs), over: route.tellsOver },
    steps: steps.map(({ afterMs, channels }) => ({ after: shown(afterMs), channels: [...channels] })),
    ...{ created_at: renderInstant(route.createdAt), updated_at: renderInstant(route.updatedAt) },
  };
}

export const messageSchema = described("NotificationMessage", "A message to a channel, and what became of it.", {
  id: id("Identifier of the message: the header X-Busbar-Delivery of a webhook."),
  channel_id: Type.String(),
  kind: oneOf(MESSAGE_KINDS, {
    description: "raised: sent for the first time; reminder: again; over: it has ended; rule: a message of a rule.",
  }),
  state: oneOf(MESSAGE_STATES, {
    description:
      "FAILED: given up. UNKNOWN: it may have arrived; it is not sent again by itself, because it could come twice.",
  }),
  attempts: Type.Integer({ minimum: 0 }),
  history: Type.Array(
    strict("NotificationAttempt", {
      at: timestamp,
      outcome: oneOf(["taken", "refused", "unknown"]),
      error: nullable(Type.String()),
    }),
    { description: "The last attempts, oldest first." },
  ),
  queued_at: timestamp,
  next_attempt_at: nullable(timestamp),
  finished_at: nullable(timestamp),
  error: nullable(Type.String()),
  items: Type.Array(
    strict("NotificationItem", {
      device_id: nullable(Type.String()),
      alert_id: nullable(Type.String()),
      severity: oneOf(ALERT_SEVERITIES),
      name: Type.String(),
      at: timestamp,
    }),
  ),
});

export function renderMessage(message: Message): Static<typeof messageSchema> {
  const { content, nextAttemptAt, finishedAt } = message;
  return {
    ...{ id: message.id, channel_id: message.channelId, kind: content.kind, state: message.state },
    attempts: message.attempts,
    history: message.history.map(({ at, outcome, error }) => ({
      at: renderInstant(at),
      outcome,
      error: error ?? null,
    })),
    queued_at: renderInstant(message.queuedAt),
    next_attempt_at: nextAttemptAt === undefined ? null : renderInstant(nextAttemptAt),
    finished_at: finishedAt === undefined ? null : renderInstant(finishedAt),
    error: message.error ?? null,
    items: content.items.map(({ deviceId, alertId, severity, name: title, at }) => ({
      ...{ device_id: deviceId ?? null, alert_id: alertId ?? null, severity, name: title, at: renderInstant(at) },
    })),
  };
}

export const previewBodySchema = strict("NewNotificationPreview", {
  device_id: Type.Optional(id("Whose alert it would be. Without it: a message of a rule.")),
  severity: oneOf(ALERT_SEVERITIES),
});

export const previewSchema = described("NotificationPreview", "Who would be notified of an alert that is raised now.", {
  silenced_until: nullable(timestamp),
  tells: Type.Array(
    strict("NotificationTell", {
      channel_id: Type.String(),
      channel: Type.String({ description: "Its name." }),
      route_id: Type.String(),
      route: Type.String({ description: "Its name." }),
      at: Type.String({ format: "date-time", description: "If nobody acknowledges it before." }),
    }),
    { description: "In the order of time." },
  ),
});

export function renderPreview(
  { notices }: Advice,
  names: ReadonlyMap<string, { readonly name: string }>,
  silencedUntil: number | undefined,
): Static<typeof previewSchema> {
  return {
    silenced_until: silencedUntil === undefined ? null : renderInstant(instant(silencedUntil)),
    tells: [...notices]
      .sort((a, b) => a.dueAt - b.dueAt)
      .map(({ channelId, route, dueAt }) => ({
        ...{ channel_id: channelId, channel: names.get(channelId)?.name ?? channelId },
        ...{ route_id: route.id, route: route.name, at: renderInstant(instant(dueAt)) },
      })),
  };
}
