// Somebody takes care of an alert, or takes that back. The alert stays as it is: it ends when its device says so.
import { doorOf } from "#core/access/door.ts";
import { allows } from "#core/access/level.ts";
import { type Acknowledgement, LONGEST_COMMENT } from "#core/alert/acknowledgement.ts";
import { refuse } from "#core/app-error.ts";
import type { PreparedEvent } from "#core/event/event.ts";
import type { AlertName } from "#core/link/linked-key.ts";
import { type Instant, parseInstant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { WebhookDispatcher } from "#service/webhook/webhook-dispatcher.ts";
import { type DescribedAlert, describeAlert } from "./describe-alert.ts";

export interface AcknowledgeNeeds extends Pick<Needs, "alerts" | "devices" | "now" | "newId"> {
  readonly catalog: BlueprintCatalog;
  readonly prepareEvent: PrepareEvent;
  readonly webhookDispatcher: Pick<WebhookDispatcher, "noticesOf" | "wake">;
}

interface Asked {
  readonly device: string;
  readonly alertId: string;
  /** Undefined: of all lists that name the alert. */
  readonly source: string | undefined;
  /** Undefined: nobody takes care any more. */
  readonly given: { readonly comment: string | undefined } | undefined;
}

export async function acknowledgeAlert(
  needs: AcknowledgeNeeds,
  call: Call,
  asked: Asked,
): Promise<readonly DescribedAlert[]> {
  const { alertId, source, given } = asked;
  const { changed, acknowledgement, device } = await changedBy(needs, call, asked);
  const gone = () => notActive(device.name, alertId);
  if (changed.length === 0) throw gone();
  const described = await Promise.all(changed.map((record) => describeAlert(needs, record)));
  const events = described.map((alert) => eventOf(needs, alert));
  const notices = needs.webhookDispatcher.noticesOf(events);
  const details = { alert: alertId.slice(0, 200), source: source ?? null, comment: given?.comment ?? null };
  const trail = auditTrail(needs, call, { target: { siteId: device.siteId, deviceId: device.id }, details });
  const isDone = await needs.alerts.acknowledge(changed, acknowledgement, { announced: { events, notices }, trail });
  if (!isDone) throw gone();
  if (notices.length > 0) needs.webhookDispatcher.wake();
  return described;
}

/** The same in the copies of a cloud, whose gateway is asked and has not answered. */
export async function acknowledgeCopies(
  needs: AcknowledgeNeeds,
  call: Call,
  asked: Asked,
): Promise<readonly DescribedAlert[]> {
  const { changed, acknowledgement } = await changedBy(needs, call, asked);
  for (const name of changed) await needs.alerts.copyAcknowledgement(name, acknowledgement);
  return await Promise.all(changed.map((record) => describeAlert(needs, record)));
}

async function changedBy(needs: AcknowledgeNeeds, call: Call, { device: idOrSlug, alertId, source, given }: Asked) {
  const device = await visibleDevice(needs, call, idOrSlug);
  const active = (await needs.alerts.active(device.id)).filter(
    (one) =>
      one.alertId === alertId &&
      (source === undefined || one.source === source) &&
      allows(call.caller.level, one.readLevel),
  );
  const by = { tokenId: call.caller.tokenId, name: call.caller.tokenName };
  const acknowledgement: Acknowledgement | undefined = given && {
    at: needs.now(),
    by,
    comment: given.comment,
    door: call.door,
  };
  return { device, acknowledgement, changed: active.map((record) => ({ ...record, acknowledgement })) };
}

const notActive = (device: string, alertId: string) =>
  refuse("not_found", `the device ${device} has no active alert ${JSON.stringify(alertId.slice(0, 80))}`);

function eventOf(needs: AcknowledgeNeeds, alert: DescribedAlert): PreparedEvent {
  const { siteId, deviceId, acknowledgement } = alert.record;
  const change = acknowledgement === undefined ? "unacknowledged" : "acknowledged";
  return needs.prepareEvent({ siteId, deviceId, kind: "alert", change, at: needs.now(), alert });
}

/** Notes in the copies of a cloud what their gateway has answered. */
export async function noteAcknowledged(
  needs: AcknowledgeNeeds,
  { deviceId, alertId }: { readonly deviceId: string; readonly alertId: string },
  answer: unknown,
): Promise<void> {
  for (const { name, acknowledgement } of answered(deviceId, answer)) {
    if (name.alertId === alertId) await needs.alerts.copyAcknowledgement(name, acknowledgement);
  }
}

/** Of one device, so there are at most as many as sources. */
const MOST_ANSWERED = 100;

interface Answered {
  readonly name: AlertName;
  readonly acknowledgement: Acknowledgement | undefined;
}

/** What a gateway answers is input: whatever is not as it should be is left out. */
function answered(deviceId: string, answer: unknown): readonly Answered[] {
  const { alerts } = objectOf(answer);
  if (!Array.isArray(alerts)) return [];
  return alerts.slice(0, MOST_ANSWERED).flatMap((one: unknown) => {
    const { id, source, raised_at, acknowledgement } = objectOf(one);
    const raisedAt = instantOf(raised_at);
    if (typeof id !== "string" || typeof source !== "string" || raisedAt === undefined) return [];
    const name = { deviceId, source, alertId: id, raisedAt };
    return [{ name, acknowledgement: acknowledgement === undefined ? undefined : acknowledgementOf(acknowledgement) }];
  });
}

function acknowledgementOf(value: unknown): Acknowledgement | undefined {
  const { at, by, comment, door } = objectOf(value);
  const { token_id, name } = objectOf(by);
  const moment = instantOf(at);
  if (moment === undefined || typeof token_id !== "string" || typeof name !== "string") return undefined;
  const text = typeof comment === "string" ? comment.slice(0, LONGEST_COMMENT) : undefined;
  return {
    at: moment,
    by: { tokenId: token_id.slice(0, 200), name: name.slice(0, 200) },
    comment: text,
    door: doorOf(door),
  };
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function instantOf(value: unknown): Instant | undefined {
  return typeof value === "string" ? parseInstant(value) : undefined;
}
