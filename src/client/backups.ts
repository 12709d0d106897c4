import { callOf } from "./perform.ts";
import type { Transport } from "./transport.ts";

/** The copy of a large database comes before the next bytes. */
const SILENCE_MS = 30 * 60_000;

export function backups({ stream }: Transport) {
  const headers = { Accept: "application/gzip, application/octet-stream" };
  return {
    /** A backup of everything, as it is made: a tar file packed by gzip, encrypted by age if the server is set so. */
    create: () => stream(callOf("createBackup", { headers }), { silence: SILENCE_MS, isEndless: false }),
  };
}
