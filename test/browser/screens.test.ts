// Every screen in both themes and on a phone and a desk: axe finds nothing, nothing scrolls sideways, and the browser has
// nothing to complain about.
import { AxeBuilder } from "@axe-core/playwright";
import { beforeAll, expect, test } from "vitest";
import type { Device, Page, Site } from "#client/resources.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { inBrowser, PATIENCE, type Scheme, useDemo } from "./support/browse.ts";
import { type Ids, SCREEN_NAMES, screensOf } from "./support/screens.ts";

const LOOKS = (["light", "dark"] as const).flatMap((scheme: Scheme) =>
  [360, 1440].map((width) => ({ scheme, width, bypassCSP: true })),
);

inBrowser("screens", screens);

function screens(): void {
  // A call that is under way when the service stops may find its records closed.
  const world = useDemo(/storage_unavailable/);
  const { busbar } = world;
  let ids: Ids;

  beforeAll(async () => {
    const { sites } = (await busbar.admin.get<Page<"sites", Site>>("/v3/sites")).body;
    const { devices } = (await busbar.admin.get<Page<"devices", Device>>("/v3/devices?limit=1000")).body;
    const device = devices.find(({ slug }) => slug === "battery-rack-a");
    ids = {
      site: sites[0]?.id ?? "",
      device: device?.id ?? "",
      command: "set_mode",
      entry: "examples.battery",
      blueprint: device?.blueprint_id ?? "",
    };
  });

  test.each(LOOKS)(
    "in $scheme at $width px: axe finds nothing on any screen, and none scrolls sideways",
    async (look) => {
      const visitor = await world.signedIn(look);
      const { page } = visitor;
      const found: unknown[] = [];
      for (const { name, path } of screensOf(ids)) {
        await visitor.go(path);
        const { wide, shown } = await page.evaluate<{ wide: number; shown: number }>(
          "({ wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth })",
        );
        if (wide > shown) found.push([name, `scrolls sideways: ${wide} > ${shown}`]);
        const { violations } = await new AxeBuilder({ page }).analyze();
        for (const { id, nodes } of violations) found.push([name, id, nodes[0]?.html, nodes[0]?.failureSummary]);
        for (const complaint of visitor.complaints.splice(0)) found.push([name, complaint]);
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test.each(ACCESS_LEVELS.filter((level) => level !== "system"))(
    "a token of level %s sees every screen, or why it may not",
    async (level) => {
      const visitor = await world.signedIn({}, await busbar.token({ level }));
      const found: unknown[] = [];
      for (const { name, path } of screensOf(ids)) {
        await visitor.go(path);
        const text = (await visitor.page.textContent("main"))?.trim() ?? "";
        if (text.length < 5) found.push([name, "shows nothing"]);
        if (/undefined|\[object|NaN/.test(text)) found.push([name, text.slice(0, 200)]);
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test(
    "when the connection is cut the page says so, and it is live again by itself",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${ids.site}`);
      await page.waitForSelector(".live.live", { state: "attached" });
      const { port } = busbar;
      await busbar.stop();
      await page.waitForSelector(".live.lost", { state: "attached" });
      await busbar.restart(["--port", String(port)]);
      await page.waitForSelector(".live.live", { state: "attached" });
      await visitor.close();
    },
    4 * PATIENCE,
  );
}
