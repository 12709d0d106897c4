import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { watchPaths } from "./watch-paths.ts";

test("changes come in one piece once it is quiet, also from folders below; dotfiles do not count", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "lib"));
  const stop = new AbortController();
  const changes = watchPaths([folder], stop.signal);
  const first = changes.next();
  writeFileSync(join(folder, ".main.lua.swp"), "1");
  writeFileSync(join(folder, "main.lua"), "1");
  writeFileSync(join(folder, "main.lua"), "2");
  writeFileSync(join(folder, "lib", "x.lua"), "1");
  expect((await first).value).toEqual([join(folder, "lib", "x.lua"), join(folder, "main.lua")]);
  const second = changes.next();
  writeFileSync(join(folder, "lib", "x.lua"), "2");
  expect((await second).value).toEqual([join(folder, "lib", "x.lua")]);
  const last = changes.next();
  stop.abort();
  expect((await last).done).toBe(true);
});

test("a file may be watched on its own", async () => {
  const folder = tempFolder();
  const [one, other] = [join(folder, "one.yml"), join(folder, "other.yml")];
  for (const file of [one, other]) writeFileSync(file, "1");
  const stop = new AbortController();
  const changes = watchPaths([one], stop.signal);
  const first = changes.next();
  writeFileSync(other, "2");
  writeFileSync(one, "2");
  expect((await first).value).toEqual([one]);
  stop.abort();
  expect((await changes.next()).done).toBe(true);
});
