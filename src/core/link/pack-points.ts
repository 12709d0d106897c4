// New telemetry on its way over a connection, about a byte for a value that has changed and a bit for one that has not.
// A site of 200 devices that send 20 values a second each needs 1.2 bytes a point in the first 20 s, with names and answers;
// as deflated JSON it needed 5.3. Ten such devices, of which each has a message of its own, need 2.2 instead of 20.4.
//
//   points  := 2 * messages + start over (0 or 1), message*        (numbers are varints)
//   message := device [text], form [series], time, changed, value*
//     device   its place; the next free one is a new device, whose id follows
//     form     0: the number of values follows, and the place of each one's series; the next free place is a new series,
//              whose name follows. n: as the n-th form that was stated for the device
//     time     milliseconds since the last message, signed
//     changed  a bit for each value, the lowest first. Those without one are as the last time
//   value   := 0, kind byte, value | difference to the last one of the same kind, signed as 2n or 2n - 1, never 0
//   text    := 0, bytes | 1, bytes, known from now on | 2 + place among the known ones

import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import {
  BOOLEAN,
  bitsOf,
  FLOAT_32,
  FLOAT_64,
  type LiveDevice,
  type LivePoints,
  type LiveSeries,
  type LiveValue,
  LiveValues,
  MOST_KNOWN_BYTES,
  MOST_PLACES,
  TEXT,
  toWhole,
} from "./live-values.ts";

const encoder = new TextEncoder();

export interface PointsPacker {
  /** What is packed has to be unpacked in the same order, all of it. */
  pack(messages: readonly LivePoints[]): Uint8Array;
}

export function createPointsPacker(): PointsPacker {
  let known = new LiveValues();
  let devices = new Map<string, PackedDevice>();
  let texts = new Map<string, number>();

  function writeText(writer: ByteWriter, text: string): void {
    const place = texts.get(text);
    const isKept = place === undefined && known.isKept(text);
    writer.unsigned(place === undefined ? Number(isKept) : 2 + place);
    if (place !== undefined) return;
    const bytes = encoder.encode(text);
    writer.unsigned(bytes.length);
    writer.append(bytes);
    if (!isKept) return;
    texts.set(text, known.texts.length);
    known.addText(text);
  }

  function deviceOf(writer: ByteWriter, id: string): PackedDevice {
    const found = devices.get(id);
    writer.unsigned(found?.place ?? known.devices.length);
    if (found !== undefined) return found;
    const made = { place: known.devices.length, device: known.addDevice(id), places: new Map(), last: 0 };
    devices.set(id, made);
    writeText(writer, id);
    return made;
  }

  function writeForm(writer: ByteWriter, packed: PackedDevice, values: LivePoints["values"]): readonly number[] {
    const { device, places } = packed;
    // Mostly it is the same as the last time.
    const isAsLast = hasForm(device, packed.last, values);
    const found = isAsLast ? packed.last : device.forms.findIndex((_, place) => hasForm(device, place, values));
    const form = device.forms[found];
    writer.unsigned(found + 1);
    if (form !== undefined) {
      packed.last = found;
      return form;
    }
    writer.unsigned(values.size);
    const stated: number[] = [];
    for (const name of values.keys()) {
      const place = places.get(name) ?? device.series.length;
      writer.unsigned(place);
      stated.push(place);
      if (place < device.series.length) continue;
      writeText(writer, name);
      places.set(name, place);
      known.addSeries(device, name);
    }
    known.addForm(device, stated);
    return stated;
  }

  function writeMessage(writer: ByteWriter, { deviceId, at, values }: LivePoints): void {
    const packed = deviceOf(writer, deviceId);
    const form = writeForm(writer, packed, values);
    writer.signed(at - known.at);
    known.at = at;
    const changed: [LiveSeries, LiveValue][] = [];
    let [bits, place] = [0, 0];
    for (const value of values.values()) {
      const series = packed.device.series[itemAt(form, place)];
      if (series !== undefined && !Object.is(series.value, value)) {
        bits |= 1 << (place & 7);
        changed.push([series, value]);
      }
      if ((++place & 7) === 0) {
        writer.byte(bits);
        bits = 0;
      }
    }
    if ((place & 7) !== 0) writer.byte(bits);
    for (const [series, value] of changed) writeValue(writer, series, value);
  }

  function writeValue(writer: ByteWriter, series: LiveSeries, value: LiveValue): void {
    if (typeof value === "number") writeNumber(writer, series, value);
    else if (typeof value === "boolean") {
      writer.unsigned(series.kind === BOOLEAN ? 1 : 0);
      if (series.kind !== BOOLEAN) {
        writer.byte(BOOLEAN);
        writer.byte(value ? 1 : 0);
      }
      series.kind = BOOLEAN;
      series.value = value;
    } else {
      writer.unsigned(series.kind === TEXT ? 1 : 0);
      if (series.kind !== TEXT) writer.byte(TEXT);
      writeText(writer, value);
      known.setText(series, value);
    }
  }

  return {
    pack(messages) {
      const isFull = known.bytes > MOST_KNOWN_BYTES;
      if (isFull) [known, devices, texts] = [new LiveValues(), new Map(), new Map()];
      const writer = new ByteWriter(1_024);
      writer.unsigned(2 * messages.length + (isFull ? 1 : 0));
      for (const message of messages) writeMessage(writer, message);
      return writer.bytes();
    },
  };
}

interface PackedDevice {
  readonly place: number;
  readonly device: LiveDevice;
  /** Where each series is. */
  readonly places: Map<string, number>;
  /** The form of its last message. */
  last: number;
}

function hasForm({ forms, series }: LiveDevice, place: number, values: LivePoints["values"]): boolean {
  const form = forms[place];
  if (form?.length !== values.size) return false;
  let at = 0;
  for (const name of values.keys()) if (series[itemAt(form, at++)]?.name !== name) return false;
  return true;
}

function writeNumber(writer: ByteWriter, series: LiveSeries, value: number): void {
  const asBefore = series.value === undefined ? undefined : wholeOf(value, series.kind);
  series.value = value;
  if (asBefore === undefined) {
    writeAnew(writer, series, value);
    return;
  }
  const difference = asBefore - series.whole;
  series.whole = asBefore;
  writer.unsigned(difference > 0 ? 2 * difference : -2 * difference - 1);
}

function writeAnew(writer: ByteWriter, series: LiveSeries, value: number): void {
  const kind = kindOf(value);
  const isSame = kind === FLOAT_64 && series.kind === FLOAT_64;
  writer.unsigned(isSame ? 1 : 0);
  if (!isSame) writer.byte(kind);
  series.kind = kind;
  series.whole = wholeOf(value, kind) ?? 0;
  if (kind === FLOAT_64) writer.double(value);
  else if (kind === FLOAT_32) writer.word(series.whole);
  else writer.signed(series.whole);
}

/** Undefined when the kind has no whole number for it. */
function wholeOf(value: number, kind: number): number | undefined {
  if (kind <= MOST_PLACES) return toWhole(value, kind);
  return kind === FLOAT_32 && Math.fround(value) === value ? bitsOf(value) : undefined;
}

function kindOf(value: number): number {
  for (let places = 0; places <= MOST_PLACES; places++) if (toWhole(value, places) !== undefined) return places;
  return Math.fround(value) === value ? FLOAT_32 : FLOAT_64;
}
