import { readdirSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { startScript } from "../../test/support/script.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";

const CODE = `
  const { keepCompiled } = await import("#tuning/keep-compiled.ts");
  await import("#core/time/duration.ts");
  console.log("loaded");
  process.stdin.once("data", () => {
    keepCompiled(0);
    setTimeout(() => console.log("kept"), 200);
  });
`;

test("what was compiled outlives a process that is killed", async () => {
  const folder = tempFolder();
  vi.stubEnv("NODE_COMPILE_CACHE", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const kept = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const script = startScript(CODE);
  expect(await script.line()).toBe("loaded");
  expect(kept()).toEqual([]);
  script.say("keep");
  expect(await script.line()).toBe("kept");
  script.child.kill("SIGKILL");
  expect(await script.end).toBe("SIGKILL");
  expect(kept().length).toBeGreaterThanOrEqual(2);
});
