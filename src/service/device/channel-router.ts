import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { Carrier } from "#service/ports/carrier.ts";

/** All carriers as one: a command goes over the carrier that reaches the device, or the device that it hangs on. */
export interface ChannelRouter extends Carrier {
  add(carrier: Carrier): void;
}

export function createChannelRouter(routes?: Pick<ChildRoutes, "find">): ChannelRouter {
  const channels: Carrier[] = [];
  const ready = (deviceId: string) => channels.find((channel) => channel.isReady(deviceId));
  return {
    add: (channel) => {
      channels.push(channel);
    },
    isReady(deviceId) {
      if (ready(deviceId) !== undefined) return true;
      const child = routes?.find(deviceId);
      if (child === undefined) return false;
      return channels.some(({ children }) => children?.isReady(child) === true);
    },
    async send(deviceId, command, execution) {
      const direct = ready(deviceId);
      if (direct !== undefined) return await direct.send(deviceId, command, execution);
      const child = routes?.find(deviceId);
      if (child === undefined) return "not_sent";
      const carrier = channels.find(({ children }) => children?.isReady(child) === true);
      return (await carrier?.children?.send(child, command)) ?? "not_sent";
    },
    ask: (deviceId, executionId) => ready(deviceId)?.ask?.(deviceId, executionId),
    async sendConfiguration(deviceId, configuration, written) {
      const child = routes?.find(deviceId);
      if (child === undefined) await ready(deviceId)?.sendConfiguration(deviceId, configuration, written);
      else {
        for (const { children } of channels) await children?.sendConfiguration(child, configuration, written);
      }
    },
    disconnect(deviceId, valid) {
      for (const channel of channels) channel.disconnect(deviceId, valid);
    },
  };
}
