// Keeps the stored telemetry within its size. A gateway that has joined a cloud also leaves room on a disk that fills up,
// so that it can go on taking new points while the line is cut. The oldest goes first, a day at a time. A gateway on its
// own deletes nothing that nobody asked for: on a full disk it refuses new points instead.
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import { allPages } from "#service/all-pages.ts";
import type { Needs } from "#service/ports.ts";

export interface LimitNeeds extends Pick<Needs, "devices" | "telemetry" | "now"> {
  readonly uplinks: Pick<Needs["uplinks"], "get">;
  /** Of the disk that the store is on. */
  readonly disk: () => { readonly freeBytes: number; readonly totalBytes: number };
  readonly log: { warn(about: object, text: string): void };
}

/** So much stays free, or a twentieth of a small disk. */
const KEPT_FREE_BYTES = 64 * 1024 * 1024;
const KEPT_FREE_SHARE = 0.05;
/** A round ends after so many days; the next one goes on. */
const MAX_DAYS = 30;

/** Returns how many pieces were deleted. */
export async function limitTelemetry(needs: LimitNeeds, maxBytes: number): Promise<number> {
  const isJoined = (await needs.uplinks.get()) !== undefined;
  let dropped = 0;
  for (let days = 0; days < MAX_DAYS; days++) {
    const space = await needs.telemetry.space();
    if (space?.oldest === undefined || !(space.usedBytes > maxBytes || (isJoined && isFull(needs, space))))
      return dropped;
    const before = instant((Math.floor(space.oldest / DAY_MS) + 1) * DAY_MS);
    // What is new is not deleted to make room for itself.
    if (before > needs.now() - HOUR_MS) return dropped;
    let pieces = 0;
    for await (const { id } of allPages((page) => needs.devices.list({ scope: "all" }, page))) {
      for (let some = 1; some > 0; pieces += some) some = await needs.telemetry.drop(id, { except: [] }, before);
    }
    if (pieces === 0) return dropped;
    dropped += pieces;
    needs.log.warn({ before: new Date(before).toISOString(), pieces }, "the oldest telemetry was deleted to make room");
  }
  return dropped;
}

function isFull({ disk }: LimitNeeds, { usedBytes, spareBytes }: { usedBytes: number; spareBytes: number }): boolean {
  const { freeBytes, totalBytes } = disk();
  // What was deleted is free within the file, not on the disk.
  return usedBytes > 0 && freeBytes + spareBytes < Math.min(KEPT_FREE_BYTES, totalBytes * KEPT_FREE_SHARE);
}
