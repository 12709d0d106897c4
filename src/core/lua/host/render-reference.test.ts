import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALL_DRIVERS } from "#drivers/all-drivers.ts";
import { hostApi } from "#drivers/host-api.ts";
import { renderReference } from "./render-reference.ts";

const docs = (name: string) => new URL(`../../../../docs/${name}`, import.meta.url);

test("docs/lua-reference.md is made of the register (-u writes it anew)", async () => {
  await expect(renderReference(hostApi("v3"))).toMatchFileSnapshot(docs("lua-reference.md").pathname);
});

test("the sections about drivers in docs/lua-api.md are those of their folders (-u writes them anew)", async () => {
  const page = readFileSync(docs("lua-api.md"), "utf8");
  const texts = ALL_DRIVERS.map(({ name }) =>
    readFileSync(new URL(`../../../drivers/${name}/docs.md`, import.meta.url), "utf8"),
  );
  const [before] = page.split(/^## modbus$/m);
  const after = page.slice(page.indexOf("## Ports\n"));
  await expect(
    [before, ...texts.map((text) => `${text.replaceAll("](../../../docs/", "](")}\n`), after].join(""),
  ).toMatchFileSnapshot(docs("lua-api.md").pathname);
});

test.each([
  ["lua-api.md", "v3"],
  ["lua-v1.md", "v1"],
] as const)("%s explains every function of the register", (page, version) => {
  const text = readFileSync(docs(page), "utf8");
  const other = new Map([...hostApi("v3").tables.values()].map((table) => [table.name, table]));
  const functions = [...hostApi(version).tables.values()].flatMap((table) =>
    [...table.members].flatMap(([name, member]) => {
      const isOwn = version === "v3" || other.get(table.name)?.members.get(name)?.about !== member.about;
      return member.kind === "function" && isOwn ? [name] : [];
    }),
  );
  expect(functions.length).toBeGreaterThan(50);
  expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});
