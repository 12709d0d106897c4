// The children that scripts speak for: which ones each script has registered, which commands are theirs, and what their
// configuration is.
import { AppError } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { createLanes } from "#core/lanes.ts";
import type { ChildAddress, DeviceConfiguration } from "#service/ports/carrier.ts";
import type { DeviceInbox } from "#service/ports/device-inbox.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { LuaPool, LuaPoolNeeds } from "./lua-pool.ts";
import { allBuckets } from "./script-context.ts";
import type { ScriptChild } from "./script-host.ts";

export interface ScriptChildrenNeeds {
  readonly devices: DeviceStore;
  readonly inbox: DeviceInbox;
  /** The child, added if it is unknown and the settings allow it. Refuses with the reason. */
  readonly registerChild: (parent: Device, child: ScriptChild) => Promise<Device>;
  /** Undefined for a device that has none. */
  readonly blueprintOf: (device: Device) => Promise<Blueprint | undefined>;
  readonly configurationOf: (deviceId: string) => Promise<DeviceConfiguration>;
}

interface Scripts {
  readonly respond: LuaPoolNeeds["respond"];
  readonly configurationWritten: LuaPool["configurationWritten"];
}

export interface ScriptChildren extends Pick<LuaPoolNeeds, "registerChild" | "respond"> {
  isRegistered(child: ChildAddress): boolean;
  /** Hands a command of a child to its parent's script: its responses are the child's. */
  begin(child: ChildAddress, commandId: string, send: () => boolean): boolean;
  /** These buckets of a child were written: its parent's script gets them. */
  written(child: ChildAddress, buckets: readonly string[]): Promise<void>;
  /** The script has ended. Its next start registers its children again. */
  forget(deviceId: string): void;
}

export function createScriptChildren(needs: ScriptChildrenNeeds, scripts: Scripts): ScriptChildren {
  const registered = new Map<string, Set<string>>();
  /** Rises whenever the script of a device ends. */
  const starts = new Map<string, number>();
  /** Commands under way, by id, with the child that they are for. */
  const commands = new Map<string, string>();
  const inOrder = createLanes();
  const isRegistered = ({ carrierId, channelId }: Omit<ChildAddress, "childId">) =>
    registered.get(carrierId)?.has(channelId) === true;

  /** Read and given in one turn of the child's lane, so that no older values come after newer ones. */
  const configure = ({ childId, carrierId, channelId }: ChildAddress, buckets?: readonly string[]) =>
    inOrder(childId, async () => {
      const child = await needs.devices.find(childId);
      const blueprint = child && (await needs.blueprintOf(child));
      if (blueprint === undefined) return;
      const all = allBuckets(blueprint, await needs.configurationOf(childId));
      if (!isRegistered({ carrierId, channelId })) return;
      for (const [bucket, values] of all) {
        if (buckets !== undefined && !buckets.includes(bucket)) continue;
        scripts.configurationWritten(carrierId, { bucket, values, child: channelId, isNews: buckets !== undefined });
      }
    });

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
        await configure({ childId: child.id, carrierId: deviceId, channelId: announced.channelId });
        if (starts.get(deviceId) !== start) return "the script has ended";
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
      scripts.respond(childId ?? deviceId, response);
    },
    isRegistered,
    begin({ childId }, commandId, send) {
      // Noted before: the script may answer at once.
      commands.set(commandId, childId);
      const isSent = send();
      if (!isSent) commands.delete(commandId);
      return isSent;
    },
    async written(child, buckets) {
      if (isRegistered(child)) await configure(child, buckets);
    },
    forget(deviceId) {
      registered.delete(deviceId);
      starts.set(deviceId, (starts.get(deviceId) ?? 0) + 1);
    },
  };
}
