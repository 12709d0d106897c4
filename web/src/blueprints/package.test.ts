import { expect, test } from "vitest";
import {
  isFilePath,
  packageBytes,
  packageOf,
  packageText,
  readPackage,
  samePackage,
  textOfFile,
  withFile,
  withoutFile,
} from "./package.ts";
import { writeZip } from "./zip.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a package keeps its other files when the manifest is changed", async () => {
  const zip = writeZip(
    new Map([
      ["manifest.yml", bytes("a: 1\n")],
      ["lua/main.lua", bytes("-- x")],
    ]),
  );
  const read = await readPackage(zip);
  expect(packageText(read)).toEqual({ manifest: "a: 1\n", files: { "lua/main.lua": "-- x" } });
  const again = await readPackage(packageBytes({ ...read, manifest: "a: 2\n" }));
  expect(packageText(again)).toEqual({ manifest: "a: 2\n", files: { "lua/main.lua": "-- x" } });
  expect(packageOf(packageText(again))).toEqual(again);
});

test("a manifest alone is uploaded as it is, so that files it names are not required", async () => {
  const read = await readPackage(writeZip(new Map([["manifest.yml", bytes("a: ä\n")]])));
  expect(packageText(read).files).toBeUndefined();
  expect(new TextDecoder().decode(packageBytes(read))).toBe("a: ä\n");
});

test("files are written, removed and compared by their content", () => {
  const start = packageOf({ manifest: "a: 1\n", files: { "main.lua": "-- x" } });
  const same = packageOf({ manifest: "a: 1\n", files: { "main.lua": "-- x" } });
  const changed = withFile(start, "main.lua", "-- y");
  expect([textOfFile(changed, "main.lua"), textOfFile(changed, "manifest.yml")]).toEqual(["-- y", "a: 1\n"]);
  expect(textOfFile(changed, "other.lua")).toBeUndefined();
  expect(
    [same, changed, withFile(start, "manifest.yml", "a: 2\n"), withoutFile(start, "main.lua")].map((one) =>
      samePackage(start, one),
    ),
  ).toEqual([true, false, false, false]);
});

test("a file that is no text is no text, and a restored draft has it as it was", () => {
  const picture = new Uint8Array([0xff, 0xd8, 0x00, 0xfe]);
  const start = { manifest: "a: 1\n", others: new Map([["logo.jpg", picture]]) };
  expect(textOfFile(start, "logo.jpg")).toBeUndefined();
  const draft = packageText(withFile(start, "manifest.yml", "a: 2\n"));
  expect(packageOf(draft, start)).toEqual({ manifest: "a: 2\n", others: new Map([["logo.jpg", picture]]) });
});

test.each([
  ["main.lua", true],
  ["schemas/settings-2.json", true],
  ["../outside", false],
  ["/absolute", false],
  ["a//b", false],
  [".hidden", false],
  ["a b", false],
  ["", false],
])("whether %j can be a path in a package: %s", (path, expected) => {
  expect(isFilePath(path)).toBe(expected);
});
