// The children that scripts speak for: which ones each script has registered, and which commands are theirs.
import { AppError } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import type { ChildAddress } from "#service/ports/carrier.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { LuaPoolNeeds } from "./lua-pool.ts";
import type { ScriptChild } from "./script-host.ts";

export interface ScriptChildrenNeeds {
  readonly devices: DeviceStore;
  readonly inbox: DeviceInbox;
  /** The child, added if it is unknown and the settings allow it. Refuses with the reason. */
  readonly registerChild: (parent: Device, child: ScriptChild) => Promise<Device>;
}

type Respond = LuaPoolNeeds["respond"];

export interface ScriptChildren extends Pick<LuaPoolNeeds, "registerChild" | "respond"> {
  isRegistered(child: ChildAddress): boolean;
  /** Hands a command of a child to its parent's script: its responses are the child's. */
  begin(child: ChildAddress, commandId: string, send: () => boolean): boolean;
  /** The script has ended. Its next start registers its children again. */
  forget(deviceId: string): void;
}

export function createScriptChildren(needs: ScriptChildrenNeeds, respond: Respond): ScriptChildren {
  const registered = new Map<string, Set<string>>();
  /** Rises whenever the script of a device ends. */
  const starts = new Map<string, number>();
  /** Commands under way, by id, with the child that they are for. */
  const commands = new Map<string, string>();
  return {
    async registerChild(deviceId, announced) {
      const start = starts.get(deviceId);
      const parent = await needs.devices.find(deviceId);
      if (parent === undefined) return "the device is deleted";
      try {
        const child = await needs.registerChild(parent, announced);
        // The next start of the script registers it again, when its handlers are there.
        if (starts.get(deviceId) !== start) return "the script has ended";
        const own = registered.get(deviceId) ?? new Set();
        registered.set(deviceId, own.add(announced.channelId));
        needs.inbox.connected(child.id);
        needs.inbox.reachable(child.id);
        return undefined;
      } catch (error) {
        if (error instanceof AppError) return error.message;
        throw error;
      }
    },
    respond(deviceId, response) {
      const childId = commands.get(response.commandId);
      if (response.state !== "IN_PROGRESS") commands.delete(response.commandId);
      respond(childId ?? deviceId, response);
    },
    isRegistered: ({ carrierId, channelId }) => registered.get(carrierId)?.has(channelId) === true,
    begin({ childId }, commandId, send) {
      // Noted before: the script may answer at once.
      commands.set(commandId, childId);
      const isSent = send();
      if (!isSent) commands.delete(commandId);
      return isSent;
    },
    forget(deviceId) {
      registered.delete(deviceId);
      starts.set(deviceId, (starts.get(deviceId) ?? 0) + 1);
    },
  };
}
