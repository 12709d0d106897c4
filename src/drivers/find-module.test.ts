import { expect, test } from "vitest";
import { findModule } from "./find-module.ts";

const FILES = [
  "src/main.lua",
  "src/x.lua",
  "src/a/b.lua",
  "src/lib/init.lua",
  "src/a/x.lua",
  "inspect.lua",
  "json.lua",
];

function find(name: string, folder: string): string {
  const found = findModule({ entry: "src/main.lua", modules: new Set(FILES) }, name, folder);
  return "path" in found ? found.path : "library" in found ? `(${found.library})` : "nothing";
}

test.each([
  ["x", "src/", "src/x.lua"],
  ["./x", "src/", "src/x.lua"],
  ["a.b", "src/", "src/a/b.lua"],
  ["a/b", "src/", "src/a/b.lua"],
  ["x.lua", "src/", "src/x.lua"],
  ["lib", "src/", "src/lib/init.lua"],
  ["x", "src/a/", "src/a/x.lua"],
  ["../x", "src/a/", "src/x.lua"],
  ["a.b", "src/a/", "src/a/b.lua"],
  ["inspect", "src/a/", "inspect.lua"],
  ["json", "src/", "json.lua"],
  ["modbus", "src/", "(modbus)"],
  ["string", "src/", "(string)"],
  ["../../../x", "src/a/", "nothing"],
  ["gone", "src/", "nothing"],
])("require(%j) in %s finds %s", (name, folder, expected) => {
  expect(find(name, folder)).toBe(expected);
});

test("what is not there names every place that was looked at, as Lua does", () => {
  const found = findModule({ entry: "src/main.lua", modules: new Set(FILES) }, "gone", "src/");
  expect(found).toEqual({
    tried: "\n\tno file 'src/gone.lua'\n\tno file 'src/gone/init.lua'\n\tno file 'gone.lua'\n\tno file 'gone/init.lua'",
  });
});
