// What a start loads, because everybody waits for it.
import { expect, test } from "vitest";
import { startScript } from "../support/script.ts";

test("a gateway starts without Node's second HTTP client, which costs 50 ms and 13 MB", async () => {
  const script = startScript(`
    await import("#role/serve.ts");
    await import("#role/start-on.ts");
    console.log(JSON.stringify(process.moduleLoadList));
  `);
  const loaded = JSON.parse(await script.line());
  expect(loaded).toContain("NativeModule http");
  expect(loaded.filter((name: string) => name.includes("undici"))).toEqual([]);
});
