// How commands and configuration reach scripts, and the children that they speak for.
import type { Carrier } from "#service/ports/carrier.ts";
import { type LuaPool, runs } from "./lua-pool.ts";
import type { ScriptChildren } from "./script-children.ts";

interface CarrierNeeds {
  readonly now: () => number;
  /** How long a response is waited for; a script that is busy for longer never starts the command. */
  readonly responseTimeoutMs: number;
}

interface Scripts extends Pick<Carrier, "sendConfiguration"> {
  readonly pool: Pick<LuaPool, "status" | "command">;
  readonly children: ScriptChildren;
}

export function createLuaCarrier(needs: CarrierNeeds, { pool, children, sendConfiguration }: Scripts): Carrier {
  const expiresAt = () => needs.now() + needs.responseTimeoutMs;
  return {
    isReady: (deviceId) => runs(pool.status(deviceId)?.state),
    send: async (deviceId, command) =>
      pool.command(deviceId, { ...command, expiresAt: expiresAt() }) ? "handed_over" : "not_sent",
    sendConfiguration,
    // It has no connection to close: the host stops a deleted device.
    disconnect: () => {},
    children: {
      isReady: (child) => runs(pool.status(child.carrierId)?.state) && children.isRegistered(child),
      async send(child, command) {
        if (!children.isRegistered(child)) return "not_sent";
        const isSent = children.begin(child, command.id, () =>
          pool.command(child.carrierId, { ...command, child: child.channelId, expiresAt: expiresAt() }),
        );
        return isSent ? "handed_over" : "not_sent";
      },
      sendConfiguration: (child, _configuration, written) => children.written(child, written),
    },
  };
}
