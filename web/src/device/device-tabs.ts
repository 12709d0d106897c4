import type { Device } from "#client/resources.ts";
import type { Manifest } from "#web/data/manifest.ts";
import type { RouteName } from "#web/router/paths.ts";

/** Addresses that name nothing but the device. */
type TabRoute = Exclude<Extract<RouteName, `device${string}`>, "devices" | "deviceCommand">;

export type DeviceTab = {
  readonly name:
    | "overview"
    | "commands"
    | "executions"
    | "alerts"
    | "configuration"
    | "logs"
    | "runtime"
    | "simulation";
  /** The first is where the tab leads; on the others it is marked, too. */
  readonly routes: readonly [TabRoute, ...RouteName[]];
};

/** Types of devices whose script or model runs on the server. */
const HOSTED = new Set(["LUA", "SIMULATED", "VIRTUAL_UCM"]);

/** The tabs that a device has: one that could show nothing is left out. */
export function deviceTabs(device: Pick<Device, "type">, manifest: Manifest): readonly DeviceTab[] {
  return [
    { name: "overview", routes: ["device"] },
    ...(manifest.commands.size > 0
      ? [
          { name: "commands", routes: ["deviceCommands", "deviceCommand"] } as const,
          { name: "executions", routes: ["deviceExecutions"] } as const,
        ]
      : []),
    { name: "alerts", routes: ["deviceAlerts"] },
    ...(manifest.configuration.size > 0 ? [{ name: "configuration", routes: ["deviceConfiguration"] } as const] : []),
    { name: "logs", routes: ["deviceLogs"] },
    ...(HOSTED.has(device.type) && device.type !== "SIMULATED"
      ? [{ name: "runtime", routes: ["deviceRuntime"] } as const]
      : []),
    ...(device.type === "SIMULATED" ? [{ name: "simulation", routes: ["deviceSimulation"] } as const] : []),
  ];
}
