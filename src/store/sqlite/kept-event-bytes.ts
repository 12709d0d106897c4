import { KEPT_BYTES } from "#store/records/event-room.ts";
import { number } from "#store/records/row.ts";
import type { Connection } from "./connection.ts";

/** The bytes of all events that are kept. */
export function keptEventBytes(connection: Connection): number {
  return number(connection.one(KEPT_BYTES), "used");
}
