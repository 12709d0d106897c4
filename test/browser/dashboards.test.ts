// Dashboards as people use them: pinning, arranging with the mouse and with keys, sharing, the start page, and a wall screen.
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { DashboardTile, Site } from "#client/resources.ts";
import { inBrowser, PATIENCE, useDemo } from "./support/browse.ts";
import { ON_TABLET, wrongIn } from "./support/looks.ts";
import { boxOf, lacks, readAfter } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
const AC_POWER = [{ device: "roof-inverter", attribute: "ac_power" }];
const TILES: readonly DashboardTile[] = [
  { id: "flow", kind: "flow", width: 2, height: 3 },
  { id: "sun", kind: "value", width: 1, height: 1, series: AC_POWER },
  { id: "gone", kind: "value", width: 1, height: 1, series: [{ device: "nobody", attribute: "power" }] },
  { id: "energy", kind: "energy", width: 2, height: 1 },
  { id: "curve", kind: "curve", width: 2, height: 2, range: "24h", series: AC_POWER },
  { id: "rack", kind: "states", width: 2, height: 1, series: [{ device: "battery-rack-a", attribute: "status" }] },
  { id: "limit", kind: "command", width: 1, height: 1, device: "roof-inverter", command: "set_power_limit" },
  { id: "note", kind: "text", width: 1, height: 1, text: "Call 112 <b>first</b>" },
];

inBrowser("dashboards", dashboards);

