import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// As bin/busbar does it: without it every thread that a test starts strips types anew.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/busbar", import.meta.url));

// Most files leave nothing behind, so a worker goes on with the next one (`isolate: false`): a new worker costs 2 s of processor
// time until its code is loaded and warm, which is more than most files take.
const IN_BROWSER = "test/browser/**/*.test.ts";
const MEASURES = "test/hostile/**/*.test.ts";
/** They look at the memory or the processor time of their process. */
const ALONE = [
  "test/api/fuzz.test.ts",
  "test/api/telemetry/streaming.test.ts",
  "test/lua/hostile.test.ts",
  "test/mqtt/packet-fuzz.test.ts",
];
/** The package for serial lines missed a hang-up once in eight runs after other files had run in the same process, and never alone. */
const SERIAL = "src/drivers/port/serial.test.ts";
const MOCKS = "src/store/series/planted-bugs.test.ts";
const PROCESSOR_TIME = fileURLToPath(new URL("test/support/note-processor-time.ts", import.meta.url));
/** Only what hangs waits for so long: a busy machine is slow, and that is no failure. */
const HANGS_AFTER_MS = 600_000;

export default defineConfig({
  test: {
    // bin/busbar says why.
    execArgv: ["--no-wasm-code-gc", "--import", fileURLToPath(new URL("src/tuning/find-modules.ts", import.meta.url))],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    expect: { poll: { timeout: 300_000 } },
    setupFiles: [PROCESSOR_TIME],
    // Suites start servers, workers and browsers of their own: more files at once than cores only adds noise.
    maxWorkers: 3,
    // Node loads the sources itself, as it does for users: Vite would turn each use of an import into a look-up.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["src/**/*.test.ts"],
          exclude: [MOCKS, SERIAL],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "busbar",
          include: ["test/**/*.test.ts"],
          exclude: [MEASURES, IN_BROWSER, ...ALONE],
          globalSetup: ["test/support/keep-new-servers.ts"],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: "own worker", include: [...ALONE, SERIAL], sequence: { groupOrder: 0 } } },
      // It puts other code in the place of modules, which takes Vite.
      {
        extends: true,
        test: {
          name: "planted bugs",
          include: [MOCKS],
          experimental: { viteModuleRunner: true },
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: "./web/vite.config.ts",
        test: {
          name: "web",
          root: fileURLToPath(new URL(".", import.meta.url)),
          include: ["web/src/**/*.test.ts"],
          testTimeout: HANGS_AFTER_MS,
          hookTimeout: HANGS_AFTER_MS,
          setupFiles: [PROCESSOR_TIME],
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [IN_BROWSER],
          globalSetup: ["test/browser/support/build-page.ts"],
          isolate: false,
          // Each open page draws what comes in, also while its test waits for its turn.
          maxConcurrency: 2,
          sequence: { groupOrder: 0 },
        },
      },
      // It measures times, so it runs when everything else is done, and alone.
      {
        extends: true,
        test: { name: "hostile neighbours", include: [MEASURES], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
