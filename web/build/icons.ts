import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const folder = join(dirname(createRequire(import.meta.url).resolve("@mdi/svg/package.json")), "svg");
const PREFIX = "\0icon:";

/**
 * Icons of Material Design as the path of their drawing.
 * `import play from "virtual:icon/play"` bundles one icon.
 * `import load from "virtual:icon-groups"` gives a function that loads an icon by its name, for names that manifests
 * give. Icons are grouped by the first two letters of their names: a file each would be 7,400 files, one file for all
 * 1 MB.
 */
export function icons(): Plugin {
  return {
    name: "busbar-icons",
    resolveId: (id) =>
      /^virtual:icon(?:-groups?)?(?:\/|$)/.test(id) ? PREFIX + id.slice("virtual:".length) : undefined,
    load(id) {
      if (!id.startsWith(PREFIX)) return undefined;
      const [kind, name = ""] = id.slice(PREFIX.length).split("/");
      if (kind === "icon") return `export default ${JSON.stringify(pathOf(name))};`;
      if (kind === "icon-group") return renderGroup(name);
      return renderLoader();
    },
  };
}

function pathOf(name: string): string {
  const text = readFileSync(join(folder, `${name}.svg`), "utf8");
  const path = /<path d="([^"]+)"/.exec(text)?.[1];
  if (path === undefined) throw new Error(`the icon ${name} has no path`);
  return path;
}

const groupOf = (name: string) => name.slice(0, 2);

function names(): readonly string[] {
  return readdirSync(folder).map((file) => file.replace(/\.svg$/, ""));
}

function renderGroup(group: string): string {
  const paths = names()
    .filter((name) => groupOf(name) === group)
    .map((name) => [name, pathOf(name)]);
  return `export default new Map(${JSON.stringify(paths)});`;
}

function renderLoader(): string {
  const groups = [...new Set(names().map(groupOf))];
  const loaders = groups.map((group) => `[${JSON.stringify(group)}, () => import("virtual:icon-group/${group}")]`);
  return `const groups = new Map([${loaders.join(",")}]);
export default async (name) => (await groups.get(name.slice(0, 2))?.())?.default.get(name);`;
}
