// The two pages in a real browser: light and dark, phone and desk.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { IS_LONG } from "../support/rounds.ts";
import { useServer } from "../support/server.ts";
import { findViolations } from "./support/axe.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const PATHS = ["/", "/docs"];
const ALL_LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => ({ colorScheme, width })),
);
/** Colours do not depend on the width: two looks have both of each. The long run has all. */
const LOOKS = ALL_LOOKS.filter(({ colorScheme, width }) => IS_LONG || (colorScheme === "light") === (width === 360));
type Look = (typeof LOOKS)[number];

inBrowser("pages", pages);

function pages(): void {
  const busbar = useServer();
  const world = useWorld(busbar);

  /** The page is loaded once, and looked at in all ways. */
  async function look(page: Page, seen: (look: Look) => Promise<void>): Promise<void> {
    for (const one of LOOKS) {
      await page.emulateMedia({ colorScheme: one.colorScheme });
      await page.setViewportSize({ width: one.width, height: 800 });
      await seen(one);
      const folder = process.env["BUSBAR_SCREENSHOTS"];
      const name = `${new URL(page.url()).pathname.replaceAll("/", "_")}-${one.colorScheme}-${one.width}.png`;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}`, fullPage: false });
    }
  }

  test.each(PATHS)(
    "%s in light and dark, on a phone and a desk: no complaints, nothing from elsewhere, no sideways scrolling",
    async (path) => {
      const { page, complaints, close } = await world.visit();
      const response = await page.goto(busbar.url + path, { waitUntil: "load" });
      expect(response?.status()).toBe(200);
      await open(page, "details");
      await look(page, async (one) => {
        const { wide, shown } = await page.evaluate<{ wide: number; shown: number }>(
          "({ wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth })",
        );
        expect({ ...one, isWider: wide > shown }).toEqual({ ...one, isWider: false });
        const heights = await page.evaluate<number[]>(
          "[...document.querySelectorAll('.links a')].map((link) => link.getBoundingClientRect().height)",
        );
        // Links of the first page can be hit by a finger.
        if (path === "/") expect(heights.length).toBeGreaterThan(0);
        for (const height of heights) expect(height).toBeGreaterThanOrEqual(44);
      });
      expect(complaints).toEqual([]);
      await close();
    },
    2 * PATIENCE,
  );

  test.each(PATHS)(
    "%s in light and dark, on a phone and a desk: axe finds nothing",
    async (path) => {
      const { page, close } = await world.visit({ bypassCSP: true });
      await page.goto(busbar.url + path);
      // All operations look alike, and axe takes its time with each: two of every section will do, one of them open.
      await page.evaluate("for (const one of document.querySelectorAll('details:nth-of-type(n+3)')) one.remove()");
      await open(page, "details:nth-of-type(1)");
      await look(page, async (one) => {
        expect([one, await findViolations(page, { exclude: "details:not([open])" })]).toEqual([one, []]);
      });
      await close();
    },
    2 * PATIENCE,
  );

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
