import { expect, test } from "vitest";
import { startScript } from "../../test/support/script.ts";

const SCRIPT = `
  const { keepRunning } = await import("#role/keep-running.ts");
  const told = [];
  keepRunning({ error: (fields, message) => told.push(fields.err?.message ?? message) });
  setTimeout(() => { throw new Error("in a timer"); });
  void Promise.reject(new Error("in a promise"));
  setImmediate(() => structuredClone(() => {}));
  setTimeout(() => { for (let i = 0; i < 100; i++) queueMicrotask(() => { throw new Error("again"); }); }, 20);
  setTimeout(() => { console.log(JSON.stringify(told)); process.exit(0); }, 200);
`;

test("no error that nobody handled ends the process, and a flood of them does not flood the log", async () => {
  const script = startScript(SCRIPT);
  const told = JSON.parse(await script.line());
  expect(told).toEqual(expect.arrayContaining(["in a timer", "in a promise", expect.stringContaining("clone")]));
  expect(told).toHaveLength(10);
  expect(await script.end).toBe(0);
});
