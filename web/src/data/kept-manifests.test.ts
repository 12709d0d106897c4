import { expect, test } from "vitest";
import { createKeptManifests } from "./kept-manifests.ts";

function memory(content?: string) {
  const items = new Map(content === undefined ? [] : [["busbar.manifests", content]]);
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    size: () => [...items.values()].join("").length,
  };
}

test("a manifest is found on the next visit, by the level that read it", () => {
  const store = memory();
  createKeptManifests(store).put("owner", "b1", { telemetry: {} });
  const next = createKeptManifests(store);
  expect(next.find("owner", "b1")).toEqual({ telemetry: {} });
  expect(next.find("user", "b1")).toBeUndefined();
  expect(next.find("owner", "b2")).toBeUndefined();
});

test("after a sign-out nothing is left", () => {
  const store = memory();
  const kept = createKeptManifests(store);
  kept.put("owner", "b1", { telemetry: {} });
  kept.forget();
  expect([kept.find("owner", "b1"), store.size()]).toEqual([undefined, 0]);
});

test("the oldest make room, and what cannot be read or kept does no harm", () => {
  const store = memory();
  const kept = createKeptManifests(store);
  for (const id of ["b1", "b2", "b3"]) kept.put("owner", id, { text: "x".repeat(400_000) });
  expect(["b1", "b2", "b3"].map((id) => createKeptManifests(store).find("owner", id) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  for (const content of ["{", "7", "null", '{"owner b1":[1]}']) {
    expect(createKeptManifests(memory(content)).find("owner", "b1")).toBeUndefined();
  }
  const full = {
    ...memory(),
    setItem: () => {
      throw new Error("full");
    },
  };
  createKeptManifests(full).put("owner", "b1", {});
  createKeptManifests(undefined).put("owner", "b1", {});
});
