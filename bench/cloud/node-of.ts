// Another node of an installation: its folder has the keys of the first one and nothing else.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Site } from "../telemetry/busbar.ts";

const KEYS = ["seal.key", "admin.token"] as const;

export function nodeOf(site: Site, folder: string): Site {
  mkdirSync(folder);
  for (const key of KEYS) {
    if (existsSync(join(site.folder, key))) copyFileSync(join(site.folder, key), join(folder, key));
  }
  return { ...site, folder };
}
