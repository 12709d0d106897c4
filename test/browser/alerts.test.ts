// Alerts and configuration of a device, as people use them.
import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { useFakeSite } from "./support/fake-site.ts";
import { lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

inBrowser("alerts and configuration", alerts);

function alerts(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  const rig = useFakeSite(busbar);

  test(
    "an alert comes by itself, counts down, and opens with what to do; an undeclared one is an error",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}/alerts`);
      await page.getByText("No alerts").waitFor();
      await rig.device.sendTelemetry({
        pressure: 36,
        alerts: ["too_high", "E<b>42"],
        alert_details: { too_high: { sensor: 3 } },
      });
      await page.getByText("E<b>42").waitFor();
      await expect
        .poll(() => page.locator("main tbody tr").first().textContent())
        .toMatch(/E<b>42.*Not declared.*Error/s);
      await page.getByText(/grace period: \d/).waitFor();

      await page.getByRole("link", { name: "Pressure too high" }).click();
      const drawer = page.getByRole("dialog", { name: "Pressure too high" });
      await drawer.getByText("The vessel holds more than it should.").waitFor();
      await expect.poll(() => drawer.textContent()).toMatch(/P-17/);
      await expect.poll(() => drawer.textContent()).toMatch(/sensor\s*3/);
      await drawer.getByRole("checkbox", { name: "Close the inlet." }).check();
      await drawer.getByText("1 of 2 done").waitFor();
      await drawer.getByText("Values around its start").waitFor();
      await page.reload();
      await drawer.getByText("1 of 2 done").waitFor();
      await page.keyboard.press("Escape");

      await page.getByText("Warning", { exact: true }).first().click();
      await page.waitForURL(/severity\.in=warning/);
      await expect.poll(() => page.locator("main tbody tr").count()).toBe(1);
      await rig.device.sendTelemetry({ pressure: 12, alerts: [] });
      await page.getByText("No alert fits these filters").waitFor();
      await page.getByText("Past", { exact: true }).click();
      await page.getByText(/lasted/).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a bucket is a form: wrong values are reported, secrets are only written, and the device gets the rest",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${rig.id}/configuration`);
      await page.getByLabel("Address").fill("nowhere");
      await page.getByLabel("Password").fill("s3cret");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Must be written as ipv4, for example 192.0.2.7").waitFor();
      await page.getByLabel("Address").fill("192.0.2.9");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Link is saved").waitFor();
      await visitor.go(`/devices/${rig.id}/configuration`);
      await expect.poll(() => page.getByLabel("Address").inputValue()).toBe("192.0.2.9");
      await expect.poll(() => page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
      await page.getByText("A value is stored.").waitFor();
      await page.getByLabel("Address").fill("192.0.2.10");
      await page.getByRole("button", { name: "Save" }).click();
      await expect.poll(() => JSON.stringify(rig.device.configurations.at(-1))).toContain("192.0.2.10");
      expect(JSON.stringify(rig.device.configurations.at(-1))).toContain("s3cret");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a bucket above the level is not a form, and says why",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "user" }));
      await visitor.go(`/devices/${rig.id}/configuration`);
      const { page } = visitor;
      await lacks(page.getByLabel("Address"), page.getByText("Needs access level owner; yours is user."));
      await visitor.close();
    },
    LONG,
  );
}
