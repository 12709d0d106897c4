import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// As bin/busbar does it: without it every thread that a test starts strips types anew.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/busbar", import.meta.url));

const IN_BROWSER = "test/browser/**/*.test.ts";
const MEASURES = "test/hostile/**/*.test.ts";

export default defineConfig({
  test: {
    // bin/busbar says why.
    execArgv: ["--no-wasm-code-gc"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes soon; on a busy machine it comes later, and that is no failure.
    expect: { poll: { timeout: 15_000 } },
    // Suites start servers, workers and browsers of their own: more files at once than cores only adds noise.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["src/**/*.test.ts"],
          // These files leave nothing behind, so a worker goes on with the next one: a new worker takes longer than most of them.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "busbar",
          include: ["test/**/*.test.ts"],
          exclude: [MEASURES, IN_BROWSER],
          globalSetup: ["test/support/keep-new-servers.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: "./web/vite.config.ts",
        test: {
          name: "web",
          root: fileURLToPath(new URL(".", import.meta.url)),
          include: ["web/src/**/*.test.ts"],
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
