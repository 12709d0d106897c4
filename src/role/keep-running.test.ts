import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startScript } from "../../test/support/script.ts";

const SCRIPT = `
  const { keepRunning } = await import("#role/keep-running.ts");
  const logged = [];
  keepRunning({ error: (fields, message) => logged.push(fields.err?.message ?? message) });
  setTimeout(() => { throw new Error("in a timer"); });
  void Promise.reject(new Error("in a promise"));
  setImmediate(() => structuredClone(() => {}));
  setTimeout(() => { for (let i = 0; i < 100; i++) queueMicrotask(() => { throw new Error("again"); }); }, 20);
  setTimeout(() => { console.log(JSON.stringify(logged)); process.exit(0); }, 200);
`;

test("no error that nobody handled ends the process, and a flood of them does not flood the log", async () => {
  const script = startScript(SCRIPT);
  const logged = JSON.parse(await script.line());
  expect(logged).toEqual(expect.arrayContaining(["in a timer", "in a promise", expect.stringContaining("clone")]));
  expect(logged).toHaveLength(10);
  expect(await script.end).toBe(0);
});

/** The whole program, as `serve` runs it; `whenReady` is code that has its `url` and the `lines` of its log. */
const serving = (whenReady: string) => `
  const { loadConfig } = await import("#config");
  const { createLogger } = await import("#log");
  const { serve } = await import("#role/serve.ts");
  const flags = ["--data", process.argv[1], "--port", "0", "--mqtt-port", "off"];
  const { config } = await loadConfig({ flags, env: {}, cwd: process.argv[1], readFile: () => undefined });
  const lines = [];
  const threads = [];
  process.on("worker", (thread) => threads.push(thread));
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  const whenReady = async (url) => {${whenReady}};
  const write = (line) => {
    lines.push(line);
    const { msg, url } = JSON.parse(line);
    if (msg === "ready") setTimeout(() => whenReady(url), 20);
  };
  void Promise.reject(new Error("while it starts"));
  void serve(config, createLogger({ level: "info", format: "json" }, { write }));
`;

const REPORT = serving(`
  setTimeout(() => { throw new Error("in a timer"); });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { degraded } = await (await fetch(url + "/readyz")).json();
  const metrics = await (await fetch(url + "/metrics")).text();
  const counted = /busbar_troubles_total.part="program". (.*)/.exec(metrics)?.[1];
  const logged = lines.flatMap((line) => line.includes('"stack"') ? [JSON.parse(line)] : []);
  print(JSON.stringify({ degraded, counted, logged }) + "\\n", () => process.exit(0));
`);

function start(code: string) {
  const data = mkdtempSync(join(tmpdir(), "busbar-unhandled-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  return startScript(code, { args: [data] });
}

test("an error that nobody handled is logged with its stack, counted, and listed as degraded", async () => {
  const { degraded, counted, logged } = JSON.parse(await start(REPORT).line());
  expect(degraded).toEqual([{ part: "program", message: expect.stringContaining("nobody handled") }]);
  expect(counted).toBe("2");
  expect(logged).toEqual(
    ["while it starts", "in a timer"].map((message) => ({
      level: "error",
      time: expect.any(String),
      msg: expect.stringContaining("bug in Busbar"),
      err: { type: "Error", message, stack: expect.stringContaining("at ") },
    })),
  );
});

test("a thread that keeps data and ends by itself ends the process", async () => {
  const script = start(serving("for (const thread of threads) void thread.terminate();"));
  expect(await script.end).toBe(1);
});
