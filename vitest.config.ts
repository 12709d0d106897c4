import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// As bin/busbar does it: without it every thread that a test starts strips types anew.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/busbar", import.meta.url));

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // bin/busbar says why.
    execArgv: ["--no-wasm-code-gc"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes soon; on a busy machine it comes later, and that is no failure.
    expect: { poll: { timeout: 15_000 } },
    // Suites start servers, workers and browsers of their own: more files at once than cores only adds noise.
    maxWorkers: 2,
  },
});
