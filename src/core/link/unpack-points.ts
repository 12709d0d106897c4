// Reads what pack-points.ts has written. The other side is not trusted: what cannot be read is a LinkMistake.

import { ByteReader } from "#core/bytes/byte-reader.ts";
import { itemAt } from "#core/item-at.ts";
import {
  BOOLEAN,
  FLOAT_32,
  FLOAT_64,
  floatOf,
  fromWhole,
  LARGEST_WHOLE,
  type LiveDevice,
  type LivePoints,
  type LiveSeries,
  type LiveValue,
  LiveValues,
  MOST_KNOWN_BYTES,
  TEXT,
} from "./live-values.ts";
import { FARTHEST, LinkMistake } from "./message-fields.ts";

export interface PointsUnpacker {
  /** In the order in which they were packed. */
  unpack(bytes: Uint8Array): readonly LivePoints[];
  /** About what is remembered for the next ones. */
  readonly knownBytes: number;
}

/** A bit can stand for a point, so a few bytes could stand for very many. */
const MOST_POINTS = 100_000;
const MOST_SERIES = 100_000;
/** One for all connections: it keeps nothing between two texts. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function createPointsUnpacker(): PointsUnpacker {
  let known = new LiveValues();

  function readText(reader: ByteReader): string {
    const head = reader.unsigned();
    if (head >= 2) return present(known.texts[head - 2], "a text");
    const text = decoder.decode(reader.take(reader.unsigned()));
    if (head === 1) {
      if (!known.isKept(text)) throw new LinkMistake("points have too many known texts");
      known.addText(text);
    }
    return text;
  }

  function readDevice(reader: ByteReader): LiveDevice {
    const place = reader.unsigned();
    if (place === known.devices.length) return known.addDevice(readText(reader));
    return present(known.devices[place], "a device");
  }

  function readForm(reader: ByteReader, device: LiveDevice): readonly number[] {
    const head = reader.unsigned();
    if (head > 0) return present(device.forms[head - 1], "a form");
    const form = Array.from({ length: reader.count(Math.min(reader.left, MOST_SERIES)) }, () => {
      const place = reader.unsigned();
      if (place > device.series.length) throw new LinkMistake("points name a series that was never announced");
      if (place === device.series.length) known.addSeries(device, readText(reader));
      return place;
    });
    known.addForm(device, form);
    return form;
  }

  function readMessage(reader: ByteReader, room: number): LivePoints {
    const device = readDevice(reader);
    const form = readForm(reader, device);
    if (form.length > room) throw new LinkMistake(`there are more than ${MOST_POINTS} points in a message`);
    const at = known.at + reader.signed();
    if (Math.abs(at) > FARTHEST) throw new LinkMistake("points have no time");
    known.at = at;
    const changed = reader.take(Math.ceil(form.length / 8));
    const values = new Map<string, LiveValue>();
    for (const [place, where] of form.entries()) {
      const series = present(device.series[where], "a series");
      if ((itemAt(changed, place >> 3) >> (place & 7)) & 1) readValue(reader, series);
      values.set(series.name, present(series.value, "a value"));
    }
    return { deviceId: device.id, at, values };
  }

  function readValue(reader: ByteReader, series: LiveSeries): void {
    const head = reader.unsigned();
    const kind = head === 0 ? reader.byte() : series.kind;
    if (head > 0 && series.value === undefined && kind !== FLOAT_64) throw new LinkMistake("a point has no value");
    if (kind === TEXT) known.setText(series, readText(reader));
    else
      series.value = kind === BOOLEAN ? readBoolean(reader, series, head) : readNumber(reader, series, { head, kind });
    series.kind = kind;
  }

  function unpack(bytes: Uint8Array): readonly LivePoints[] {
    const reader = new ByteReader(bytes, "points");
    const head = reader.unsigned();
    if (head % 2 === 1) known = new LiveValues();
    const messages: LivePoints[] = [];
    const count = Math.floor(head / 2);
    for (let room = MOST_POINTS; messages.length < count; ) {
      const message = readMessage(reader, room);
      // The message itself counts, too.
      room -= message.values.size + 1;
      messages.push(message);
      // One message may go beyond the limit. Then the other side starts over.
      if (known.bytes > 2 * MOST_KNOWN_BYTES) throw new LinkMistake("points have too many names to remember");
    }
    reader.finish();
    return messages;
  }

  return {
    unpack(bytes) {
      try {
        return unpack(bytes);
      } catch (error) {
        if (error instanceof LinkMistake) throw error;
        throw new LinkMistake(error instanceof Error ? error.message : String(error), { cause: error });
      }
    },
    get knownBytes() {
      return known.bytes;
    },
  };
}

/** A head of 0 comes before a value of another kind. */
function readBoolean(reader: ByteReader, { value }: LiveSeries, head: number): boolean {
  return head === 0 ? reader.byte() === 1 : value !== true;
}

function readNumber(
  reader: ByteReader,
  series: LiveSeries,
  { head, kind }: { readonly head: number; readonly kind: number },
): number {
  if (kind > FLOAT_64) throw new LinkMistake(`no kind of values has the number ${kind}`);
  if (kind !== FLOAT_64) {
    if (head > 0) series.whole += head % 2 === 0 ? head / 2 : -(head + 1) / 2;
    else series.whole = kind === FLOAT_32 ? reader.word() : reader.signed();
    const largest = kind === FLOAT_32 ? 2 ** 31 : LARGEST_WHOLE;
    if (Math.abs(series.whole) > largest) throw new LinkMistake("a point is too large");
  }
  const value = numberFrom(reader, series.whole, kind);
  if (!Number.isFinite(value)) throw new LinkMistake("a point has no value");
  return value;
}

function numberFrom(reader: ByteReader, whole: number, kind: number): number {
  if (kind === FLOAT_64) return reader.double();
  return kind === FLOAT_32 ? floatOf(whole) : fromWhole(whole, kind);
}

function present<Thing>(thing: Thing | undefined, what: string): Thing {
  if (thing === undefined) throw new LinkMistake(`points name ${what} that was never announced`);
  return thing;
}
