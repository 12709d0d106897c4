import type { AlertChangeKind } from "#core/alert/alert-state.ts";
import { type AlertName, parseAlertKey } from "#core/link/linked-key.ts";
import type { LinkedAlert } from "#core/link/messages.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { describeAlert } from "#service/alert/describe-alert.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { AlertRecord } from "#service/ports/alert-store.ts";
import type { Needs } from "#service/ports.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";

export interface CopyAlertNeeds extends Pick<Needs, "alerts" | "blueprints" | "copies" | "now"> {
  readonly catalog: BlueprintCatalog;
  readonly prepareEvent: PrepareEvent;
  readonly webhookDispatcher: Pick<WebhookDispatcher, "noticesOf" | "wake">;
}

/** Stores the alert as its gateway knows it, and sends what is new about it to listeners and webhooks. */
export async function copyAlert(
  needs: CopyAlertNeeds,
  source: { readonly gatewayId: string; readonly devices: ReadonlyMap<string, string> },
  { key, value }: { readonly key: string; readonly value: LinkedAlert | null },
): Promise<void> {
  const name = parseAlertKey(key);
  const siteId = name && source.devices.get(name.deviceId);
  // Its device was deleted meanwhile, or is another gateway's.
  if (name === undefined || siteId === undefined) return;
  const before = await needs.alerts.find(name);
  const acknowledgement = before?.acknowledgement;
  const copy = value === null ? endOf(before, needs.now()) : await recordOf(needs, { name, siteId, value });
  const record = copy && { ...copy, acknowledgement };
  if (record === undefined) return;
  const news = newsOf(before, record, needs.now());
  const place = { siteId, deviceId: name.deviceId };
  const events =
    news === undefined
      ? []
      : [needs.prepareEvent({ ...place, kind: "alert", ...news, alert: await describeAlert(needs, record) })];
  const notices = needs.webhookDispatcher.noticesOf(events);
  await needs.copies.alert(source.gatewayId, record, { events, notices });
  if (notices.length > 0) needs.webhookDispatcher.wake();
}

async function recordOf(
  needs: CopyAlertNeeds,
  { name, siteId, value }: { readonly name: AlertName; readonly siteId: string; readonly value: LinkedAlert },
): Promise<Omit<AlertRecord, "acknowledgement">> {
  const { blueprintDigest, ...alert } = value;
  const blueprint = blueprintDigest === undefined ? undefined : await needs.blueprints.findByDigest(blueprintDigest);
  return { ...alert, ...name, siteId, blueprintId: blueprint?.id };
}

/** The gateway does not have it any more, after a restore for example. Whoever heard of it hears that it is over. */
function endOf(before: AlertRecord | undefined, now: Instant): AlertRecord | undefined {
  if (before === undefined || before.clearedAt !== undefined) return undefined;
  return { ...before, clearedAt: instant(Math.max(now, before.raisedAt)) };
}

/** An alert that is over before the cloud hears of it is kept, and not announced. */
function newsOf(
  before: AlertRecord | undefined,
  after: AlertRecord,
  now: Instant,
): { readonly change: AlertChangeKind; readonly at: Instant } | undefined {
  if (before === undefined || (before.clearedAt !== undefined && after.clearedAt === undefined)) {
    return after.clearedAt === undefined ? { change: "raised", at: after.raisedAt } : undefined;
  }
  if (before.clearedAt !== undefined) return undefined;
  if (after.clearedAt !== undefined) return { change: "cleared", at: after.clearedAt };
  if (!before.isHard && after.isHard) return { change: "hardened", at: after.hardensAt };
  if (before.notConfirmedSince === after.notConfirmedSince) return undefined;
  return after.notConfirmedSince === undefined ? { change: "confirmed", at: now } : { change: "unconfirmed", at: now };
}
