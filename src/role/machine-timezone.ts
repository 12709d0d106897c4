import { readlinkSync } from "node:fs";
import { isTimezone } from "#core/site/timezone.ts";

/**
 * The time zone of this machine by its IANA name. Undefined where it has none that can be named: TZ may hold a name that
 * nobody knows, of which Node makes no name at all or Etc/Unknown.
 */
export function machineTimezone(): string | undefined {
  return firstKnown(new Intl.DateTimeFormat("en").resolvedOptions().timeZone, process.env["TZ"]);
}

/** `named` is what Node says, `setting` the variable TZ. */
export function firstKnown(named: string | undefined, setting: string | undefined): string | undefined {
  const candidates = [named, fileZone(setting), fileZone("/etc/localtime")];
  return candidates.find((name) => name !== undefined && isTimezone(name));
}

/** The zone of a file, as TZ=:/usr/share/zoneinfo/Europe/Berlin and /etc/localtime name it. */
function fileZone(setting: string | undefined): string | undefined {
  const path = setting?.replace(/^:/, "");
  if (path === undefined || !path.startsWith("/")) return path;
  return zoneOfPath(path) ?? zoneOfPath(linkedPath(path));
}

const zoneOfPath = (path: string) => /\/zoneinfo\/(?:posix\/|right\/)?([\w+/-]+)$/.exec(path)?.[1];

function linkedPath(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
