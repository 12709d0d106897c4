import type { Command } from "commander";
import { collect } from "#cli/client-command.ts";
import { findSites } from "#cli/find-site.ts";
import type { Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { NewBulkCommand } from "#client/resources.ts";

/** What says which devices, how fast, and when to stop. */
export interface BulkFlags {
  readonly deviceId?: readonly string[];
  readonly siteId?: readonly string[];
  readonly profile?: readonly string[];
  readonly blueprintId?: readonly string[];
  readonly rate?: string;
  readonly parallel?: string;
  readonly stopAfter?: string;
}

export function addBulkOptions(command: Command): Command {
  return command
    .option("--device, --device-id <devices>", "these devices, by id or slug", collect)
    .option("--site, --site-id <sites>", "devices of these sites, by id or name", collect)
    .option("--profile <profiles>", "devices that implement all of these", collect)
    .option("--blueprint, --blueprint-id <ids>", "devices that have one of these blueprints", collect)
    .option("--rate <count>", "how many devices begin per second (default 10)")
    .option("--parallel <count>", "how many devices run at once (default 10)")
    .option("--stop-after <failures>", "start no further device after this many failures");
}

type Settings = Pick<NewBulkCommand, "devices" | "rate" | "parallel" | "stop_after">;

export async function bulkSettings(session: Session, flags: BulkFlags): Promise<Settings> {
  const devices = {
    ...(flags.deviceId !== undefined && { device_ids: flags.deviceId }),
    ...(flags.siteId !== undefined && { site_ids: await findSites(session, flags.siteId) }),
    ...(flags.profile !== undefined && { profiles: flags.profile }),
    ...(flags.blueprintId !== undefined && { blueprint_ids: flags.blueprintId }),
  };
  if (Object.keys(devices).length === 0) {
    throw new UsageError("say which devices: --device, or --site, --profile and --blueprint");
  }
  return {
    devices,
    ...(flags.rate !== undefined && { rate: whole("--rate", flags.rate) }),
    ...(flags.parallel !== undefined && { parallel: whole("--parallel", flags.parallel) }),
    ...(flags.stopAfter !== undefined && { stop_after: whole("--stop-after", flags.stopAfter) }),
  };
}

function whole(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`${flag} is a whole number`);
  return Number(text);
}
