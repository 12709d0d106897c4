import type { AlertChangeKind } from "#core/alert/alert-state.ts";
import { parseAlertKey } from "#core/link/linked-key.ts";
import type { LinkedAlert } from "#core/link/messages.ts";
import type { Instant } from "#core/time/instant.ts";
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

/** Stores the alert as its gateway knows it, and tells listeners and webhooks what is new about it. */
export async function copyAlert(
  needs: CopyAlertNeeds,
  teller: { readonly gatewayId: string; readonly devices: ReadonlyMap<string, string> },
  { key, value }: { readonly key: string; readonly value: LinkedAlert | null },
): Promise<void> {
  const name = parseAlertKey(key);
  const siteId = name && teller.devices.get(name.deviceId);
  // Its device was deleted meanwhile, or is another gateway's.
  if (name === undefined || siteId === undefined) return;
  if (value === null) return await needs.copies.deleteAlert(teller.gatewayId, name);
  const { blueprintDigest, ...alert } = value;
  const blueprint = blueprintDigest === undefined ? undefined : await needs.blueprints.findByDigest(blueprintDigest);
  const record: AlertRecord = { ...alert, ...name, siteId, blueprintId: blueprint?.id };
  const news = newsOf(await needs.alerts.find(name), record, needs.now());
  const place = { siteId, deviceId: name.deviceId };
  const events =
    news === undefined
      ? []
      : [needs.prepareEvent({ ...place, kind: "alert", ...news, alert: await describeAlert(needs, record) })];
  const notices = needs.webhookDispatcher.noticesOf(events);
  await needs.copies.alert(teller.gatewayId, record, { events, notices });
  if (notices.length > 0) needs.webhookDispatcher.wake();
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
