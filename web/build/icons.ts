import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const folder = join(dirname(createRequire(import.meta.url).resolve("@mdi/svg/package.json")), "svg");
const PREFIX = "\0icon:";

/** Which file has the icon of this name. The page has its own copy of it, so it uses nothing else. */
function groupOf(name: string): number {
  let sum = 0;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) % 1021;
  return sum;
}

/**
 * Icons of Material Design as the path of their drawing.
 * `import play from "virtual:icon/play"` bundles one icon.
 * `import load from "virtual:icon-groups"` gives a function that loads an icon by its name, for names that manifests
 * give. About seven icons share a JSON file of 1 kB, by a sum over their names: a file for every icon would be 7,400 files,
 * and groups by first letters weighed up to 35 kB.
 */
export function icons(): Plugin {
  let groups: Groups | undefined;
  const read = () => {
    groups ??= readGroups();
    return groups;
  };
  return {
    name: "busbar-icons",
    resolveId: (id) =>
      /^virtual:icon(?:-groups)?(?:\/|$)/.test(id) ? PREFIX + id.slice("virtual:".length) : undefined,
    load(id) {
      if (!id.startsWith(PREFIX)) return undefined;
      const [kind, name = ""] = id.slice(PREFIX.length).split("/");
      return kind === "icon" ? `export default ${JSON.stringify(pathOf(name))};` : renderLoader(read());
    },
    generateBundle() {
      const { place, files } = read();
      for (const [group, source] of files)
        this.emitFile({ type: "asset", fileName: `${place}${group}.json`.slice(1), source });
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const { place, files } = read();
        const [, group = ""] = (request.url ?? "").split(place);
        const file = files.get(Number.parseInt(group, 10));
        if (file === undefined) next();
        else response.setHeader("content-type", "application/json").end(file);
      });
    },
  };
}

function pathOf(name: string): string {
  const text = readFileSync(join(folder, `${name}.svg`), "utf8");
  const path = /<path d="([^"]+)"/.exec(text)?.[1];
  if (path === undefined) throw new Error(`the icon ${name} has no path`);
  return path;
}

interface Groups {
  /** Where the files are; it changes when any of them does. */
  readonly place: string;
  /** By group: paths by name, as JSON. */
  readonly files: ReadonlyMap<number, string>;
}

function readGroups(): Groups {
  const groups = new Map<number, Record<string, string>>();
  for (const file of readdirSync(folder)) {
    const name = file.replace(/\.svg$/, "");
    const group = groups.get(groupOf(name)) ?? {};
    group[name] = pathOf(name);
    groups.set(groupOf(name), group);
  }
  const files = new Map([...groups].map(([group, paths]) => [group, JSON.stringify(paths)]));
  const hash = createHash("sha256")
    .update([...files.values()].join("\n"))
    .digest("hex")
    .slice(0, 8);
  return { place: `/assets/icons-${hash}/`, files };
}

/** What could not be loaded is asked for again. */
function renderLoader({ place }: Groups): string {
  return `const groups = new Map();
${groupOf.toString()}
const ask = async (group) => {
  const answer = await fetch(${JSON.stringify(place)} + group + ".json");
  if (!answer.ok) throw new Error("icons are not there: " + answer.status);
  return new Map(Object.entries(await answer.json()));
};
export default async (name) => {
  const group = groupOf(name);
  if (!groups.has(group)) groups.set(group, ask(group));
  try {
    return (await groups.get(group)).get(name);
  } catch (error) {
    groups.delete(group);
    throw error;
  }
};`;
}
