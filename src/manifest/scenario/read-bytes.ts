import { checked, integer, mapReader, must, type Reader, text, wrong } from "./reader.ts";
import { byForm, listOf, object } from "./reader-shapes.ts";

const byteList = listOf(integer(0, 255), "a list of bytes");

const HEX = /^(?:[\da-fA-F]{2}[ :-]?)*$/;

/** `E8 03`, with or without spaces. */
const hex: Reader<readonly number[]> = {
  schema: { type: ["string", "integer"], pattern: "^([\\da-fA-F]{2}[ :-]?)*$" },
  read: (context, trail) => {
    const { node } = trail;
    // `10` and `1e3` are hexadecimal digits here, whatever YAML takes them for.
    const source = node.kind === "scalar" ? node.text.trim() : undefined;
    if (source === undefined || !HEX.test(source))
      return wrong(context, trail, 'bytes as hexadecimal digits, such as "E8 03"');
    return (source.match(/[\da-fA-F]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
  },
};

/** Data of a frame: hexadecimal digits or a list of numbers. */
export const frameData: Reader<readonly number[]> = checked(
  {
    schema: { anyOf: [hex.schema, byteList.schema] },
    read: (context, trail) => (trail.node.kind === "list" ? byteList : hex).read(context, trail),
  },
  (bytes) => bytes.length <= 64,
  "at most 64 bytes",
);

const plainText = mapReader(text, byteString);
const inHex = mapReader(object("serial text", { hex: must(hex, "Bytes as hexadecimal digits.") }), (given) =>
  String.fromCharCode(...given.hex),
);

/** What goes over a serial line: a text, or {hex: "01 03"}. One byte a character. */
export const serialBytes: Reader<string> = byForm({
  scalar: plainText,
  map: inHex,
  wanted: 'a text, or bytes such as {hex: "01 03"}',
});

/** UTF-8, one byte a character. */
export function byteString(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}
