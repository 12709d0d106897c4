import type { Caller } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import type { Channel, PushChannel } from "#core/notification/channel.ts";
import { type PushSubscription, renderSubscriptions } from "#core/notification/push.ts";
import type { Site } from "#core/site/site.ts";
import { askedOfGateway, siteOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation } from "#service/operation/operation.ts";
import type { MessageSender } from "#service/ports/message-sender.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import { addDevice, ownPushChannel, removeDevices } from "./push-devices.ts";
import { newPushDeviceSchema, pushSchema, renderPush, subscribedSchema } from "./push-wire.ts";
import { mayUse, trailOf } from "./save-channel.ts";

export interface PushNeeds extends Pick<Needs, "channels" | "sites" | "seal" | "now" | "newId"> {
  readonly messageSender: MessageSender;
}

const tag = "Notifications";
const base = "/v3/sites/:site_id/notifications/push";
/** Whoever subscribes a phone looks at it. What is shown of the body has no address. */
const atGateway = {
  by: "gateway",
  place: siteOfPath,
  waits: false,
  compares: "nothing",
  shown: ({ body }: AnyCall) => ({ name: (body as { name?: string } | undefined)?.name ?? null }),
} as const;
const HOUR_MS = 3_600_000;
/** Each sends something to an address that the caller names. */
const MOST_PER_HOUR = 20;
const MOST_COUNTED = 10_000;

export function pushOperations(needs: PushNeeds): readonly Operation[] {
  const mayTry = createTries(needs.now);
  return [
    operation({
      method: "GET",
      path: base,
      name: "getPush",
      summary: "Read how browsers subscribe, and which devices the caller has",
      description: "public_key is what a browser's push manager takes as its application server key.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      answer: pushSchema,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        return renderPush(needs.messageSender.pushKey, await ownPushChannel(needs, call.caller, siteId));
      },
    }),
    operation({
      method: "POST",
      path: `${base}/devices`,
      name: "subscribePush",
      summary: "Let a device of the caller take messages",
      description:
        "Sends a first message to it, and keeps it unless its push service refuses that. All devices of a person on a site are one " +
        "channel, which is made with the first of them: an owner puts it into routes. The endpoint must be a public https address.",
      tag,
      level: "readonly",
      atGateway,
      body: newPushDeviceSchema,
      answer: subscribedSchema,
      run: async (call) => {
        const site = await visibleSite(needs, call, call.params.site_id);
        const { name, endpoint, p256dh, auth, language = "en" } = call.body;
        const subscription = { endpoint, p256dh, auth };
        const problem = needs.messageSender.problemWithSubscription(subscription);
        if (problem !== undefined) throw refuse("invalid_body", problem, { pointer: `/${fieldOf(problem)}` });
        if (!mayTry(call.caller)) throw refuse("too_many_calls", `at most ${MOST_PER_HOUR} devices an hour`);
        const device = { id: needs.newId(), name, service: new URL(endpoint).host, createdAt: needs.now() };
        const outcome = await greet(needs, call, { site, device, subscription, language });
        if (outcome.outcome === "refused" && outcome.isFinal)
          throw refuse("conflict", `the push service takes nothing for this device: ${outcome.error}`);
        const channel = await addDevice(needs, call, { siteId: site.id, device, subscription, language });
        const error = outcome.outcome === "taken" ? null : outcome.error;
        return {
          ...renderPush(needs.messageSender.pushKey, channel),
          device_id: device.id,
          outcome: outcome.outcome,
          error,
        };
      },
    }),
    operation({
      method: "POST",
      path: `${base}/devices/:push_device_id/end`,
      name: "endPush",
      summary: "Let a device take no messages any more",
      description: "One of the caller, or for owners one of anybody whose channel they may change.",
      tag,
      level: "readonly",
      atGateway,
      answer: pushSchema,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const id = call.params.push_device_id;
        const channel = await channelWith(needs, call, { siteId, device: id });
        const trail = (changed: Channel) => trailOf(needs, call, changed, { push_device_id: id.slice(0, 80) });
        if (channel === undefined || (await removeDevices(needs, channel, { ids: [id], trail })) === undefined)
          throw refuse("not_found", `the site has no device ${id.slice(0, 80)} that takes messages`);
        return renderPush(needs.messageSender.pushKey, await ownPushChannel(needs, call.caller, siteId));
      },
    }),
  ];
}

const fieldOf = (problem: string): string => problem.split(/[ :]/, 1)[0] ?? "";

async function channelWith(
  needs: PushNeeds,
  { caller }: Call,
  { siteId, device }: { readonly siteId: string; readonly device: string },
): Promise<Channel | undefined> {
  const own = await ownPushChannel(needs, caller, siteId);
  const has = ({ target }: Channel) => target.kind === "push" && target.devices.some(({ id }) => id === device);
  if (own !== undefined && has(own)) return own;
  if (!allows(caller.level, "owner")) return undefined;
  return (await needs.channels.ofSite(siteId)).find((channel) => has(channel) && mayUse(caller, channel));
}

interface Greeted {
  readonly site: Site;
  readonly device: PushChannel["target"]["devices"][number];
  readonly subscription: PushSubscription;
  readonly language: Channel["language"];
}

async function greet(
  needs: PushNeeds,
  call: Pick<AnyCall, "signal">,
  { site, device, subscription, language }: Greeted,
) {
  const now = needs.now();
  const target = { kind: "push", person: "", devices: [device] } as const;
  const content = { kind: "test", site: site.name, timezone: site.timezone, count: 0, items: [] } as const;
  return await needs.messageSender.send(
    {
      channel: { siteId: site.id, target, language, allowPrivate: false },
      secret: renderSubscriptions(new Map([[device.id, subscription]])),
      ...{ id: needs.newId(), content, queuedAt: now, sentAt: now },
    },
    call.signal(),
  );
}

/** Whether this caller may try another device now. */
function createTries(now: PushNeeds["now"]): (caller: Caller) => boolean {
  const tries = new Map<string, readonly number[]>();
  return ({ tokenId }) => {
    const at = now();
    const recent = (tries.get(tokenId) ?? []).filter((one) => Math.abs(at - one) < HOUR_MS);
    if (recent.length >= MOST_PER_HOUR) return false;
    tries.delete(tokenId);
    tries.set(tokenId, [...recent, at]);
    const [oldest] = tries.keys();
    if (tries.size > MOST_COUNTED && oldest !== undefined) tries.delete(oldest);
    return true;
  };
}
