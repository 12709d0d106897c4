import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes soon; on a busy machine it comes later, and that is no failure.
    expect: { poll: { timeout: 15_000 } },
    // Suites start servers, workers and browsers of their own: more files at once than cores only adds noise.
    maxWorkers: 2,
  },
});
