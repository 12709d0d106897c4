import { expect, test } from "vitest";
import { createProgramCache } from "./program-cache.ts";

test("a blueprint's program is put together once, and is not copied on its way to threads", async () => {
  let built = 0;
  const modules = new Map<string, Uint8Array | string>([
    ["main.lua", Buffer.from("return 'ü'")],
    ["x.lua", "return 1"],
  ]);
  const cache = createProgramCache({
    blueprints: { content: async () => new Uint8Array(1) } as never,
    buildScripts: async () => {
      built += 1;
      return { program: { entry: "main.lua", modules, nodebug: false }, issues: [] };
    },
  });
  const program = await cache.get("b");
  expect([await cache.get("b"), built]).toEqual([program, 1]);
  const sent = structuredClone(program);
  for (const [path, source] of sent.modules) {
    const kept = program.modules.get(path);
    if (typeof source === "string" || typeof kept !== "object") throw new Error("sources are bytes");
    expect(Buffer.from(source)).toEqual(Buffer.from(modules.get(path) ?? ""));
    expect(source.buffer).toBeInstanceOf(SharedArrayBuffer);
    // The same memory: what is written to one is read from the other.
    source[0] = 0x20;
    expect(kept[0]).toBe(0x20);
  }
});
