// What a start loads, because everybody waits for it.
import { expect, test } from "vitest";
import { startScript } from "../support/script.ts";

const SAY_WHAT_IS_LOADED = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
  await import("#role/serve.ts");
  await import("#role/start-on.ts");
  console.log(JSON.stringify([...files, ...process.moduleLoadList]));
`;

test("a gateway starts without what most never need: another HTTP client, YAML, drivers of scripts", async () => {
  const loaded: readonly string[] = JSON.parse(await startScript(SAY_WHAT_IS_LOADED).line());
  const having = (part: string) => loaded.filter((name) => name.includes(part));
  expect(having("NativeModule http")).not.toEqual([]);
  expect(having("/fastify/")).not.toEqual([]);
  for (const part of ["undici", "/yaml/", "/drivers/net/", "/drivers/calls/", "/mqtt/build/"])
    expect(having(part), part).toEqual([]);
});
