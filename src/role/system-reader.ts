// Gathers what the installation says about itself from the parts that know it.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#config";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Instant } from "#core/time/instant.ts";
import { type Logger, recentLines } from "#log";
import type { Carriers } from "#role/carriers.ts";
import { DATABASE_FILES, type StorageGuard } from "#role/guard-storage.ts";
import type { RunningSettings } from "#role/live-settings.ts";
import type { ProcessMeter } from "#role/process-meter.ts";
import type { HostRouter } from "#service/device/host-router.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { SystemReader } from "#service/ports/system-status.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";

interface ReaderNeeds {
  readonly log: Logger;
  readonly now: () => Instant;
  readonly meter: ProcessMeter;
  readonly nodes: Pick<Nodes, "count">;
  readonly hosts: Pick<HostRouter, "states">;
  readonly telemetryCounter: Pick<TelemetryCounter, "read">;
  readonly budgets: Pick<ByteBudgets, "list">;
  readonly shares: Pick<Shares, "list">;
  readonly storage: StorageGuard;
  readonly liveSettings: Pick<RunningSettings, "config">;
  readonly carriers: Pick<Carriers, "endpoints" | "connections">;
}

export function createSystemReader(needs: ReaderNeeds, config: Config): SystemReader {
  const startedAt = needs.now();
  const isEmbedded = config.database.url === undefined;
  const files = isEmbedded ? DATABASE_FILES : [];
  return {
    log: () => recentLines(needs.log),
    async status() {
      const { endpoints, connections } = needs.carriers;
      return {
        startedAt,
        nodes: await needs.nodes.count(),
        process: await needs.meter.read(),
        storage: {
          kind: isEmbedded ? "embedded" : "postgres",
          files: files.map((name) => ({ name, bytes: sizeOf(join(config.data, name)) })),
          freeBytes: needs.storage.reserve.free(),
          retention: needs.liveSettings.config().telemetry.retention,
        },
        broker: {
          kind: config.mqtt.url === undefined ? "embedded" : "external",
          mqttPort: endpoints.mqtt?.port,
          mqttsPort: endpoints.mqtts?.port,
          connections: connections?.(),
        },
        hosted: countStates(needs.hosts.states()),
        telemetry: needs.telemetryCounter.read(),
        buffers: needs.budgets.list(),
        shares: needs.shares.list(),
      };
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function countStates(states: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
