import { MESSAGE_LANGUAGES, type PushChannel } from "#core/notification/channel.ts";
import { LONGEST_DEVICE_NAME, LONGEST_ENDPOINT, type PushDeviceName } from "#core/notification/push.ts";
import { renderInstant } from "#core/time/instant.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

export const pushDeviceSchema = described("PushDevice", "A browser or an installed page that takes messages.", {
  id: id("Identifier of the device."),
  name: Type.String({ description: "For people." }),
  service: Type.String({ description: "Host of its push service." }),
  created_at: timestamp,
});

export const newPushDeviceSchema = described("NewPushDevice", "What a browser gives that has subscribed.", {
  name: name("For people, such as “phone”.", LONGEST_DEVICE_NAME),
  endpoint: Type.String({
    minLength: 1,
    maxLength: LONGEST_ENDPOINT,
    description: "Where its push service takes messages. Stored encrypted and never shown.",
  }),
  p256dh: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "Its public key, an uncompressed point in base64url.",
  }),
  auth: Type.String({ minLength: 1, maxLength: 100, description: "Its authentication secret in base64url." }),
  language: Type.Optional(
    oneOf(MESSAGE_LANGUAGES, { description: "Of the messages, with the first device. Default en." }),
  ),
});

const push = {
  public_key: Type.String({ description: "Of this installation: an uncompressed point of P-256 in base64url." }),
  channel_id: nullable(Type.String({ description: "Of the caller's own devices; null before the first." })),
  devices: Type.Array(pushDeviceSchema),
};

export const pushSchema = described("Push", "How browsers subscribe, and the devices of the caller.", push);

export const subscribedSchema = strict("SubscribedPush", {
  ...push,
  device_id: Type.String({ description: "Of the device that was added." }),
  outcome: oneOf(["taken", "refused", "unknown"], { description: "What became of the first message." }),
  error: nullable(Type.String()),
});

export function renderPush(publicKey: string, channel: PushChannel | undefined): Static<typeof pushSchema> {
  return {
    public_key: publicKey,
    channel_id: channel?.id ?? null,
    devices: (channel?.target.devices ?? []).map(renderPushDevice),
  };
}

export function renderPushDevice(device: PushDeviceName): Static<typeof pushDeviceSchema> {
  return { id: device.id, name: device.name, service: device.service, created_at: renderInstant(device.createdAt) };
}
