import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files and folders that only an installation has. An operator may prepare others, such as admin.token, pki or rocks. */
const TRACES = ["records.db", "telemetry.db", "seal.key", "last-backup.json", "demo.json", "backups"];

export function tracesIn(data: string): readonly string[] {
  return TRACES.filter((name) => {
    const found = statSync(join(data, name), { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return readdirSync(join(data, name)).length > 0;
    return found !== undefined && found.size > 0;
  });
}
