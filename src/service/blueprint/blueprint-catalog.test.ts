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
    profiles: { revision: () => 0 },
  } as unknown as Parameters<typeof createBlueprintCatalog>[0];
  const catalog = createBlueprintCatalog(needs, 1_000_000);
  for (const id of ["a", "b", "a", "b", "c", "c", "b", "a"]) await catalog.get(id);
  expect(read).toEqual(["a", "b", "c", "a"]);
  expect(catalog.memory.used()).toBeLessThanOrEqual(1_000_000);
});

test("a compiled manifest is read again when the profiles have changed, and its memory is counted once", async () => {
  const { blueprint } = parseManifest(manifest("Compiled"));
  let revision = 0;
  let reads = 0;
  const needs = {
    blueprints: { content: async () => new Uint8Array() },
    inspectPackage: async () => {
      reads += 1;
      return { found: { blueprint, manifest: {}, compiled: { revision } }, issues: [] };
    },
    profiles: { revision: () => revision },
  } as unknown as Parameters<typeof createBlueprintCatalog>[0];
  const catalog = createBlueprintCatalog(needs);
  expect([await catalog.compiled("a"), await catalog.compiled("a"), reads]).toEqual([
    { revision: 0 },
    { revision: 0 },
    1,
  ]);
  const used = catalog.memory.used();
  revision = 1;
  // The blueprint itself does not depend on profiles.
  await catalog.get("a");
  expect(reads).toBe(1);
  expect([await catalog.compiled("a"), reads, catalog.memory.used()]).toEqual([{ revision: 1 }, 2, used]);
});
