// Devices that run inside this process: scripts and models.

import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "#config";
import type { Device } from "#core/device/device.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { standardOffset } from "#core/site/timezone.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import type { LiveRules } from "#drivers/live-rules.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";
import { shareDuties } from "#role/duties.ts";
import { createLuaHost, type LuaHostNeeds } from "#runtime/lua/lua-host.ts";
import { createSimulator, type SimulatorNeeds, type Simulators } from "#runtime/simulator/create-simulator.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { endInterrupted } from "#service/command/end-interrupted.ts";
import { createKnownControls } from "#service/control/known-controls.ts";
import type { ChannelRouter } from "#service/device/channel-router.ts";
import { hostedDevices } from "#service/device/host-device.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import { type RegisterNeeds, registerChild } from "#service/device/register-child.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";

export interface Hosts {
  readonly simulator: Simulators;
  /** The start of the devices, until the last one has had its turn. */
  underWay(): readonly { readonly name: string; readonly percent: number }[];
  stop(): Promise<void>;
}

type Given = "blueprintOf" | "controlsOf" | "offsetOf" | "onStatus" | "silenceMs" | "registerChild";

interface HostingNeeds
  extends Omit<LuaHostNeeds, Given>,
    Omit<SimulatorNeeds, Given>,
    RegisterNeeds,
    Pick<Needs, "sites" | "executions" | "gateways" | "profiles"> {
  readonly catalog: BlueprintCatalog;
  readonly channel: ChannelRouter;
  readonly hosts: HostRouter;
  readonly nodes: Nodes;
  readonly dispatcher: CommandDispatcher;
  readonly events: EventHub;
  readonly prepareEvent: PrepareEvent;
  readonly log: Logger;
  readonly budgets: Pick<ByteBudgets, "open" | "watch">;
  readonly troubles: Pick<Troubles, "report">;
  readonly choreHealth: ChoreHealth;
}

interface HostingSettings {
  readonly config: Config;
  /** What scripts get for a hardware port that the machine does not have. */
  readonly simulated: SimulatedPorts;
  /** What scripts may reach over the network. */
  readonly allow: LiveRules;
}

/**
 * Called after recovery: from here on scripts send and receive commands. Resolves before the devices run, because they
 * start in the background. All of them are registered with the router before anybody can change one.
 */
export async function startHosts(needs: HostingNeeds, { config, simulated, allow }: HostingSettings): Promise<Hosts> {
  const blueprintOf = (device: Device) => deviceBlueprint(needs, device);
  const simulator = createSimulator({
    ...needs,
    blueprintOf,
    controlsOf: createKnownControls(needs.profiles),
    offsetOf: async ({ siteId }) => standardOffset((await needs.sites.find(siteId))?.timezone ?? "UTC"),
  });
  const hub = createPortHub({ machine: config.lua.ports, simulated, budgets: needs.budgets });
  const onBug = (error: unknown) => needs.log.error({ err: error }, "a driver failed");
  const luaNeeds: LuaHostNeeds = {
    ...needs,
    registerChild: (parent, child) => registerChild(needs, parent, child),
    blueprintOf,
    silenceMs: toMilliseconds(config.devices.silence),
    onStatus: ({ id: deviceId, siteId }, status) => {
      needs.log.debug({ deviceId, state: status.state, error: status.lastError?.message }, "a script's state");
      needs.events.publish(needs.prepareEvent({ kind: "runtime", siteId, deviceId, status, at: needs.now() }));
    },
  };
  const lua = createLuaHost(luaNeeds, {
    drivers: { hub, allow, onBug },
    memoryBytes: config.lua.memoryMb * 1_048_576,
  });
  needs.budgets.watch(lua.memory);
  for (const { host, carrier } of [simulator, lua]) {
    needs.hosts.add(host);
    needs.channel.add(carrier);
  }
  const endLeft = (isOurs?: (device: Device) => boolean) =>
    endInterrupted(needs, isOurs).catch((error: unknown) =>
      needs.troubles.report(
        { part: "commands", message: "not every interrupted execution could be ended; they time out" },
        { err: error },
      ),
    );
  const running = needs.nodes.isShared ? await startPart(needs, endLeft) : await startEverything(needs, endLeft);
  return {
    simulator,
    underWay: running.underWay,
    async stop() {
      await running.stop();
      simulator.stop();
      await lua.stop();
      hub.close();
    },
  };
}

type EndLeft = (isOurs?: (device: Device) => boolean) => Promise<void>;

async function startEverything(needs: HostingNeeds, endLeft: EndLeft): Promise<Omit<Hosts, "simulator">> {
  await endLeft();
  const devices = await hostedDevices(needs);
  const stopping = new AbortController();
  const starting = needs.hosts.startAll(devices, stopping.signal);
  needs.background.run("start devices", () => starting);
  return {
    underWay() {
      const waiting = needs.hosts.waiting();
      if (waiting === 0) return [];
      return [{ name: "start of devices", percent: Math.floor((1 - waiting / devices.length) * 100) }];
    },
    async stop() {
      stopping.abort();
      // Its failure is reported where it runs.
      await Promise.allSettled([starting]);
    },
  };
}

/** Nodes that share the records run devices in parts, each part on one node. */
const PARTS = 32;
const GATHER_MS = 50;

async function startPart(needs: HostingNeeds, endLeft: EndLeft): Promise<Omit<Hosts, "simulator">> {
  const own = new Set<number>();
  /** Parts that were claimed and whose devices do not run yet. */
  const fresh = new Set<number>();
  let starting: Promise<void> | undefined;
  needs.hosts.limit((deviceId) => own.has(partOf(deviceId)));

  /** Parts come one after the other, so their devices are listed together. */
  async function startFresh(): Promise<void> {
    while (fresh.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      const parts = new Set(fresh);
      const isOurs = ({ id }: Device) => parts.has(partOf(id));
      const devices = (await hostedDevices(needs)).filter(isOurs);
      // What another node had begun is interrupted, and its outcome is unknown.
      if (devices.length > 0) await endLeft(isOurs);
      for (const device of devices) await needs.hosts.start(device);
      for (const part of parts) fresh.delete(part);
    }
  }

  const duties = await shareDuties(needs, {
    name: "devices",
    parts: PARTS,
    begin: async (part) => {
      own.add(part);
      fresh.add(part);
      starting ??= startFresh().finally(() => {
        starting = undefined;
      });
      const started = starting;
      needs.background.run("start devices", () => started);
      return async () => {
        own.delete(part);
        fresh.delete(part);
        await Promise.allSettled([starting]);
        const devices = needs.hosts.started().filter((deviceId) => partOf(deviceId) === part);
        for (const deviceId of devices) await needs.hosts.stop(deviceId);
      };
    },
  });
  return { underWay: () => [], stop: () => duties.stop() };
}

function partOf(deviceId: string): number {
  return createHash("sha1").update(deviceId).digest().readUInt32BE() % PARTS;
}
