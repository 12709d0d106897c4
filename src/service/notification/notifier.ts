// Decides what is told to whom: looks at what has changed or is due, folds it (core/notification), and stores what is told together
// with the messages. One node at a time looks at a site. What it decides counts only if nothing has changed meanwhile.

import { parseAlertKey } from "#core/link/linked-key.ts";
import type { MessageContent, MessageItem } from "#core/notification/message.ts";
import type { Notification } from "#core/notification/notification.ts";
import { type PlannedMessage, planMessages } from "#core/notification/plan-messages.ts";
import type { Watched } from "#core/notification/watch.ts";
import type { Site } from "#core/site/site.ts";
import type { Instant } from "#core/time/instant.ts";
import { describeAlert } from "#service/alert/describe-alert.ts";
import { silenceOf } from "#service/alert/silence.ts";
import type { Background } from "#service/background.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { After } from "#service/deadlines.ts";
import { createLookout } from "#service/lookout.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";
import type { StoredWatch } from "#service/ports/message-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { watchContext } from "./watch-context.ts";

export interface Notifier {
  /** Something may be due. */
  wake(): void;
  /** Routes, channels or windows of the site have changed. Undefined: the clock was put back. */
  changed(siteId: string | undefined): Promise<void>;
  stop(): void;
}

export interface NotifierNeeds
  extends Pick<
    Needs,
    | "messages"
    | "routes"
    | "channels"
    | "alerts"
    | "devices"
    | "sites"
    | "maintenance"
    | "notifications"
    | "now"
    | "newId"
  > {
  readonly catalog: BlueprintCatalog;
  readonly siteCalendars: Pick<SiteCalendars, "book">;
  readonly background: Background;
  readonly nodes: Pick<Nodes, "claim">;
  readonly after: After;
  readonly messageDispatcher: { wake(): void };
}

/** Watches of a site that are looked at together. */
const AT_ONCE = 500;
const MOST_TRIES = 5;
/** While another node looks at a site. */
const TAKEN_MS = 1_000;
/** Calendars change, and other nodes stop. */
const LONGEST_WAIT_MS = 30_000;

type Seen = StoredWatch & {
  readonly watched: Watched;
  readonly alert: AlertRecord | undefined;
  readonly notification: Notification | undefined;
  readonly at: Instant;
};

export function createNotifier(needs: NotifierNeeds): Notifier {
  const { wake, wakeAfter, stop } = createLookout(needs, {
    name: "decide who is told",
    look,
    longestWaitMs: LONGEST_WAIT_MS,
  });

  async function look(): Promise<void> {
    let isTaken = false;
    for (const siteId of await needs.messages.dueSites(needs.now())) {
      const claim = await needs.nodes.claim(`notify ${siteId}`);
      if (claim === undefined) isTaken = true;
      else
        try {
          await planSite(needs, siteId);
        } finally {
          await claim.release();
        }
    }
    needs.messageDispatcher.wake();
    const next = await needs.messages.nextLook();
    const pause = next === undefined ? LONGEST_WAIT_MS : next - needs.now();
    wakeAfter(isTaken ? Math.max(pause, TAKEN_MS) : pause);
  }

  return {
    wake,
    async changed(siteId) {
      await needs.messages.lookAgain(siteId);
      wake();
    },
    stop,
  };
}

async function planSite(needs: NotifierNeeds, siteId: string): Promise<void> {
  const site = await needs.sites.find(siteId);
  if (site === undefined) return;
  for (let tries = 1; tries <= MOST_TRIES; ) {
    const outcome = await planOnce(needs, site);
    if (outcome === "done") return;
    tries = outcome === "outdated" ? tries + 1 : 1;
  }
  // What changes all the time is looked at again after the pause.
}

