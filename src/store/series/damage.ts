// Damage in the form in which it is reported: by device, attribute and hour.
import { type AppError, refuse } from "#core/app-error.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import type { Rows } from "#service/ports/telemetry-store.ts";
import type { StoredPlace } from "./checksum.ts";
import type { SeriesIndex } from "./series-index.ts";

/** Times are Unix milliseconds. */
export type Damage = Pick<StoredPlace, "table" | "start" | "span"> & {
  readonly deviceId?: string | undefined;
  readonly attribute?: string | undefined;
  /** The new name of the whole store, if it was unreadable and an empty one took its place. */
  readonly setAside?: string;
};

export function damageAt(index: SeriesIndex, { table, key, start, span }: StoredPlace): Damage {
  for (const { series, device, deviceId, attribute } of index.all()) {
    if (table === "segment" && device === key) return { table, start, span, deviceId };
    if (table !== "segment" && table !== "journal" && series === key)
      return { table, start, span, deviceId, attribute };
  }
  return { table, start, span };
}

export function refuseDamaged({ deviceId, attribute, start, span }: Damage): AppError {
  // A place that was read from a damaged file may hold anything.
  const isTime = Math.abs(start) < 8e15 && Math.abs(start + span) < 8e15;
  const [from, to] = isTime ? [renderInstant(instant(start)), renderInstant(instant(start + span))] : ["?", "?"];
  const what = `${attribute ?? "telemetry"} of ${deviceId === undefined ? "a device" : `device ${deviceId}`}`;
  return refuse("storage_damaged", `what is stored of ${what} from ${from} to ${to} is damaged; leave that time out`, {
    ...(deviceId !== undefined && { device: deviceId }),
    ...(attribute !== undefined && { attribute }),
    from,
    to,
  });
}

/** The same rows; a later failure is reported like an immediate one. */
export function namedRows<Piece>(rows: Rows<Piece>, named: (error: unknown) => unknown): Rows<Piece> {
  const next = rows.next.bind(rows);
  rows.next = async () => {
    try {
      return await next();
    } catch (error) {
      throw named(error);
    }
  };
  return rows;
}
