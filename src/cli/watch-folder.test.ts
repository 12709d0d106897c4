import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { watchFolder } from "./watch-folder.ts";

test("changes come in one piece once it is quiet, also from folders below; dotfiles do not count", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "lib"));
  const stop = new AbortController();
  const changes = watchFolder(folder, stop.signal);
  const first = changes.next();
  writeFileSync(join(folder, ".main.lua.swp"), "1");
  writeFileSync(join(folder, "main.lua"), "1");
  writeFileSync(join(folder, "main.lua"), "2");
  writeFileSync(join(folder, "lib", "x.lua"), "1");
  expect((await first).value).toEqual([join("lib", "x.lua"), "main.lua"]);
  const second = changes.next();
  writeFileSync(join(folder, "lib", "x.lua"), "2");
  expect((await second).value).toEqual([join("lib", "x.lua")]);
  const last = changes.next();
  stop.abort();
  expect((await last).done).toBe(true);
});
