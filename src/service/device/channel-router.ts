import type { Carrier } from "#service/ports/carrier.ts";

/** All carriers as one: a command goes over the carrier that reaches the device. */
export interface ChannelRouter extends Carrier {
  add(carrier: Carrier): void;
}

export function createChannelRouter(): ChannelRouter {
  const channels: Carrier[] = [];
  return {
    add: (channel) => {
      channels.push(channel);
    },
    isReady: (deviceId) => channels.some((channel) => channel.isReady(deviceId)),
    async send(deviceId, command) {
      const channel = channels.find((one) => one.isReady(deviceId));
      return channel === undefined ? "not_sent" : await channel.send(deviceId, command);
    },
    async sendConfiguration(deviceId, configuration, written) {
      await channels.find((one) => one.isReady(deviceId))?.sendConfiguration(deviceId, configuration, written);
    },
    disconnect(deviceId) {
      for (const channel of channels) channel.disconnect(deviceId);
    },
  };
}
