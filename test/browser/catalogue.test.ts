// The catalogue as people use it: search, look at a blueprint, take it, and go on to a device.
import { beforeAll, expect, test } from "vitest";
import type { CataloguePage, Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const LONG = 4 * PATIENCE;

inBrowser("catalogue", catalogue);

function catalogue(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let site = "";
  let examples = 0;

  beforeAll(async () => {
    site = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Yard" })).body.site.id;
    examples = (await busbar.admin.get<CataloguePage>("/v3/catalogue")).body.total_count;
  });

  test(
    "words and filters are in the address; a card leads to what the blueprint offers, and from there to a device",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go("/catalogue");
      await page.getByText(`${examples} blueprints`).waitFor();
      await page.getByRole("searchbox", { name: "Search by name" }).fill("battery");
      await page.getByText("1 blueprint", { exact: true }).waitFor();
      await page.waitForURL(/[?&]q=battery/);
      await page.reload();
      await page.getByRole("region", { name: "Battery systems" }).getByRole("link", { name: "Battery system" }).click();
      await page.waitForURL("**/catalogue/examples.battery");
      // The manifest itself was read: it is not in the list.
      await page.getByText("Positive while discharging, negative while charging.").first().waitFor();
      await expect.poll(() => page.textContent("main")).toMatch(/Licence\s*Apache-2.0/);

      await page.getByRole("button", { name: "Upload as a blueprint" }).click();
      const link = page.getByRole("link", { name: "Open the blueprint" });
      await link.waitFor();
      const { entries } = (await busbar.admin.get<CataloguePage>("/v3/catalogue?q=battery")).body;
      await expect.poll(() => link.getAttribute("href")).toBe(`/blueprints/${entries[0]?.blueprint_id}`);
      await page.getByRole("combobox", { name: "Site of the new device" }).selectOption("Yard");
      await page.getByRole("link", { name: "Add a device with it" }).click();
      await page.waitForURL(({ pathname }) => pathname.endsWith("/add-device"));
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
        `/sites/${site}/add-device?blueprint=examples.battery`,
      );
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "what is not found says the next step, and a reader sees which level is needed",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      const { page } = visitor;
      await visitor.go("/catalogue?q=nothing-like-it");
      await page.getByText("Nothing in the catalogue fits").waitFor();
      await page.getByRole("button", { name: "Clear the search" }).click();
      await page.getByText(`${examples} blueprints`).waitFor();
      await visitor.go("/catalogue/examples.nothing");
      await page.getByText("The catalogue has no such entry").waitFor();
      await visitor.go("/catalogue/examples.pv-inverter");
      await expect.poll(() => page.getByRole("button", { name: "Add a device with it" }).isDisabled()).toBe(true);
      await page.getByText("Needs access level owner; yours is readonly.").first().waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
