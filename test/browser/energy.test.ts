// The history of a site at a glance: the day on the overview.
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import type { Site } from "#client/resources.ts";
import { PATIENT } from "../support/patient.ts";
import { IS_LONG } from "../support/rounds.ts";
import { inBrowser, PATIENCE, useDemo } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";

const LONG = 4 * PATIENCE;
const ALL_LOOKS = [390, 1024, 1440].flatMap((width) =>
  (["light", "dark"] as const).flatMap((scheme) => ["en-US", "de-DE"].map((locale) => ({ width, scheme, locale }))),
);
/** Each width, theme and language once; the long run has all combinations. */
const LOOKS = IS_LONG
  ? ALL_LOOKS
  : ([
      { width: 390, scheme: "light", locale: "de-DE" },
      { width: 1024, scheme: "dark", locale: "en-US" },
    ] as const);

inBrowser("energy", energy);

function energy(): void {
  const world = useDemo(/storage_unavailable/);
  const { busbar } = world;
  let site = "";

  beforeAll(async () => {
    site = (await busbar.admin.get<{ sites: Site[] }>("/v3/sites")).body.sites[0]?.id ?? "";
    // The demo makes its history first.
    await vi.waitUntil(async () => {
      const { body } = await busbar.admin.get<{ energy: { total: { produced: number | null } } }>(
        `/v3/sites/${site}/energy?period=yesterday`,
      );
      return (body.energy?.total.produced ?? 0) > 0;
    }, PATIENT);
  });

  const day = (page: Page) => page.getByRole("slider", { name: /Power of the site|Leistung des Standorts/ });

  test(
    "the overview shows the power of the day: the cursor reads out values by keyboard and touch, names hide areas, a table has the hours",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}?day=24h`);
      const chart = day(page);
      await chart.waitFor();
      const areas = chart.locator("path.area");
      const before = await areas.count();
      expect(before).toBeGreaterThan(3);
      await chart.focus();
      const said = () => chart.getAttribute("aria-valuetext");
      await page.keyboard.press("Home");
      const first = await said();
      expect(first).toMatch(/^\d\d:\d\d: Solar [\d.]+ kW, Grid .* kW.*, Battery .*, State of charge \d+ %$/);
      await page.keyboard.press("ArrowRight");
      await expect.poll(said).not.toBe(first);
      await page.keyboard.press("Escape");

      const box = await chart.boundingBox();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 100);
      await chart.locator("line.cursor").waitFor({ state: "attached" });

      const solar = page.getByRole("button", { name: /^Solar/ });
      expect(await solar.getAttribute("aria-pressed")).toBe("true");
      await solar.click();
      await expect.poll(() => areas.count()).toBeLessThan(before);
      await solar.click();
      await expect.poll(() => areas.count()).toBe(before);
      // The demo raises an alert.
      await page
        .getByRole("link", { name: /^Alerts? at / })
        .first()
        .waitFor();
      await page.getByText(/Most sun: .* kW at \d\d:\d\d/).waitFor();

      await page.getByText("Table", { exact: true }).click();
      const table = page.getByRole("table", { name: "Power of the site, means of an hour" });
      await table.waitFor();
      expect(await table.getByRole("row").count()).toBeGreaterThanOrEqual(24);
      expect(new URL(page.url()).search).toBe("?day=24h&power=table");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "today begins at midnight of the site's clock, and a line shows where now is",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await busbar.admin.patch(`/v3/sites/${site}`, { timezone: "Asia/Kathmandu" });
      await visitor.go(`/sites/${site}`);
      await day(page).waitFor();
      await day(page).locator("line.now").waitFor({ state: "attached" });
      expect(await day(page).locator("text").allTextContents()).toContain("00:00");
      await day(page).focus();
      await page.keyboard.press("Home");
      await expect.poll(() => day(page).getAttribute("aria-valuetext")).toMatch(/^00:00: /);
      await busbar.admin.patch(`/v3/sites/${site}`, { timezone: "UTC" });
      await visitor.close();
    },
    LONG,
  );

  test.each(LOOKS)(
    "axe finds nothing wrong with the day, and it fits: $width px, $scheme, $locale",
    async ({ width, scheme, locale }) => {
      const visitor = await world.signedIn({ width, scheme, locale, bypassCSP: true });
      await visitor.go(`/sites/${site}?day=24h`);
      await day(visitor.page).waitFor();
      expect(await createFindings()(visitor)).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