/** `more`: there may be more that is due. `outdated`: something has changed meanwhile. */
async function planOnce(needs: NotifierNeeds, site: Site): Promise<"done" | "more" | "outdated"> {
  const now = needs.now();
  const { context, longestGroupMs } = await watchContext(needs, site.id, now);
  const stored = await needs.messages.watches(site.id, now + longestGroupMs, AT_ONCE);
  if (!stored.some(({ nextAt }) => nextAt !== undefined && nextAt <= now)) return "done";
  const seen = await see(needs, { site, stored, now });
  const plan = planMessages(
    seen.map((one) => ({ key: one, watch: one.watch, watched: one.watched })),
    context,
  );
  const included = new Set(plan.messages.flatMap(({ keys }) => keys));
  const decided = plan.watches.filter(({ key }) => included.has(key) || key.nextAt === undefined || key.nextAt <= now);
  const isStored = await needs.messages.storePlan({
    ...{ siteId: site.id, now },
    watches: decided.map(({ key, watch, nextAt }) => {
      const { id, deviceId, revision } = key;
      return { id, deviceId, revision, watch, nextAt };
    }),
    messages: await Promise.all(
      plan.messages.map(async (message) => ({
        ...{ id: needs.newId(), channelId: message.channelId },
        content: await contentOf(needs, site, message),
      })),
    ),
  });
  if (!isStored) return "outdated";
  return stored.length === AT_ONCE ? "more" : "done";
}

/** In the order of happening. */
async function see(
  needs: NotifierNeeds,
  { site, stored, now }: { readonly site: Site; readonly stored: readonly StoredWatch[]; readonly now: Instant },
): Promise<readonly Seen[]> {
  const silence = await silenceOf(needs, site.id);
  const seen: Seen[] = [];
  for (const one of stored) {
    const name = one.deviceId === undefined ? undefined : parseAlertKey(one.id);
    const alert = name && (await needs.alerts.find(name));
    const notification = one.deviceId === undefined ? await needs.notifications.find(site.id, one.id) : undefined;
    const isActive = alert === undefined ? notification !== undefined : alert.clearedAt === undefined;
    const silencedUntil = alert !== undefined && isActive ? await silence(alert.deviceId) : undefined;
    seen.push({
      ...{ ...one, alert, notification, at: alert?.raisedAt ?? notification?.at ?? now },
      watched: {
        ...{ kind: one.deviceId === undefined ? "rule" : "alert", isActive, silencedUntil },
        severity: alert?.severity ?? notification?.severity ?? "info",
        readLevel: alert?.readLevel ?? "readonly",
        blueprintId: alert?.blueprintId,
        isHard: alert?.isHard ?? true,
        isAcknowledged: alert?.acknowledgement !== undefined,
      },
    });
  }
  return seen.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

async function contentOf(needs: NotifierNeeds, site: Site, message: PlannedMessage<Seen>): Promise<MessageContent> {
  const { kind, count, keys } = message;
  const items = await Promise.all(keys.map((one) => itemOf(needs, one)));
  return { kind, site: site.name, timezone: site.timezone, count, items };
}

async function itemOf(needs: NotifierNeeds, { id, deviceId, alert, notification, at }: Seen): Promise<MessageItem> {
  if (notification !== undefined) {
    const { severity, title, text, source } = notification;
    const none = { device: undefined, deviceId: undefined, alertId: undefined };
    return { ...none, severity, name: title ?? source.slug, text, at };
  }
  const device = deviceId === undefined ? undefined : await needs.devices.find(deviceId);
  const head = { device: device?.name ?? deviceId, deviceId, at };
  // It was forgotten, so it is over.
  if (alert === undefined) {
    const alertId = parseAlertKey(id)?.alertId;
    return { ...head, alertId, severity: "info", name: alertId ?? id, text: undefined };
  }
  const { declared } = await describeAlert(needs, alert);
  return {
    ...{ ...head, alertId: alert.alertId, severity: alert.severity },
    name: declared?.displayName ?? alert.alertId,
    text: declared?.description === "" ? undefined : declared?.description,
  };
}
