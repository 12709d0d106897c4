// On a cloud: changes of a joined site are made by its gateway, and the caller gets the gateway's answer. A change that
// waits for a gateway that is away is answered with what is there now, and with the change. What only the gateway does is
// refused before anything else is looked at.
import { refuse } from "#core/app-error.ts";
import type { Payload } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import type { GatewayChange } from "#core/link/asked-change.ts";
import { instant } from "#core/time/instant.ts";
import { type BlueprintNeeds, requireBlueprint } from "#service/device/provision-device.ts";
import { changeSchema, renderGatewayChange } from "#service/link/change-wire.ts";
import { earlierChange } from "#service/link/earlier-change.ts";
import { type GatewayChanges, requireNotRefused } from "#service/link/gateway-changes.ts";
import type { GatewayQuestions } from "#service/link/gateway-questions.ts";
import { askQuestion } from "#service/operation/ask-question.ts";
import type { AnyCall, AtGateway, CarriedChange, Operation, Place } from "#service/operation/operation.ts";
import type { Schema } from "#service/operation/schema.ts";
import type { Needs } from "#service/ports.ts";

export interface AskNeeds extends Pick<Needs, "sites" | "devices" | "gateways" | "changes" | "now">, BlueprintNeeds {}

/** The ways to the gateways of a cloud. */
export interface Gateways {
  readonly changes: Pick<GatewayChanges, "ask">;
  readonly questions: Pick<GatewayQuestions, "ask">;
}

/** Undefined when the operation is to be performed here. */
export async function askGateway(
  needs: AskNeeds,
  gateways: Gateways,
  { operation, call }: { readonly operation: Operation; readonly call: AnyCall },
): Promise<object | undefined> {
  const { atGateway } = operation;
  if (atGateway === undefined) return undefined;
  const place = await atGateway.place(needs, call);
  const gatewayId = await ownerOf(needs, atGateway, place.siteId);
  if (gatewayId === undefined) return undefined;
  if (atGateway.by === "gateway alone") {
    throw refuse("owned_by_gateway", "the site belongs to a gateway; make the change there");
  }
  if (atGateway.by === "question") {
    return await askQuestion(gateways.questions, { operation, call, atGateway, gatewayId });
  }
  if (call.rolloutId !== undefined && (await earlierChange(needs, call, place)) !== undefined) return {};
  const done = await atGateway.here?.(call, place);
  if (done !== undefined) return done;
  const { siteId, device } = place;
  const lease = await atGateway.lease?.(call, place);
  const named = await atGateway.named?.(call, place);
  const body = named?.body ?? (call.body as Payload | undefined);
  const change = await gateways.changes.ask(call, {
    operation: atGateway.as ?? operation.name,
    waits: atGateway.waits,
    compares: atGateway.compares,
    isHeartbeat: atGateway.isHeartbeat === true,
    expected: atGateway.expected?.(call),
    leaseUntil: lease === undefined ? undefined : instant(needs.now() + lease),
    siteId,
    deviceId: device?.id,
    params: { ...paramsAt(call, atGateway, place), ...named?.params },
    body,
    gatewayId,
    blueprintDigest: await digestOf(needs, body, device),
    shown: atGateway.shown?.(call) ?? body ?? {},
    check: async () => await atGateway.check?.(call, place),
    signal: call.signal(),
    rolloutId: call.rolloutId,
  });
  return await answerOf(atGateway, { call, place, change });
}

async function ownerOf(needs: AskNeeds, atGateway: AtGateway, siteId: string): Promise<string | undefined> {
  const owner = await needs.gateways.ownerOf(siteId);
  if (owner === undefined || atGateway.deletesLeftovers !== true) return owner;
  return (await needs.gateways.find(owner))?.revokedAt === undefined ? owner : undefined;
}

/** The gateway may know the device by another slug meanwhile, so it is named by its id. */
function paramsAt(call: AnyCall, { compares }: CarriedChange, { siteId, device }: Place): Record<string, string> {
  const named = device === undefined ? compares === "site" && { site_id: siteId } : { device_id: device.id };
  return { ...call.params, ...named };
}

/** The blueprint that the body names: the gateway has another id for it. */
async function digestOf(
  needs: AskNeeds,
  body: Payload | undefined,
  device: Device | undefined,
): Promise<string | undefined> {
  const blueprintId = body?.["blueprint_id"];
  if (typeof blueprintId !== "string") return undefined;
  await requireBlueprint(needs, blueprintId, device?.type ?? "STANDALONE");
  return (await needs.blueprints.find(blueprintId))?.digest;
}

/** The operation as it answers where a change may wait for a gateway. */
export function withPendingChange<Declared extends Operation>(operation: Declared): Declared {
  const { atGateway } = operation;
  if (atGateway?.by !== "gateway" || !atGateway.waits) return operation;
  const answer = operation.answer as Schema;
  return { ...operation, answer: { ...answer, properties: { ...answer.properties, pending_change: changeSchema } } };
}

interface Asked {
  readonly call: AnyCall;
  readonly place: Place;
  readonly change: GatewayChange;
}

async function answerOf({ waits, current }: CarriedChange, { call, place, change }: Asked): Promise<object> {
  const { outcome } = change;
  requireNotRefused(change);
  if (outcome?.state === "DONE") return { ...outcome.answer, ...(await current?.(call, place, outcome.answer)) };
  if (!waits) {
    const message = "the gateway has not answered in time; it makes the change within this time or not at all";
    throw refuse("gateway_unreachable", message, { change_id: change.id });
  }
  return { ...(await current?.(call, place, undefined)), pending_change: renderGatewayChange(change) };
}
