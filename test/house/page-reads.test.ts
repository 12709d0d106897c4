// Tests in a browser wait for what a page shows. A value that is read once, before its answer has come, makes a test fail on a slow
// machine only, so reads that wait for nothing are refused.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "vite";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** They answer at once, whatever the page is waiting for. */
const READS = new Set(
  "allInnerTexts allTextContents boundingBox count getAttribute innerHTML innerText inputValue isChecked isDisabled isEditable isEnabled isHidden isVisible textContent".split(
    " ",
  ),
);
/** They may also do something, so only a check of what they return is refused. */
const LOOKS = new Set(["content", "evaluate", "evaluateAll", "title"]);
/** What reads again until it fits, or after a fact that the page shows no sooner. */
const WAITING = new Set(["poll", "readAfter", "waitFor", "waitUntil"]);
const SLEEPS = new Set(["waitForTimeout"]);

const ADVICE =
  "use expect.poll(() => ...), or readAfter, lacks, textOf or boxOf of test/browser/support/seen.ts; waitFor for what appears";

interface Node {
  readonly start: number;
  readonly end: number;
}

/** The name of what is called: `poll` of `expect.poll(...)`. */
function nameOf(callee: unknown): string {
  if (typeof callee !== "object" || callee === null) return "";
  if ("name" in callee && typeof callee.name === "string") return callee.name;
  return "property" in callee ? nameOf(callee.property) : "";
}

/** The lines of a test that read a page once. */
function earlyReads(code: string): readonly string[] {
  const found = new Set<string>();
  /** Parts of the text: arguments of what waits, arguments of `expect`, and awaited calls. */
  const waiting: Node[] = [];
  const checks: Node[] = [];
  const awaited: (Node & { readonly name: string })[] = [];
  const sleeps: Node[] = [];
  const { program, errors } = parseSync("any.ts", code);
  expect(errors).toEqual([]);
  new Visitor({
    CallExpression: ({ start, end, callee }) => {
      const name = nameOf(callee);
      if (WAITING.has(name)) waiting.push({ start, end });
      if (callee.type === "Identifier" && name === "expect") checks.push({ start, end });
      if (SLEEPS.has(name)) sleeps.push({ start, end });
    },
    AwaitExpression: ({ start, end, argument }) => {
      if (argument.type === "CallExpression" && argument.callee.type === "MemberExpression")
        awaited.push({ start, end, name: nameOf(argument.callee) });
    },
  }).visit(program);
  const within = (all: readonly Node[], { start, end }: Node) =>
    all.some((one) => one.start <= start && end <= one.end);
  const early = awaited.filter(
    (one) => !within(waiting, one) && (READS.has(one.name) || (LOOKS.has(one.name) && within(checks, one))),
  );
  for (const { start } of [...early, ...sleeps]) {
    const lines = code.slice(0, start).split("\n");
    found.add(`${lines.length}: ${code.split("\n")[lines.length - 1]?.trim()}`);
  }
  return [...found];
}

test.each([
  'expect(await page.locator("a").count()).toBe(1);',
  'expect((await row.innerText()).trim()).toBe("x");',
  "expect([1, await row.isVisible()]).toEqual([1, true]);",
  'expect(await page.evaluate("document.title")).toBe("x");',
  'const text = await page.textContent("main");',
  "const before = await rows.count();",
  "async function focused() { return (await row.count()) === 0; }",
  "await page.waitForTimeout(100);",
])("%s is refused", (code) => {
  expect(earlyReads(code)).toEqual([`1: ${code}`]);
});

test.each([
  "await expect.poll(() => rows.count()).toBe(1);",
  "await expect.poll(async () => (await row.innerText()).trim()).toBe(1);",
  "await vi.waitUntil(async () => (await rows.count()) > 0, PATIENT);",
  "const before = await readAfter(rows, () => rows.count());",
  "const link = await textOf(row);",
  'await page.evaluate("localStorage.clear()");',
  "const said = () => row.textContent();",
  "expect(await stored(page)).toBe(1);",
  "expect((await admin.get(path)).status).toBe(200);",
  "await row.waitFor();",
])("%s is allowed", (code) => {
  expect(earlyReads(code)).toEqual([]);
});

test("no test in a browser reads the page once", () => {
  const early = globSync("test/browser/*.test.ts", { cwd: ROOT }).flatMap((file) =>
    earlyReads(readFileSync(join(ROOT, file), "utf8")).map((line) => `${file}:${line}`),
  );
  expect(early, ADVICE).toEqual([]);
});
