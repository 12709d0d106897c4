// A message that came through an outside broker, from its topic to the inbox. The broker has checked whose it is.
import { createAdapter } from "#mqtt/adapter.ts";
import type { MqttNeeds } from "#mqtt/mqtt-needs.ts";
import { isTopicLevel, parseDeviceTopic } from "#mqtt/topics.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import type { SignedIn } from "#service/ports/device-inbox.ts";
import { remember } from "./cached-lookup.ts";
import type { Presence } from "./presence.ts";

export interface ExternalNeeds extends MqttNeeds {
  /** The device with this hardware id. The broker has already checked that the message comes from it. */
  readonly identify: (hardwareId: string) => Promise<SignedIn | undefined>;
  /** Whether another node hears the device, and so has sent it its configuration. */
  readonly isHeardElsewhere?: (deviceId: string) => boolean;
  /** Calls `send`, unless another node sends the device its configuration because it has returned. */
  readonly configureOnce?: (deviceId: string, send: () => Promise<void>) => Promise<void>;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** The broker says that this message may have been delivered before. */
  readonly repeated: boolean;
}

type SendConfiguration = (device: SignedIn, configuration: DeviceConfiguration) => Promise<void>;

const KNOWN_FOR_MS = 30_000;
const MAX_KNOWN = 20_000;

/** The function resolves when the message is durable, also when nothing in it was usable. */
export function createReceiver(
  needs: ExternalNeeds,
  presence: Pick<Presence, "note">,
  sendConfiguration: SendConfiguration,
): (message: BrokerMessage) => Promise<void> {
  const { inbox, log, now } = needs;
  const adapter = createAdapter(inbox);
  const identify = remember(needs.identify, { now, forMs: KNOWN_FOR_MS, atMost: MAX_KNOWN });
  const configureOnce = needs.configureOnce ?? ((_deviceId, send) => send());

  /** Where several nodes hear the device, it is new to each of them, and one sends it its configuration. */
  const welcome = (device: SignedIn, isConfigured: boolean): void => {
    inbox.reachable(device.deviceId);
    const configure = async (): Promise<void> => {
      const children = await inbox.children(device.deviceId);
      for (const { deviceId } of children) inbox.reachable(deviceId);
      for (const one of [device, ...children.map((child) => ({ ...device, ...child }))]) {
        if (isConfigured) continue;
        await configureOnce(one.deviceId, async () => {
          const configuration = await needs.configurationOf(one.deviceId);
          if (configuration !== undefined) await sendConfiguration(one, configuration);
        });
      }
    };
    configure().catch((error: unknown) =>
      log.error({ err: error, device: device.deviceId }, "the configuration could not be sent to a device"),
    );
  };

  return async (message) => {
    const address = parseDeviceTopic(message.topic);
    if (address === undefined || !isTopicLevel(address.hardwareId) || !isTopicLevel(address.channelId)) return;
    const device = await identify(address.hardwareId);
    if (device === undefined) {
      log.debug({ hardwareId: address.hardwareId }, "a message of an unknown device");
      return;
    }
    const hasReturned = presence.note(device);
    const isKnown = hasReturned && needs.isHeardElsewhere?.(device.deviceId) === true;
    inbox.alive(device.deviceId);
    if (hasReturned) welcome(device, isKnown);
    await adapter.receive(device, message);
  };
}
