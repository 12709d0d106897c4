// The System screen: health, figures, retention and the link.
import { beforeAll, expect, test } from "vitest";
import type { Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const LONG = 4 * PATIENCE;

inBrowser("system", system);

function system(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let site = "";

  beforeAll(async () => {
    site = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Yard" })).body.site.id;
  });

  test(
    "it shows the parts of the installation, and the retention of a site is changed from here",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go("/system");
      await page.getByText("Everything works").or(page.getByText("The gateway is very busy")).first().waitFor();
      for (const part of [
        "Installation",
        "Process",
        "Storage",
        "Broker",
        "Link to a cloud",
        "Limits in use",
        "Shares",
      ]) {
        await page.getByRole("heading", { name: part, exact: true }).waitFor();
      }
      await page.getByRole("heading", { name: "Log of the service" }).waitFor();
      await page.getByText("records.db", { exact: true }).waitFor();
      await page.getByText("This gateway works on its own.").waitFor();

      await page.getByRole("button", { name: "Change the retention of Yard" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Keep for").fill("a while");
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByLabel("Keep for").fill("90d");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("The retention was changed.").waitFor();
      const { body } = await busbar.admin.get<{ retention: object }>(`/v3/sites/${site}/retention`);
      expect(body.retention).toMatchObject({ default: "90d" });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a level that is too low, or a token for some sites, sees the health and why it sees no more",
    async () => {
      const user = await world.signedIn({}, await busbar.token({ level: "user" }));
      await user.go("/system");
      await user.page.getByText("Needs access level owner; yours is user.").first().waitFor();
      await user.page.getByText("Everything works").waitFor();
      expect(user.complaints).toEqual([]);
      await user.close();
      const owner = await world.signedIn({}, await busbar.token({ level: "owner", site_ids: [site] }));
      await owner.go("/system");
      await owner.page.getByText(/need a token for all sites/).waitFor();
      await owner.close();
    },
    LONG,
  );
}
