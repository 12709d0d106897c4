// Counts what the metrics tell of the whole installation, when somebody asks.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#config";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Carriers } from "#role/carriers.ts";
import { diskOf } from "#role/disk-of.ts";
import { DATABASE_FILES } from "#role/guard-storage.ts";
import type { HttpCertificate } from "#role/http-certificate.ts";
import type { OpenTracer } from "#role/open-tracer.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { Uplink } from "#service/link/uplink.ts";
import type { Figures } from "#service/ports/figures.ts";
import type { Needs } from "#service/ports.ts";

interface FigureNeeds extends Pick<Needs, "devices" | "alerts" | "webhooks" | "gateways" | "telemetry"> {
  readonly connectivity: Pick<Connectivity, "counts">;
  readonly dispatcher: Pick<CommandDispatcher, "openCount">;
  readonly carriers: Pick<Carriers, "connections" | "signIns" | "certificateExpiresAt">;
  readonly uplink: Pick<Uplink, "status"> | undefined;
  readonly certificate: Pick<HttpCertificate, "expiresAt"> | undefined;
  readonly tracer: Pick<OpenTracer, "counts">;
}

const COUNT_ONLY = { limit: 0, offset: 0 };

export function createFigures(needs: FigureNeeds, config: Config): () => Promise<Figures> {
  const files = config.database.url === undefined ? DATABASE_FILES : [];
  return async () => {
    const [devices, alerts, waitingDeliveries, uplink, gateways, chunks] = await Promise.all([
      countDevices(needs, config),
      countAlerts(needs),
      needs.webhooks.waiting(),
      needs.uplink?.status(),
      config.role === "cloud" ? needs.gateways.connected() : undefined,
      needs.telemetry.chunks(),
    ]);
    const { connections, signIns } = needs.carriers;
    return {
      devices,
      alerts,
      openExecutions: needs.dispatcher.openCount,
      mqtt: connections && signIns && { connections: connections(), signIns: signIns() },
      waitingDeliveries,
      uplink: uplink && { isConnected: uplink.isConnected, dropped: uplink.dropped, ...uplink.backlog },
      connectedGateways: gateways?.length,
      disk: diskOf(config.data),
      files: files.map((name) => ({ name, bytes: sizeOf(join(config.data, name)) })),
      chunks,
      certificates: certificatesOf(needs),
      spans: needs.tracer.counts,
    };
  };
}

async function countDevices({ devices, connectivity }: FigureNeeds, { role }: Config): Promise<Figures["devices"]> {
  const [{ total }, gateways] = await Promise.all([
    devices.list({ scope: "all" }, COUNT_ONLY),
    // On a gateway its own devices are online without a sign of life.
    role === "gateway" ? devices.list({ scope: "all", types: ["GATEWAY"] }, COUNT_ONLY) : { total: 0 },
  ]);
  const counted = connectivity.counts();
  const online = counted.online + gateways.total;
  return { online, offline: counted.offline, unknown: Math.max(0, total - online - counted.offline) };
}

async function countAlerts({ alerts }: FigureNeeds): Promise<Figures["alerts"]> {
  const filter = { scope: "all", level: "system", active: true, newestFirst: false } as const;
  const counts = ALERT_SEVERITIES.map(async (severity) => {
    const { total } = await alerts.list({ ...filter, severities: [severity] }, COUNT_ONLY);
    return [severity, total] as const;
  });
  return new Map(await Promise.all(counts));
}

function certificatesOf({ certificate, carriers }: FigureNeeds): Figures["certificates"] {
  const found = new Map<"http" | "mqtt", Instant>();
  if (certificate !== undefined) found.set("http", certificate.expiresAt());
  const mqtt = carriers.certificateExpiresAt?.();
  if (mqtt !== undefined) found.set("mqtt", mqtt);
  return found;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
