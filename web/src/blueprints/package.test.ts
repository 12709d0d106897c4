import { expect, test } from "vitest";
import { packageBytes, packageOf, packageText, readPackage } from "./package.ts";
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
