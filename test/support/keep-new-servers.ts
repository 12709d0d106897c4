// Once for a whole test run: a folder for what the first PostgreSQL server of each version was given.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variable that names the folder. */
export const NEW_SERVERS = "BUSBAR_TEST_NEW_SERVERS";

export default function keepNewServers(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "busbar-new-servers-"));
  // The servers run as another user than root.
  chmodSync(folder, process.getuid?.() === 0 ? 0o777 : 0o700);
  process.env[NEW_SERVERS] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
