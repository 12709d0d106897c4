// Commands and configuration to devices behind an outside broker, to the address of their latest message.
import type {
  ChildAddress,
  ChildChannel,
  CommandChannel,
  DeviceConfiguration,
  HandOver,
  OutgoingCommand,
} from "#service/ports/carrier.ts";
import type { SignedIn } from "#service/ports/device-inbox.ts";
import type { Presence } from "./presence.ts";

export interface Ways {
  isPresent(deviceId: string): boolean;
  send(device: SignedIn | undefined, command: OutgoingCommand): Promise<HandOver>;
  configure(device: SignedIn | undefined, configuration: DeviceConfiguration): Promise<void>;
}

export function createExternalChannel(
  presence: Pick<Presence, "find">,
  { isPresent, send, configure }: Ways,
): CommandChannel & { readonly children: ChildChannel } {
  const addressOf = ({ carrierId, childId, channelId }: ChildAddress): SignedIn | undefined => {
    const carrier = presence.find(carrierId);
    return carrier && { deviceId: childId, hardwareId: carrier.hardwareId, channelId };
  };

  return {
    isReady: isPresent,
    send: (deviceId, command) => send(presence.find(deviceId), command),
    sendConfiguration: (deviceId, configuration) => configure(presence.find(deviceId), configuration),
    children: {
      isReady: ({ carrierId }) => isPresent(carrierId),
      send: (child, command) => send(addressOf(child), command),
      sendConfiguration: (child, configuration) => configure(addressOf(child), configuration),
    },
  };
}
