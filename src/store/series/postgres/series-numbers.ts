// Devices and series have the same numbers on all nodes: the database gives them out.
import { KINDS, type SeriesDefinition } from "#store/series/batch.ts";
import type { SeriesName, SharedStore } from "#store/series/shared-store.ts";
import type { Transactions } from "./transactions.ts";

interface DefinitionRow {
  readonly id: number;
  readonly device: number;
  readonly device_id: string;
  readonly attribute: string;
  readonly kind: number;
}

const SELECT = `SELECT s.id, s.device, d.device_id, s.attribute, s.kind FROM telemetry_device d
  JOIN telemetry_series s ON s.device = d.id`;
/**
 * One of two nodes that define the same series at once waits for the other and then finds its number.
 *
 * Sixteen devices that come one after the other, such as those of a site, get numbers with the same remainder, so they are in
 * one partition: a query of ten devices, and a batch of them, is then about one or two. On Citus, where each partition takes a
 * statement of its own, such a query took 76 to 118 ms instead of 11. Of each 256 numbers the last two digits of a base of
 * sixteen change places.
 */
const INSERT_DEVICES = `INSERT INTO telemetry_device (id, device_id)
  SELECT (n & ~255) | ((n & 15) << 4) | ((n >> 4) & 15), device_id
  FROM (SELECT nextval(pg_get_serial_sequence('telemetry_device', 'id')) AS n, device_id
    FROM (SELECT DISTINCT device_id FROM unnest($1::text[]) AS wanted(device_id)
      WHERE NOT EXISTS (SELECT 1 FROM telemetry_device d WHERE d.device_id = wanted.device_id)
      ORDER BY device_id) AS missing) AS numbered
  ON CONFLICT DO NOTHING`;
/** A number may be taken: nodes of before took them as they came. Then the next one is tried. */
const NUMBERS_TRIED = 256;
const MISSING = `SELECT 1 FROM unnest($1::text[]) AS wanted(device_id)
  WHERE NOT EXISTS (SELECT 1 FROM telemetry_device d WHERE d.device_id = wanted.device_id) LIMIT 1`;
const INSERT_SERIES = `INSERT INTO telemetry_series (device, attribute, kind)
  SELECT DISTINCT d.id, wanted.attribute, wanted.kind
  FROM unnest($1::text[], $2::text[], $3::smallint[]) AS wanted(device_id, attribute, kind)
  JOIN telemetry_device d ON d.device_id = wanted.device_id
  WHERE NOT EXISTS (SELECT 1 FROM telemetry_series s
    WHERE s.device = d.id AND s.attribute = wanted.attribute AND s.kind = wanted.kind)
  ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING`;

export function createSeriesNumbers({
  query,
  run,
}: Transactions): Pick<SharedStore, "define" | "seriesOf" | "seriesOfNumbers" | "deviceIds"> {
  async function seriesOf(deviceIds: readonly string[]): Promise<readonly SeriesDefinition[]> {
    const { rows } = await query<DefinitionRow>(`${SELECT} WHERE d.device_id = ANY ($1::text[])`, [deviceIds]);
    return rows.map(parse);
  }
  async function numberDevices(devices: readonly string[]): Promise<void> {
    for (let tried = 0; tried < NUMBERS_TRIED; tried++) {
      await run([{ sql: INSERT_DEVICES, values: [devices] }]);
      if ((await query(MISSING, [devices])).rows.length === 0) return;
    }
  }

  return {
    async define(wanted) {
      if (wanted.length === 0) return [];
      const devices = wanted.map(({ deviceId }) => deviceId);
      await numberDevices(devices);
      const attributes = wanted.map(({ attribute }) => attribute);
      const kinds = wanted.map(({ kind }) => KINDS.indexOf(kind));
      await run([{ sql: INSERT_SERIES, values: [devices, attributes, kinds] }]);
      const known = new Map((await seriesOf([...new Set(devices)])).map((one) => [keyOf(one), one]));
      return wanted.map((one) => {
        const found = known.get(keyOf(one));
        if (found === undefined) throw new Error("a series that was defined is not there");
        return found;
      });
    },
    seriesOf,
    async deviceIds(after, limit) {
      const { rows } = await query<{ device_id: string }>(
        "SELECT device_id FROM telemetry_device WHERE device_id > $1 ORDER BY device_id LIMIT $2",
        [after, limit],
      );
      return rows.map(({ device_id }) => device_id);
    },
    async seriesOfNumbers(devices) {
      const { rows } = await query<DefinitionRow>(`${SELECT} WHERE d.id = ANY ($1::bigint[])`, [devices]);
      return rows.map(parse);
    },
  };
}

function parse({ id, device, device_id, attribute, kind }: DefinitionRow): SeriesDefinition {
  return { series: id, device, deviceId: device_id, attribute, kind: KINDS[kind] ?? "text" };
}

function keyOf({ deviceId, attribute, kind }: SeriesName): string {
  return JSON.stringify([deviceId, attribute, kind]);
}
