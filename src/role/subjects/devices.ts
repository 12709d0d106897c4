import { toMilliseconds } from "#core/time/duration.ts";
import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { configurationOperations } from "#service/device/configuration-operations.ts";
import { deviceBlueprintOperations } from "#service/device/device-blueprint-operations.ts";
import { deviceConfigOperations } from "#service/device/device-config-operations.ts";
import { deviceLogOperations } from "#service/device/device-log-operations.ts";
import { deviceOperations } from "#service/device/device-operations.ts";
import { announceEveryMs, DEVICES_PER_MESSAGE } from "#service/device/presence.ts";
import { provisioningOperations } from "#service/device/provisioning-operations.ts";
import { runtimeOperations } from "#service/device/runtime-operations.ts";
import type { Figures } from "#service/ports/figures.ts";
import { simulationOperations } from "#service/simulator/simulation-operations.ts";

export function devices(parts: Parts): Subject {
  const { connectivity, deviceLog, deviceLogs, liveSettings, nodes, config } = parts;
  const retention = () => liveSettings.config().logs;
  return {
    operations: [
      ...deviceOperations(parts),
      ...deviceBlueprintOperations(parts),
      ...deviceLogOperations(parts),
      ...runtimeOperations(parts),
      ...simulationOperations(parts),
      ...configurationOperations(parts),
      ...deviceConfigOperations(parts, parts.carriers),
      ...provisioningOperations(parts),
    ],
    chores: [
      { name: "notice silent devices", everyMs: SECOND, task: async () => connectivity.sweep() },
      { name: "report what device logs leave out", everyMs: 10 * SECOND, task: () => deviceLog.reportLeftOut() },
      {
        name: "prune device logs",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: () =>
          untilDone(() =>
            deviceLogs.prune({
              persistedBefore: ago(parts.clock, toMilliseconds(retention().retention)),
              temporaryBefore: ago(parts.clock, toMilliseconds(retention().temporaryRetention)),
            }),
          ),
      },
      ...(nodes.isShared
        ? [
            {
              name: "say which devices are heard",
              everyMs: announceEveryMs(config),
              task: () => announceHeard(parts),
            },
          ]
        : []),
    ],
    figures: async () => ({ devices: await countDevices(parts) }),
  };
}

type Announcing = Pick<Parts, "nodes" | "connectivity" | "presence">;

async function announceHeard({ nodes, connectivity, presence }: Announcing): Promise<void> {
  const heard = connectivity.heardHere();
  const isOnline = (deviceId: string) => connectivity.status(deviceId) === "ONLINE";
  for (const message of presence.announce(heard, isOnline)) nodes.broadcast(message);
  // A node of the version before understands whole lists alone. It is one of those that do not announce like this one.
  // While the database cannot be reached, nobody would get them.
  const count = await nodes.count().catch(() => 1);
  if (count <= presence.others() + 1) return;
  for (let at = 0; at < heard.length; at += DEVICES_PER_MESSAGE) {
    nodes.broadcast({ kind: "alive", deviceIds: heard.slice(at, at + DEVICES_PER_MESSAGE) });
  }
}

const COUNT_ONLY = { limit: 0, offset: 0 };

async function countDevices({ devices: stored, connectivity, role }: Parts): Promise<Figures["devices"]> {
  const [{ total }, gateways] = await Promise.all([
    stored.list({ scope: "all" }, COUNT_ONLY),
    // On a gateway its own devices are online without a sign of life.
    role === "gateway" ? stored.list({ scope: "all", types: ["GATEWAY"] }, COUNT_ONLY) : { total: 0 },
  ]);
  const counted = connectivity.counts();
  const online = counted.online + gateways.total;
  return { online, offline: counted.offline, unknown: Math.max(0, total - online - counted.offline) };
}
