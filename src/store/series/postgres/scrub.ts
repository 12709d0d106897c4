// Reads all stored data again and again, a little per second, so that damage is found before a query meets it.
import { itemAt } from "#core/item-at.ts";
import { DamagedPiece } from "#store/series/checksum.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { PARTITIONS } from "#store/series/shared-store.ts";
import { readContent, readHead, readParts, readSegment } from "./rows.ts";
import type { Transactions } from "./transactions.ts";

const ROWS = 16;

interface Key {
  readonly partition: number;
  readonly device: number;
  readonly series: number;
  readonly start: number;
}
const beginningOf = (partition: number): Key => ({ partition, device: -1, series: -1, start: 0 });
const BEGINNING = beginningOf(itemAt(PARTITIONS, 0));

export function createScrub(query: Transactions["query"], onDamaged: OnDamaged): () => Promise<void> {
  let last = BEGINNING;
  let table: "chunk" | "segment" = "chunk";

  async function readChunks(): Promise<number> {
    const { rows } = await query<
      Key & {
        span: number;
        head_checksum: number;
        parts_checksum: number;
        checksum: number;
        head: Uint8Array;
        parts: Uint8Array;
        presence: Uint8Array;
        data: Uint8Array;
      }
    >(
      `SELECT * FROM telemetry_chunk WHERE partition = $1 AND (device, series, start) > ($2, $3, $4)
       ORDER BY device, series, start LIMIT ${ROWS}`,
      [last.partition, last.device, last.series, last.start],
    );
    for (const row of rows) {
      check(() => {
        const head = readHead(row, row.head, row.head_checksum);
        readParts(head, row.parts, row.parts_checksum);
        readContent(head, { presence: row.presence, values: row.data }, row.checksum);
      });
      last = row;
    }
    return rows.length;
  }

  async function readSegments(): Promise<number> {
    const { rows } = await query<
      Omit<Key, "series"> & { span: number; row_count: number; checksum: number; times: Uint8Array }
    >(
      `SELECT * FROM telemetry_segment WHERE partition = $1 AND (device, start) > ($2, $3)
       ORDER BY device, start LIMIT ${ROWS}`,
      [last.partition, last.device, last.start],
    );
    for (const row of rows) {
      check(() => readSegment({ ...row, rows: row.row_count }, row.checksum));
      last = { ...row, series: 0 };
    }
    return rows.length;
  }

  function check(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      onDamaged(error.place);
    }
  }

  return async () => {
    const count = await (table === "chunk" ? readChunks() : readSegments());
    if (count === ROWS) return;
    const next = PARTITIONS[PARTITIONS.indexOf(last.partition) + 1];
    if (next !== undefined) {
      last = beginningOf(next);
      return;
    }
    table = table === "chunk" ? "segment" : "chunk";
    last = BEGINNING;
  };
}
