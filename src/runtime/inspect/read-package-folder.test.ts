import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readPackageFolder } from "./read-package-folder.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "busbar-folder-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, content: string | Uint8Array = "x") => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const read = async () => {
  const { files, issues } = await readPackageFolder(root);
  return { files: [...files.keys()], issues: issues.map(({ code, path }) => `${code} ${path}`.trim()) };
};

test("files come with their paths in order, without what is hidden or left behind", async () => {
  for (const path of ["manifest.yml", "lua/main.lua", ".git/config", "lua/.DS_Store", "lua/lib/a.lua"]) write(path);
  expect(await read()).toEqual({ files: ["lua/lib/a.lua", "lua/main.lua", "manifest.yml"], issues: [] });
});

test("links to files and folders are named and not followed", async () => {
  write("manifest.yml");
  symlinkSync("/etc/passwd", join(root, "secret"));
  symlinkSync("/etc", join(root, "etc"));
  symlinkSync(root, join(root, "loop"));
  const issues = ["etc", "loop", "secret"].map((path) => `package_special_file ${path}`);
  expect(await read()).toEqual({ files: ["manifest.yml"], issues });
});

test("names that collide on other disks are refused", async () => {
  write("a.lua");
  write("A.lua");
  write("b:c");
  expect((await read()).issues).toEqual(["package_duplicate_path a.lua", "package_path b:c"]);
});

test("a file, a folder and a number of files above the limits are refused", async () => {
  write("large", new Uint8Array(4 * 1024 * 1024 + 1));
  expect((await read()).issues).toEqual(["package_too_large large"]);
  rmSync(join(root, "large"));
  for (const name of "abcde") write(name, new Uint8Array(4 * 1024 * 1024));
  expect((await read()).issues).toEqual(["package_too_large"]);
  for (const name of "abcde") rmSync(join(root, name));
  for (let index = 0; index < 520; index++) write(`${index}`);
  expect((await read()).issues).toEqual(["package_too_large"]);
});

test("a folder that does not exist is an issue, not a crash", async () => {
  rmSync(root, { recursive: true });
  expect((await read()).issues).toEqual(["package_unreadable"]);
});
