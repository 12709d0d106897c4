import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Suites start servers, workers and browsers of their own: more files at once than cores only adds noise.
    maxWorkers: 2,
  },
});
