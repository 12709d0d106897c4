// Writes src/manifest/starter-profiles.ts from the YAML files in src/manifest/profiles, so that a browser and a fast command
// line have the library without reading files. A test says when this must be run again.
// Usage: node scripts/profiles.mjs && npm run format
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";

const folder = new URL("../src/manifest/profiles/", import.meta.url);
const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const MAPS = new Set(["properties", "telemetry", "commands", "arguments", "response"]);

/** Keys of the language become names of the code; keys of maps are ids and stay. */
function literal(value, isMap = false) {
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    if (isMap) return [key, literal(item)];
    return [camelCase(key), key === "implements" ? [item].flat() : literal(item, MAPS.has(key))];
  });
  return Object.fromEntries(entries);
}

const paths = readdirSync(folder, { recursive: true })
  .filter((path) => path.endsWith(".yml"))
  .sort();
/** Milliseconds of the few forms that our profiles use. */
function milliseconds(text) {
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(text);
  return Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit];
}

/** Like the reader of controls, for the keys that our profiles use. */
function controlOf({ settle = "30s", interval = "1s", safe = "zero", refresh, fallback, ...rest }) {
  return {
    ...literal(rest),
    settleMs: milliseconds(settle),
    intervalMs: milliseconds(interval),
    safe,
    ...(refresh === undefined ? {} : { refreshMs: milliseconds(refresh) }),
    ...(fallback === undefined ? {} : { fallback: { kind: "value", value: fallback.value } }),
  };
}

const profiles = paths.map((path) => {
  const id = path.slice(0, -".yml".length).replaceAll("/", ".");
  const { ".busbar": extension, ...rest } = parse(readFileSync(new URL(path, folder), "utf8"));
  const controls = Object.entries(extension?.controls ?? {}).map(([name, control]) => [name, controlOf(control)]);
  const data = { ...literal(rest), ...(controls.length > 0 && { controls: Object.fromEntries(controls) }) };
  return `  profileOf(${JSON.stringify(id)}, ${JSON.stringify(data)}),\n`;
});

writeFileSync(
  new URL("../src/manifest/starter-profiles.ts", import.meta.url),
  `import { createProfileLibrary, type ProfileLibrary } from "#core/blueprint/profile.ts";
import { profileOf } from "./profile-data.ts";

// Written by scripts/profiles.mjs from src/manifest/profiles. Change the YAML, not this file.
export const STARTER_PROFILES = [
${profiles.join("")}];

let library: ProfileLibrary | undefined;

/** Busbar's own profiles for energy devices. */
export function starterLibrary(): ProfileLibrary {
  library ??= createProfileLibrary(STARTER_PROFILES);
  return library;
}
`,
);