function dashboards(): void {
  const world = useDemo();
  const { busbar } = world;
  let site = "";

  beforeAll(async () => {
    site = (await busbar.admin.get<Page<"sites", Site>>("/v3/sites")).body.sites[0]?.id ?? "";
  });

  async function save(body: object, token = busbar.adminToken): Promise<string> {
    const wanted = { kind: "dashboard", name: "Wall", content: { tiles: TILES }, ...body };
    const answer = await busbar.as(token).post<{ view: { id: string } }>(`/v3/sites/${site}/views`, wanted);
    expect(answer.errors).toEqual([]);
    return answer.body.view.id;
  }

  test(
    "a value is pinned, becomes the start page, and says what is missing once its device is gone",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "user" }));
      const { page } = visitor;
      await visitor.go("/devices/roof-inverter");
      await page.getByRole("button", { name: "Pin AC power to a dashboard" }).click();
      const dialog = page.getByRole("dialog", { name: "Pin to a dashboard" });
      await dialog.getByLabel("Name of the new dashboard").fill("Roof");
      await dialog.getByRole("button", { name: "Pin to a new one" }).click();
      await page.getByText("AC power is on Roof.").waitFor();
      await visitor.go(`/sites/${site}/explore?series=roof-inverter:ac_power,battery-rack-a:battery_soc&range=1h`);
      await page.getByRole("button", { name: "Pin Chart to a dashboard" }).click();
      await dialog.getByRole("button", { name: "Roof" }).click();
      await page.getByText("Chart is on Roof.").waitFor();
      await visitor.go(`/sites/${site}/energy`);
      await page.getByRole("button", { name: "Pin Energy this month to a dashboard" }).click();
      await dialog.getByRole("button", { name: "Roof" }).click();
      await page.getByText("Energy this month is on Roof.").waitFor();
      await visitor.go(`/sites/${site}`);
      await page.getByRole("button", { name: "Pin Commands of Wallbox to a dashboard" }).click();
      await dialog.getByLabel("What").selectOption({ label: "Stop charging · Wallbox" });
      await dialog.getByRole("button", { name: "Roof", exact: true }).click();
      await page.getByText("Stop charging · Wallbox is on Roof.").waitFor();
      await visitor.go(`/sites/${site}/dashboards`);
      await page.getByRole("heading", { name: "AC power", exact: true }).waitFor();
      await page.getByRole("heading", { name: "AC power +1" }).waitFor();
      await page.getByRole("heading", { name: "Energy this month" }).waitFor();
      await page.getByRole("heading", { name: "Stop charging" }).waitFor();
      await page.getByRole("button", { name: "Arrange" }).click();
      const saved = page.waitForResponse((answer) => answer.request().method() === "PATCH");
      await page.getByLabel("Start page").check();
      expect((await saved).status()).toBe(200);
      await visitor.go("/");
      await page.waitForURL(/\/dashboards\//);
      await page.getByRole("heading", { name: "Roof" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "tiles are moved and resized with keys, which is announced and stored, and dragged by their handle",
    async () => {
      const token = await busbar.token({ level: "readonly" });
      const id = await save({ name: "Mine" }, token);
      const visitor = await world.signedIn({}, token);
      const { page } = visitor;
      await visitor.go(`/sites/${site}/dashboards/${id}`);
      await page.getByText("There is no device nobody here").waitFor();
      await page.getByRole("button", { name: "Arrange" }).click();
      await page
        .getByRole("button", { name: /^Move AC power: / })
        .first()
        .focus();
      await page.keyboard.press("ArrowLeft");
      await page.getByText("AC power: place 1 of 8").waitFor({ state: "attached" });
      await page.keyboard.press("Shift+ArrowRight");
      await page.getByText("AC power: 2 wide, 1 high").waitFor({ state: "attached" });
      await page.keyboard.press("Shift+ArrowDown");
      await page.getByText("AC power: 2 wide, 2 high").waitFor({ state: "attached" });
      await expect
        .poll(() => stored(token, id))
        .toMatchObject({ 0: { id: "sun", width: 2, height: 2 }, 1: { id: "flow" } });
      await dragTile(page, "Call 112", '[data-tile="limit"]');
      await expect
        .poll(async () => (await stored(token, id)).map((tile) => tile.id))
        .toEqual(["sun", "flow", "gone", "energy", "curve", "rack", "note", "limit"]);
      await page.getByRole("button", { name: "Remove Energy today" }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await expect.poll(async () => (await stored(token, id)).length).toBe(7);
      await page.reload();
      await expect.poll(() => page.locator("[data-tile]").first().getAttribute("data-tile")).toBe("sun");
      // What somebody wrote is text, whatever it looks like.
      await page.getByText("Call 112 <b>first</b>").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  async function stored(token: string, id: string): Promise<readonly DashboardTile[]> {
    const path = `/v3/sites/${site}/views/${id}`;
    type Saved = { view: { content: { tiles: readonly DashboardTile[] } } };
    return (await busbar.as(token).get<Saved>(path)).body.view.content.tiles;
  }

  test(
    "a change that somebody else made first is shown, not overwritten",
    async () => {
      const id = await save({ name: "Both", is_shared: true });
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/dashboards/${id}`);
      await page.getByRole("button", { name: "Arrange" }).click();
      await page.getByRole("button", { name: /^Move Call 112/ }).waitFor();
      const change = { revision: 1, content: { tiles: [{ ...TILES[7], text: "From the other one" }] } };
      expect((await busbar.admin.patch(`/v3/sites/${site}/views/${id}`, change)).status).toBe(200);
      await page.getByRole("button", { name: "Remove Energy today" }).click();
      await page.getByText("Somebody else has changed this dashboard meanwhile.").waitFor();
      await expect.poll(() => page.locator("[data-tile]").count()).toBe(1);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a wall screen signs in once and shows the dashboard alone",
    async () => {
      const id = await save({ name: "Hall", is_shared: true });
      const owner = await world.signedIn({}, await busbar.token({ level: "owner" }));
      await owner.go(`/sites/${site}/dashboards/${id}`);
      await owner.page.getByRole("button", { name: "Wall screen" }).click();
      await owner.page.getByRole("button", { name: "Make the link" }).click();
      const field = owner.page.getByLabel("Open this link on the screen");
      await expect.poll(() => field.inputValue()).toMatch(/\/kiosk\/[^/]+#code=/);
      const link = await readAfter(field, () => field.inputValue());
      await owner.close();

      const wall = await world.visit();
      await wall.page.goto(link);
      await wall.page.getByRole("heading", { name: "Hall" }).waitFor();
      expect(wall.page.url()).not.toContain("code");
      const limit = wall.page.getByRole("button", { name: /limit/i });
      await lacks(wall.page.getByRole("navigation"), limit);
      await lacks(wall.page.getByRole("link"), limit);
      await expect
        .poll(() => wall.page.getByRole("button", { name: /limit/i }).getAttribute("aria-disabled"))
        .toBe("true");
      const stranger = await world.visit();
      await stranger.page.goto(link);
      await stranger.page.getByRole("heading", { name: "Sign in" }).waitFor();
      await stranger.close();
      await wall.close();
    },
    LONG,
  );

  test.each(ON_TABLET)(
    "at $width px in $scheme in $locale axe finds nothing, and the dashboard fits",
    async (look) => {
      const id = await save({ name: `Look ${look.scheme} ${look.width} ${look.locale}`, is_shared: true });
      const visitor = await world.signedIn({ ...look, bypassCSP: true });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/dashboards/${id}`);
      await page.locator(".uplot").first().waitFor();
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await page.getByRole("button", { name: /^(Arrange|Anordnen)$/ }).click();
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}

/** Takes the handle of a tile and leaves it on another one. */
async function dragTile(page: Tab, name: string, target: string): Promise<void> {
  const button = page.getByRole("button", { name: new RegExp(`^Move ${name}`) });
  await button.scrollIntoViewIfNeeded();
  const handle = await boxOf(button);
  const place = await boxOf(page.locator(target));
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2, { steps: 8 });
  await page.mouse.up();
}
