// Writes the layer fences into biome.json, so that the table below is the one place that says who may import whom.
// Usage: node scripts/fences.mjs [--check]
import { readFileSync, writeFileSync } from "node:fs";

/** What each layer may import besides its own files. Everything not listed is refused. */
const LAYERS = {
  core: [],
  tuning: ["node:*"],
  config: ["#core/**", "node:crypto", "node:net", "node:path", "yaml"],
  manifest: ["#core/**", "yaml"],
  // What Lua scripts reach devices by.
  drivers: ["#core/**", "#manifest/**", "#tuning/**", "node:*", "mqtt", "mqtt-packet", "serialport"],
  service: [
    "#core/**",
    "#manifest/**",
    // What scripts find around them. It loads no connections.
    "#drivers/find-module.ts",
    "#drivers/host-api.ts",
    "node:crypto",
    "node:stream",
    "node:vm",
    "node:zlib",
    "ajv",
    "ajv/**",
    "ajv-formats",
    "croner",
  ],
  store: ["#core/**", "#service/ports.ts", "#service/ports/**", "#tuning/**", "node:*"],
  runtime: ["#core/**", "#manifest/**", "#drivers/**", "#service/**", "#tuning/**", "node:*", "wasmoon"],
  mqtt: [
    "#core/**",
    "#service/ports/**",
    "#event-loop",
    "#tuning/**",
    "node:*",
    "aedes",
    "amqplib",
    "mqtt",
    "mqtt-packet",
  ],
  outbound: ["#core/**", "#service/link/web-socket-link.ts", "#service/ports/**", "#tuning/**", "node:*", "ws"],
  // HTTP is one way to the operations. It reaches no use case past them.
  http: [
    "#core/**",
    "#manifest/**",
    "#service/operation/**",
    "#service/ports.ts",
    "#service/ports/**",
    "#service/access/after-wrong-token.ts",
    "#service/access/authenticator.ts",
    "#service/access/require-level.ts",
    "#service/access/session-cookie.ts",
    "#service/access/sessions.ts",
    "#service/background.ts",
    "#service/chore-health.ts",
    "#service/command/command-dispatcher.ts",
    "#service/device/visible-device.ts",
    "#service/link/gateway-changes.ts",
    "#service/link/join-gateway.ts",
    "#service/link/links.ts",
    "#service/link/require-cloud.ts",
    "#service/link/web-socket-link.ts",
    "#service/site/visible-site.ts",
    "#service/telemetry/fold-missing-series.ts",
    "#service/telemetry/telemetry-counts.ts",
    "#service/troubles.ts",
    "#event-loop",
    "#tuning/**",
    "node:*",
    "fastify",
    "prom-client",
    "pino",
    "ws",
  ],
  // It is a package of its own, too, which contains what is named here.
  client: ["#core/telemetry/read-csv.ts"],
  // The offline verbs read and write packages by the very code that takes an upload, and run scripts by the very code
  // that a gateway runs them by.
  cli: [
    "#core/**",
    "#manifest/**",
    "#service/blueprint/build-program.ts",
    "#service/blueprint/check-package.ts",
    "#service/blueprint/pack-package.ts",
    "#service/blueprint/unpack-package.ts",
    "#runtime/harness/**",
    // `modbus read` asks devices by the very code that scripts use.
    "#drivers/open-modbus.ts",
    "#drivers/host-api.ts",
    "#runtime/inspect/open-rock-repository.ts",
    "#runtime/inspect/read-package-folder.ts",
    "#runtime/inspect/read-profile-folder.ts",
    "#runtime/lua/check-syntax.ts",
    "#runtime/lua/evaluate-lua.ts",
    "#client/**",
    "#config",
    "#config/**",
    "#log",
    "#version",
    "node:*",
    "commander",
    "hyparquet",
    // `simulate --mqtt` is a device like any other.
    "mqtt",
    "yaml",
  ],
  // Only `busbar serve --demo` loads it.
  demo: [
    "#core/**",
    "#service/**",
    "#drivers/modbus/answer-pdu.ts",
    "#drivers/simulated-ports.ts",
    "#tuning/**",
    "node:*",
    "pino",
  ],
  // The physics of its plant is pure.
  "demo/plant": [],
  role: [
    "#core/**",
    "#manifest/**",
    "#drivers/**",
    "#service/**",
    "#store/**",
    "#runtime/**",
    "#mqtt/**",
    "#outbound/**",
    "#http/**",
    "#demo/**",
    "#config",
    "#config/certificate-pair.ts",
    "#config/settings.ts",
    "#tuning/**",
    "#event-loop",
    "#log",
    "#version",
    "node:*",
    "uuidv7",
    "pino",
    "prom-client",
  ],
};

