// Devices that take web push. All devices of a person on a site are one channel, so that routes name people and not phones.
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Caller } from "#core/access/caller.ts";
import { refuse } from "#core/app-error.ts";
import {
  type Channel,
  channelSecretContext,
  LONGEST_CHANNEL_NAME,
  type MessageLanguage,
  type PushChannel,
} from "#core/notification/channel.ts";
import {
  MOST_PUSH_DEVICES,
  type PushDeviceName,
  type PushSubscription,
  type PushSubscriptions,
  parseSubscriptions,
  renderSubscriptions,
} from "#core/notification/push.ts";
import { instant } from "#core/time/instant.ts";
import type { Call, Needs } from "#service/ports.ts";
import { trailOf } from "./save-channel.ts";

type DeviceNeeds = Pick<Needs, "channels" | "seal" | "now">;

/** A change that met another one is made again on what is there then. */
const MOST_TRIES = 10;

const isPush = (channel: Channel | undefined): channel is PushChannel => channel?.target.kind === "push";

/** The same for a session of a person and for a token of that person. */
export const personOf = ({ accountId, tokenId }: Caller): string => accountId ?? tokenId;

export async function ownPushChannel(
  needs: Pick<Needs, "channels">,
  caller: Caller,
  siteId: string,
): Promise<PushChannel | undefined> {
  const person = personOf(caller);
  return (await needs.channels.ofSite(siteId)).filter(isPush).find(({ target }) => target.person === person);
}

function subscriptionsOf({ seal }: Pick<Needs, "seal">, { id, sealedSecret }: PushChannel): PushSubscriptions {
  return sealedSecret === undefined ? new Map() : parseSubscriptions(seal.open(sealedSecret, channelSecretContext(id)));
}

interface NewDevice {
  readonly siteId: string;
  readonly device: PushDeviceName;
  readonly subscription: PushSubscription;
  readonly language: MessageLanguage;
}

/** Makes the person's channel with the first device. A device that is subscribed again replaces itself. */
export async function addDevice(
  needs: DeviceNeeds & Pick<Needs, "newId">,
  call: Call,
  given: NewDevice,
): Promise<PushChannel> {
  const { siteId, device, subscription, language } = given;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await ownPushChannel(needs, call.caller, siteId);
    if (known !== undefined) {
      const kept = new Map(
        [...subscriptionsOf(needs, known)].filter(([, one]) => one.endpoint !== subscription.endpoint),
      );
      const devices = [...known.target.devices.filter(({ id }) => kept.has(id)), device];
      if (devices.length > MOST_PUSH_DEVICES)
        throw refuse("conflict", `a person has at most ${MOST_PUSH_DEVICES} devices on a site; end one first`);
      const changed = withDevices(needs, known, devices, kept.set(device.id, subscription));
      if (await needs.channels.update(changed, trailOf(needs, call, changed, { device: device.name }), known.updatedAt))
        return changed;
    } else {
      const now = needs.now();
      const names = new Set((await needs.channels.ofSite(siteId)).map(({ name }) => name));
      const empty: PushChannel = {
        ...{ id: needs.newId(), siteId, name: freeName(call.caller.tokenName, names), language, quiet: undefined },
        ...{ allowPrivate: false, level: call.caller.level, sealedSecret: undefined, createdAt: now, updatedAt: now },
        target: { kind: "push", person: personOf(call.caller), devices: [] },
      };
      const channel = withDevices(needs, empty, [device], new Map([[device.id, subscription]]));
      await needs.channels.insert(channel, trailOf(needs, call, channel, { device: device.name }));
      return channel;
    }
  }
  throw refuse("conflict", "the devices were changed by others all the time; try again");
}

/** Takes devices out. With nobody left the channel stays, because routes name it. False: it has none of them. */
export async function removeDevices(
  needs: DeviceNeeds,
  { siteId, id }: { readonly siteId: string; readonly id: string },
  { ids, trail }: { readonly ids: readonly string[]; readonly trail?: (channel: Channel) => AuditEntry },
): Promise<PushChannel | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const channel = await needs.channels.find(siteId, id);
    if (!isPush(channel) || !channel.target.devices.some((device) => ids.includes(device.id))) return undefined;
    const devices = channel.target.devices.filter((device) => !ids.includes(device.id));
    const kept = new Map([...subscriptionsOf(needs, channel)].filter(([device]) => !ids.includes(device)));
    const changed = withDevices(needs, channel, devices, kept);
    if (await needs.channels.update(changed, trail?.(changed), channel.updatedAt)) return changed;
  }
  return undefined;
}

function withDevices(
  { seal, now }: Pick<Needs, "seal" | "now">,
  channel: PushChannel,
  devices: readonly PushDeviceName[],
  subscriptions: PushSubscriptions,
): PushChannel {
  const secret = renderSubscriptions(subscriptions);
  return {
    ...channel,
    target: { ...channel.target, devices },
    sealedSecret: seal.seal(secret, channelSecretContext(channel.id)),
    // It tells changes apart, so it rises.
    updatedAt: instant(Math.max(now(), channel.updatedAt + 1)),
  };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const short = wanted.slice(0, LONGEST_CHANNEL_NAME - 6);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? short : `${short} (${number})`;
    if (!taken.has(name)) return name;
  }
}
