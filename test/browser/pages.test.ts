// The two pages in a real browser: light and dark, phone and desk.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useServer } from "../support/server.ts";
import { findViolations } from "./support/axe.ts";

const CHROMIUM = "/usr/bin/chromium";
const isMissing = (process.env["BUSBAR_TEST_MISSING"] ?? "").split(",").includes("chromium") || !existsSync(CHROMIUM);
const LAUNCH = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const CASES = ["/", "/docs"].flatMap((path) =>
  (["light", "dark"] as const).flatMap((scheme) => [360, 1280].map((width) => ({ path, scheme, width }))),
);

if (isMissing) console.log(`test/browser: no tests, because there is no ${CHROMIUM} (Debian package chromium)`);
else describe("pages", pages);

function pages(): void {
  const busbar = useServer();
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: LAUNCH });
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
  });

  async function visit(
    { path, scheme, width }: (typeof CASES)[number],
    look: (page: Page) => Promise<void>,
  ): Promise<{ readonly complaints: readonly string[]; readonly outside: readonly string[] }> {
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: { width, height: 800 },
      bypassCSP: false,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    const outside: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(busbar.url) && !request.url().startsWith("data:")) outside.push(request.url());
    });
    try {
      const response = await page.goto(busbar.url + path, { waitUntil: "load" });
      expect(response?.status()).toBe(200);
      await look(page);
      const seen = { complaints: [...complaints], outside: [...outside] };
      const folder = process.env["BUSBAR_SCREENSHOTS"];
      const name = `${path.replaceAll("/", "_")}-${scheme}-${width}.png`;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}`, fullPage: false });
      return seen;
    } finally {
      await context.close();
    }
  }

  test.each(CASES)(
    "$path in $scheme at $width px: no complaints, nothing from elsewhere, no sideways scrolling",
    async (one) => {
      const { complaints, outside } = await visit(one, async (page) => {
        await open(page, "details");
        const { wide, shown } = await page.evaluate<{ wide: number; shown: number }>(
          "({ wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth })",
        );
        expect(wide).toBeLessThanOrEqual(shown);
      });
      expect(complaints).toEqual([]);
      expect(outside).toEqual([]);
    },
  );

  test.each(CASES)(
    "$path in $scheme at $width px: axe finds nothing",
    async ({ path, scheme, width }) => {
      const context = await browser.newContext({
        colorScheme: scheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      try {
        const page = await context.newPage();
        await page.goto(busbar.url + path);
        // All operations look alike, and axe takes its time with each: two of every section will do, one of them open.
        await page.evaluate("for (const one of document.querySelectorAll('details:nth-of-type(n+3)')) one.remove()");
        await open(page, "details:nth-of-type(1)");
        expect(await findViolations(page, { exclude: "details:not([open])" })).toEqual([]);
      } finally {
        await context.close();
      }
    },
    60_000,
  );

  test.each([360, 1280])("links of the first page are at least 44 px high at %i px", async (width) => {
    await visit({ path: "/", scheme: "light", width }, async (page) => {
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.links a')].map((link) => link.getBoundingClientRect().height)",
      );
      expect(heights.length).toBeGreaterThan(0);
      for (const height of heights) expect(height).toBeGreaterThanOrEqual(44);
    });
  });

  test("every link of the pages leads somewhere", async () => {
    for (const path of ["/", "/docs", "/api/", "/api/docs"]) {
      const { text } = await busbar.anonymous.get(path);
      const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
      for (const [, target = ""] of text.matchAll(/href="([^"]+)"/g)) {
        if (target.startsWith("#")) expect([path, target, ids.has(target.slice(1))]).toEqual([path, target, true]);
        else
          expect([path, target, (await fetch(new URL(target, busbar.url + path))).status]).toEqual([path, target, 200]);
      }
    }
  });
}

/** The reference folds its operations; what is folded is not looked at. */
async function open(page: Page, selector: string): Promise<void> {
  await page.evaluate(`for (const one of document.querySelectorAll(${JSON.stringify(selector)})) one.open = true`);
}