/** The only folders that may import node:sqlite: everything else reaches a store by its port. */
const SQLITE_FOLDERS = ["store/sqlite", "store/series/sqlite"];

/** What one folder of a layer may import besides. */
const MORE = {
  "outbound/message": ["nodemailer", "nodemailer/**"],
  "outbound/identity": ["openid-client"],
  "store/backup": ["age-encryption"],
  "store/postgres": ["pg"],
  "store/series/postgres": ["pg", "pg-copy-streams"],
  "store/series/render": ["hyparquet-writer"],
};

/** What of Busbar the web page may import: it is a client, and a browser has nothing of Node. */
const WEB = ["#web/**", "#core/**", "#manifest/**", "#client/**"];

/** The files beside the layers, which every layer may be given; main.ts alone knows the layers. */
const BESIDE_LAYERS = ["./config.ts", "./config/**", "#core/**", "node:*", "pino"];

const words = (list) => (list.length ? list.join(", ") : "nothing outside itself");
const fence = (includes, group, message) => ({
  includes: [...includes, "!**/*.test.ts"],
  linter: {
    rules: { style: { noRestrictedImports: { level: "error", options: { patterns: [{ group, message }] } } } },
  },
});
/** The last pattern that fits decides, so what `refused` names is refused again. */
const groupOf = (allowed, refused) => ["**", ...allowed.map((name) => `!${name}`), ...refused];
const layerFence = (folder, layer, refused) => {
  const allowed = [...LAYERS[layer], ...(MORE[folder] ?? [])];
  const message = `src/${folder} may import only its own files by ./ or #${layer}/, and ${words(allowed)}${refused.length ? `, without ${words(refused)}` : ""}.`;
  return fence([`src/${folder}/**/*.ts`], groupOf(["./**", `#${layer}/**`, ...allowed], refused), message);
};
const fences = [
  ...Object.keys(LAYERS).map((layer) =>
    layerFence(layer, layer, LAYERS[layer].includes("node:*") ? ["node:sqlite"] : []),
  ),
  ...SQLITE_FOLDERS.map((folder) => layerFence(folder, "store", [])),
  ...Object.keys(MORE).map((folder) => layerFence(folder, folder.split("/")[0], ["node:sqlite"])),
  fence(
    ["src/*.ts", "!src/main.ts"],
    groupOf(BESIDE_LAYERS, ["node:sqlite"]),
    `A file beside the layers may import only ${words(BESIDE_LAYERS)}, without node:sqlite.`,
  ),
  fence(
    ["web/src/**/*.ts", "web/src/**/*.svelte"],
    ["#*", "#*/**", "node:*", "../**", ...WEB.map((name) => `!${name}`)],
    `The web page may import only ${words(WEB)} of Busbar, and nothing of Node.`,
  ),
];

const file = new URL("../biome.json", import.meta.url);
const config = JSON.parse(readFileSync(file, "utf8"));
const others = (config.overrides ?? []).filter(({ includes: [first] }) => !/^(?:src|web\/src\/\*\*)\//.test(first));
const wanted = { ...config, overrides: [...fences, ...others] };
const same = JSON.stringify(wanted) === JSON.stringify(config);

if (process.argv.includes("--check")) {
  if (!same) {
    console.error(
      "biome.json does not hold the fences of scripts/fences.mjs. Run: node scripts/fences.mjs && npm run format",
    );
    process.exit(1);
  }
} else if (!same) {
  writeFileSync(file, `${JSON.stringify(wanted, null, 2)}\n`);
}
