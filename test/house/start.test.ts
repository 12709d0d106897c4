// What a start loads, because everybody waits for it.
import { expect, test } from "vitest";
import { startScript } from "../support/script.ts";

const SAY_WHAT_IS_LOADED = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
  await import("#cli/run-cli.ts");
  await import("#cli/commands/serve.ts");
  await import("#role/serve.ts");
  await import("#role/start-role.ts");
  await import("#store/sqlite/open-records.ts");
  console.log(JSON.stringify([...files, ...process.moduleLoadList]));
`;

const UNNEEDED = [
  ...["undici", "/yaml/", "/drivers/net/", "/drivers/calls/", "/mqtt/build/", "/ws/", "age-encryption"],
  ...[
    "/src/client/",
    "/src/store/postgres/",
    "/backup/write-backup.ts",
    "/pki/open-site-authority.ts",
    "/link/links.ts",
  ],
  // Only the writing thread loads the writes.
  ...["-writes.ts", "/records/write.ts", "/records/writes.ts"],
  ...["/http/reference/", "/simulator/device-model.ts", "/lua/lua-engine.ts"],
];

test("a gateway starts without what most never need, such as another HTTP client, YAML and drivers of scripts", async () => {
  const loaded: readonly string[] = JSON.parse(await startScript(SAY_WHAT_IS_LOADED).line());
  const having = (part: string) => loaded.filter((name) => name.includes(part));
  expect(having("NativeModule http")).not.toEqual([]);
  expect(having("/fastify/")).not.toEqual([]);
  for (const part of UNNEEDED) expect(having(part), part).toEqual([]);
});
