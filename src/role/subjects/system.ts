import { statSync } from "node:fs";
import { join } from "node:path";
import { guideRoutes } from "#http/guide/guide-routes.ts";
import { SECOND } from "#role/chore-times.ts";
import { diskOf } from "#role/disk-of.ts";
import { DATABASE_FILES } from "#role/guard-storage.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import type { Figures } from "#service/ports/figures.ts";
import { settingOperations } from "#service/system/setting-operations.ts";
import { statusOperations } from "#service/system/status-operations.ts";

/** The installation itself: its status, settings and guide, its disk, clock and certificates. */
export function system(parts: Parts): Subject {
  const { carriers, certificate, clock, config, storage, tracer } = parts;
  const files = config.database.url === undefined ? DATABASE_FILES : [];
  return {
    operations: [
      ...statusOperations({ ...parts, about: { version: parts.version, role: parts.role } }),
      ...settingOperations(parts),
      ...guideRoutes(parts),
    ],
    chores: [
      { name: "look after the disk", everyMs: SECOND, task: () => storage.look() },
      { name: "watch the clock", everyMs: SECOND, task: async () => void clock.check() },
      { name: "look for a new certificate", everyMs: 5 * SECOND, task: async () => await certificate?.look() },
    ],
    figures: async () => ({
      mqtt: mqttOf(parts),
      disk: diskOf(config.data),
      files: files.map((name) => ({ name, bytes: sizeOf(join(config.data, name)) })),
      certificates: certificatesOf({ certificate, carriers }),
      spans: tracer.counts,
    }),
  };
}

function mqttOf({ carriers: { connections, signIns } }: Parts): Figures["mqtt"] {
  return connections && signIns && { connections: connections(), signIns: signIns() };
}

function certificatesOf({ certificate, carriers }: Pick<Parts, "certificate" | "carriers">): Figures["certificates"] {
  const mqttEnds = carriers.certificateExpiresAt?.();
  return new Map([
    ...(certificate === undefined ? [] : [["http", certificate.expiresAt()] as const]),
    ...(mqttEnds === undefined ? [] : [["mqtt", mqttEnds] as const]),
  ]);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
