// Devices that run inside this process: scripts and models.
import type { Logger } from "pino";
import type { Config } from "#config";
import type { Device } from "#core/device/device.ts";
import type { ReachRule } from "#core/net/reach-rule.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { standardOffset } from "#core/site/timezone.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { createPortHub } from "#runtime/drivers/port-hub.ts";
import type { SimulatedPorts } from "#runtime/drivers/simulated-ports.ts";
import { createLuaHost, type LuaHostNeeds } from "#runtime/lua/lua-host.ts";
import { createSimulator, type SimulatorNeeds, type Simulators } from "#runtime/simulator/create-simulator.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { endInterrupted } from "#service/command/end-interrupted.ts";
import type { ChannelRouter } from "#service/device/channel-router.ts";
import { hostedDevices } from "#service/device/host-device.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import { type RegisterNeeds, registerChild } from "#service/device/register-child.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";

export interface Hosts {
  readonly simulator: Simulators;
  /** The start of the devices, until the last one has had its turn. */
  underWay(): readonly { readonly name: string; readonly percent: number }[];
  stop(): Promise<void>;
}

type Given = "blueprintOf" | "offsetOf" | "onStatus" | "silenceMs" | "registerChild";

interface HostingNeeds
  extends Omit<LuaHostNeeds, Given>,
    Omit<SimulatorNeeds, Given>,
    RegisterNeeds,
    Pick<Needs, "sites" | "executions" | "gateways"> {
  readonly catalog: BlueprintCatalog;
  readonly channel: ChannelRouter;
  readonly hosts: HostRouter;
  readonly dispatcher: CommandDispatcher;
  readonly events: EventHub;
  readonly prepareEvent: PrepareEvent;
  readonly log: Logger;
  readonly budgets: Pick<ByteBudgets, "open" | "watch">;
  readonly troubles: Pick<Troubles, "report">;
}

interface HostingSettings {
  readonly config: Config;
  /** What scripts get for a hardware port that the machine does not have. */
  readonly simulated: SimulatedPorts;
  /** What scripts may reach over the network. */
  readonly allow: readonly ReachRule[];
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
  await endInterrupted(needs).catch((error: unknown) =>
    needs.troubles.report(
      { part: "commands", message: "not every interrupted execution could be ended; they time out" },
      { err: error },
    ),
  );
  const devices = await hostedDevices(needs);
  const stopping = new AbortController();
  const starting = needs.hosts.startAll(devices, stopping.signal);
  needs.background.run("start devices", () => starting);
  return {
    simulator,
    underWay() {
      const waiting = needs.hosts.waiting();
      if (waiting === 0) return [];
      return [{ name: "start of devices", percent: Math.floor((1 - waiting / devices.length) * 100) }];
    },
    async stop() {
      stopping.abort();
      // Its failure is reported where it runs.
      await Promise.allSettled([starting]);
      simulator.stop();
      await lua.stop();
      hub.close();
    },
  };
}
