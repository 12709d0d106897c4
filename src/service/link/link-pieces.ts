// Records in the sizes that messages take.
import { fitRecord } from "#core/link/fit-record.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";

/** With this many bytes about, a message has far fewer values than the cloud takes at once. */
const MESSAGE_BYTES = 256 * 1024;

/** Messages that are far smaller than the cloud takes at once. */
export async function* inPieces<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncIterable<Item[]> {
  let piece: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const size = approximateBytes(item);
    if (piece.length > 0 && bytes + size > MESSAGE_BYTES) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

/** A record that is too large for a message is sent as far as it fits. */
export async function* fitting(
  log: { warn(about: object, text: string): void },
  items: AsyncIterable<LinkedItem> | Iterable<LinkedItem>,
): AsyncIterable<LinkedItem> {
  for await (const given of items) {
    const { item, leftOut } = fitRecord(given);
    const { kind, key } = given;
    if (leftOut !== undefined) log.warn({ kind, key, leftOut }, "a record is too large to be sent to the cloud");
    if (item !== undefined) yield item;
  }
}
