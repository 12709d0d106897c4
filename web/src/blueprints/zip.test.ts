import { expect, test } from "vitest";
import { readZip, writeZip } from "./zip.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].map(([path, content]) => [path, new TextDecoder().decode(content)]));

test("what is written is read again, in any order of writing the same bytes", async () => {
  const files = new Map([
    ["schemas/plan.json", bytes("{}")],
    ["manifest.yml", bytes("display_name: Wärme\n")],
    ["empty.lua", bytes("")],
  ]);
  const zip = writeZip(files);
  expect(texts(await readZip(zip))).toEqual({
    "schemas/plan.json": "{}",
    "manifest.yml": "display_name: Wärme\n",
    "empty.lua": "",
  });
  expect(writeZip(new Map([...files].reverse()))).toEqual(zip);
  expect(zip.length).toBeGreaterThan(0);
});

test("the checksum is that of every other program", () => {
  const sum = new DataView(writeZip(new Map([["a", bytes("123456789")]])).buffer).getUint32(14, true);
  expect(sum).toBe(0xcbf43926);
});

test("a compressed file is unpacked", async () => {
  const text = "telemetry ".repeat(500);
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = await new Response(stream).arrayBuffer();
  // A stored file whose content is what deflate gave, declared as deflated.
  const zip = writeZip(new Map([["a.lua", new Uint8Array(packed)]]));
  const view = new DataView(zip.buffer);
  view.setUint16(8, 8, true);
  const directory = view.getUint32(zip.length - 6, true);
  view.setUint16(directory + 10, 8, true);
  expect(texts(await readZip(zip))).toEqual({ "a.lua": text });
});

test.each([
  ["nothing", ""],
  ["a text", "blueprint_spec: device/3.0 and some more words"],
])("%s is no zip", async (_, text) => {
  await expect(readZip(bytes(text))).rejects.toThrow("no zip");
});
