import { refuse } from "#core/app-error.ts";
import type { Database } from "#store/database.ts";

/** A cloud only has copies of what a gateway owns. */
export async function requireOwnedHere(database: Database, siteId: string): Promise<void> {
  const owned = await database.get("SELECT 1 AS found FROM site WHERE id = ? AND gateway_id IS NOT NULL", siteId);
  if (owned !== undefined) throw refuse("owned_by_gateway", OWNED);
}

/** The copies of a gateway whose access was revoked may be deleted: nobody else could. */
export async function requireDeletableHere(database: Database, siteId: string): Promise<void> {
  const owned = await database.get(
    `SELECT 1 AS found FROM site WHERE id = ? AND gateway_id IS NOT NULL
       AND gateway_id NOT IN (SELECT id FROM gateway WHERE revoked_at IS NOT NULL)`,
    siteId,
  );
  if (owned !== undefined) throw refuse("owned_by_gateway", OWNED);
}

export async function requireDeviceOwnedHere(database: Database, deviceId: string): Promise<void> {
  const owned = await database.get(
    "SELECT 1 AS found FROM device d JOIN site s ON s.id = d.site_id WHERE d.id = ? AND s.gateway_id IS NOT NULL",
    deviceId,
  );
  if (owned !== undefined) throw refuse("owned_by_gateway", OWNED);
}

const OWNED = "the site belongs to a gateway; make the change there";
