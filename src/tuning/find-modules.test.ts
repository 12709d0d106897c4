import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ownModule } from "./find-modules.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { imports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { imports: Record<string, string> };

test("each import of the program is found where Node finds it", () => {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter(isSource);
  const wrong: string[] = [];
  let found = 0;
  for (const file of files) {
    const parent = pathToFileURL(join(ROOT, "src", file)).href;
    for (const [, specifier = ""] of readFileSync(fileURLToPath(parent), "utf8").matchAll(IMPORT)) {
      found++;
      if (ownModule(specifier, parent) !== nodeFinds(specifier, parent)) wrong.push(`${file}: ${specifier}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(1_000);
});

test.each(["fastify", "node:fs", "./schema.json", "@busbar/client"])("%s is left to Node", (specifier) => {
  expect(ownModule(specifier, import.meta.url)).toBeUndefined();
});

test("imports of packages are left to Node", () => {
  const parent = pathToFileURL(join(ROOT, "node_modules/ws/index.js")).href;
  expect(ownModule("./lib/stream.js", parent)).toBeUndefined();
});

const IMPORT = /(?:from|import)\s*\(?"([#.][^"]+\.ts|#[\w-]+)"/g;

function isSource(file: string): boolean {
  return file.endsWith(".ts") && !file.endsWith(".test.ts");
}

function nodeFinds(specifier: string, parent: string): string {
  if (specifier.startsWith(".")) return new URL(specifier, parent).href;
  const exact = imports[specifier];
  const [layer = "", ...rest] = specifier.split("/");
  const target = exact ?? imports[`${layer}/*`]?.replace("*", rest.join("/"));
  return pathToFileURL(join(ROOT, target ?? "nothing")).href;
}
