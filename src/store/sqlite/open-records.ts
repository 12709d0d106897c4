import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Needs } from "#service/ports.ts";
import { createAuditStore } from "./audit-store.ts";
import { createBlueprintStore } from "./blueprint-store.ts";
import { createConfigurationStore } from "./configuration-store.ts";
import { Connection } from "./connection.ts";
import { createDeviceLogStore } from "./device-log-store.ts";
import { createDeviceStore } from "./device-store.ts";
import { createExecutionStore } from "./execution-store.ts";
import { lockFolder } from "./lock-folder.ts";
import { createSiteStore } from "./site-store.ts";
import { createTokenStore } from "./token-store.ts";
import { openWriter } from "./writer.ts";

export interface Records
  extends Pick<
    Needs,
    "sites" | "devices" | "blueprints" | "tokens" | "audit" | "executions" | "deviceLogs" | "configurations"
  > {
  close(): Promise<void>;
}

/** Opens the records of a data folder, made when missing. Only the owner may read it. */
export async function openRecords(folder: string, onFault: (error: Error) => void): Promise<Records> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(join(folder, "lock.db"));
  try {
    const file = join(folder, "records.db");
    const writer = await openWriter(file, onFault);
    chmodSync(file, 0o600);
    const reader = new Connection(file, "read");
    return {
      sites: createSiteStore(reader, writer),
      devices: createDeviceStore(reader, writer),
      blueprints: createBlueprintStore(reader, writer),
      tokens: createTokenStore(reader, writer),
      audit: createAuditStore(reader, writer),
      executions: createExecutionStore(reader, writer),
      deviceLogs: createDeviceLogStore(reader, writer),
      configurations: createConfigurationStore(reader, writer),
      async close() {
        reader.close();
        await writer.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
