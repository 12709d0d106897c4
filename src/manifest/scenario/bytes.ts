import * as r from "#manifest/reader.ts";

const HEX = /^(?:[\da-fA-F]{2}[ :-]?)*$/;

/** `E8 03`, with or without spaces. */
const hex = r.scalar<readonly number[]>(
  { type: ["string", "integer"], pattern: "^([\\da-fA-F]{2}[ :-]?)*$" },
  'bytes as hexadecimal digits, such as "E8 03"',
  // `10` and `1e3` are hexadecimal digits here, whatever YAML takes them for.
  ({ text }) =>
    HEX.test(text.trim())
      ? Array.from(text.matchAll(/[\da-fA-F]{2}/g), ([pair]) => Number.parseInt(pair, 16))
      : undefined,
);

const MOST_BYTES = 64;
const byteList = r.listOf(r.integer(0, 255), "a list of bytes");

/** Data of a frame: hexadecimal digits or a list of numbers. */
export const frameData = r.reader({ anyOf: [hex.schema, byteList.schema] }, (context, trail) => {
  const bytes = (trail.node.kind === "list" ? byteList : hex).read(context, trail);
  return bytes !== undefined && bytes.length > MOST_BYTES ? r.wrong(context, trail, "at most 64 bytes") : bytes;
});

/** What goes over a serial line: a text, or {hex: "01 03"}. One byte a character. */
export const serialBytes = r.shared(
  "serial_bytes",
  r.byForm({
    scalar: r.mapped(r.text, byteString),
    map: r.mapped(r.object("serial text", { hex: r.must(hex, "Bytes as hexadecimal digits.") }), (given) =>
      String.fromCharCode(...given.hex),
    ),
    wanted: 'a text, or bytes such as {hex: "01 03"}',
  }),
);

/** UTF-8, one byte a character. */
export function byteString(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}
