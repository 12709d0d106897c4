import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { compileLua } from "./lua-wasm.ts";

test("the interpreter's file is loaded only if it is the one that was tested, byte for byte", () => {
  const pinned = createRequire(import.meta.url)
    .resolve("wasmoon")
    .replace(/index\.js$/, "glue.wasm");
  expect(compileLua(pinned)).toBeInstanceOf(WebAssembly.Module);
  const bytes = readFileSync(pinned);
  const other = join(tempFolder(), "glue.wasm");
  // In the last byte, which belongs to no instruction: the module is valid, and still another one.
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(other, bytes);
  expect(() => compileLua(other)).toThrow(
    /glue\.wasm is not the Lua interpreter that Busbar was tested with: its SHA-256 is [0-9a-f]{64}, expected 95f3f19d.*npm ci/,
  );
});
