import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { manifest } from "../../../test/support/blueprints.ts";
import { createBlueprintCatalog } from "./blueprint-catalog.ts";

test("blueprints are read once as long as they fit the memory, and then the first read go", async () => {
  const { blueprint } = parseManifest(manifest("Kept"));
  const read: string[] = [];
  const needs = {
    blueprints: {
      content: async (id: string) => {
        read.push(id);
        return new Uint8Array();
      },
    },
    inspectPackage: async () => ({ found: { blueprint, manifest: { text: "x".repeat(400_000) } }, issues: [] }),
  } as unknown as Parameters<typeof createBlueprintCatalog>[0];
  const catalog = createBlueprintCatalog(needs, 1_000_000);
  for (const id of ["a", "b", "a", "b", "c", "c", "b", "a"]) await catalog.get(id);
  expect(read).toEqual(["a", "b", "c", "a"]);
  expect(catalog.memory.used()).toBeLessThanOrEqual(1_000_000);
});
