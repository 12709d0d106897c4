// Blueprints as their authors work on them: a mistake is shown and cured, the preview follows, the new version is uploaded,
// given to a device, and taken back.
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Blueprint, Device, Site } from "#client/resources.ts";
import { readZip } from "../../web/src/blueprints/zip.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const LONG = 4 * PATIENCE;
const MANIFEST = `blueprint_spec: device/3.0
display_name: Pump
runtime: {type: embedded}
telemetry:
  flow: {type: float, unit: m3/h, display_name: Flow}
commands:
  start:
    group: operation
    display_name: Start
    arguments:
      speed: {type: integer, min: 1, max: 10, display_name: Speed}
command_groups:
  operation: {display_name: Operation}
`;

inBrowser("blueprints", blueprints);

function blueprints(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  let first = "";
  let device = "";

  beforeAll(async () => {
    const { admin } = busbar;
    const site = (await admin.post<{ site: Site }>("/v3/sites", { name: "Yard" })).body.site.id;
    const uploaded = await admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", { bytes: MANIFEST });
    first = uploaded.body.blueprint.id;
    const body = { name: "Well", site_id: site, blueprint_id: first };
    device = (await admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", body)).body.device_id;
  });

  const assigned = async () =>
    (await busbar.admin.get<{ device: Device }>(`/v3/devices/${device}`)).body.device.blueprint_id;

  test(
    "a mistake is shown and a quick fix cures it; the preview changes; the version is uploaded, assigned, and taken back",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/devices/${device}`);
      await page.getByRole("link", { name: "Edit", exact: true }).click();
      await page.waitForURL(`**/blueprints/${first}/edit?device=${device}`);
      const problems = page.getByRole("region", { name: "Problems" });
      await problems.getByText("No problems").waitFor();
      await page.getByText("Flow", { exact: true }).waitFor();

      await writeAtEnd(page, "alerts: {dry: {severity: error, display_nam: Runs dry}}");
      // The key that is wrong, and the one that is missing therefore.
      await problems.getByText("2 errors").waitFor();
      await page.getByText("The preview shows the last manifest without errors.").waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Upload", exact: true }).isDisabled()).toBe(true);
      await problems.getByRole("button", { name: "Rename to display_name" }).click();
      await problems.getByText("No problems").waitFor();
      await page.getByText("Alerts 2", { exact: true }).click();
      await page.getByText("Runs dry", { exact: true }).waitFor();

      // Unsaved work outlives a reload.
      await page.reload();
      await page.getByText("Unsaved changes of this tab were restored.").waitFor();
      await page.getByText("Changes", { exact: true }).click();
      await page.getByText("Nothing breaks").waitFor();

      await page.getByRole("button", { name: "Upload and assign" }).click();
      const dialog = page.getByRole("dialog", { name: "Assign to Well?" });
      await dialog.getByText("Nothing breaks").waitFor();
      await dialog.getByRole("button", { name: "Assign" }).click();
      await page.getByText("Well has Pump, version 2, now.").waitFor();
      const second = await assigned();
      expect(second).not.toBe(first);
      await page.waitForURL(`**/blueprints/${second}/edit?**`);

      await page.getByRole("button", { name: "Back to version 1" }).click();
      await page.getByText("Well has Pump, version 1, again.").waitFor();
      expect(await assigned()).toBe(first);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "what can be written is offered, and problems of the editor are jumped to",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/blueprints/${first}/edit`);
      await writeAtEnd(page, "alerts: {hot: {sev");
      await page.getByRole("option", { name: /^severity/ }).click();
      await page.getByRole("option", { name: "warning" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator(".cm-content").textContent()).toContain("severity: ");
      await page
        .getByRole("region", { name: "Problems" })
        .getByRole("button", { name: "The alert hot has no display_name." })
        .click();
      await expect.poll(() => page.locator(".cm-activeLine").textContent()).toContain("hot:");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a new blueprint begins with a kind of device; a breaking change is named",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go("/blueprints/new");
      await page.getByLabel("Kind of device").selectOption("Weather station");
      await page.getByLabel("Name").fill("Roof weather");
      await page.getByRole("button", { name: "Begin" }).click();
      await page.getByRole("region", { name: "Problems" }).getByText("No problems").waitFor();
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("heading", { name: "Edit Roof weather" }).waitFor();

      const { blueprint } = (
        await busbar.admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", {
          bytes: MANIFEST.replace("m3/h", "L/min"),
        })
      ).body;
      await visitor.go("/blueprints?q=pump");
      await page.getByRole("link", { name: "Pump", exact: true }).click();
      await page.waitForURL(`**/blueprints/${blueprint.id}`);
      await visitor.go(`/blueprints/${blueprint.id}?view=changes&with=${first}`);
      await page.getByText("1 breaking change").waitFor();
      await page.getByText("Telemetry attribute flow: unit changed from m3/h to L/min.").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "the other files of a package are edited, made and uploaded with the manifest",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const files = page.getByRole("navigation", { name: "Files of the package" });
      await visitor.go("/blueprints/new?kind=battery&runtime=lua&name=Scripted");
      await page.getByRole("region", { name: "Problems" }).getByText("No problems").waitFor();
      await files.getByRole("link", { name: "main.lua" }).click();
      await page.getByRole("textbox", { name: "Text of main.lua" }).waitFor();
      await writeAtEnd(page, "-- written in the page");
      await page.getByRole("button", { name: "New file" }).click();
      const dialog = page.getByRole("dialog", { name: "New file" });
      await dialog.getByLabel("Path").fill("../outside.lua");
      await dialog.getByRole("button", { name: "Make the file" }).click();
      await dialog.getByText("without .. steps").waitFor();
      await dialog.getByLabel("Path").fill("helper.lua");
      await dialog.getByRole("button", { name: "Make the file" }).click();
      await page.getByRole("textbox", { name: "Text of helper.lua" }).waitFor();
      await writeAtEnd(page, "return {}");
      // What was typed is still there, and can be undone.
      await files.getByRole("link", { name: "main.lua" }).click();
      await page.locator(".cm-content", { hasText: "-- written in the page" }).waitFor();

      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("heading", { name: "Edit Scripted" }).waitFor();
      await page.waitForURL(/blueprints\/[^/]+\/edit/);
      const id = /blueprints\/([^/]+)\/edit/.exec(page.url())?.[1];
      const { content } = await busbar.admin.get(`/v3/blueprints/${id}/zip`);
      const packed = await readZip(new Uint8Array(content));
      const text = (name: string) => new TextDecoder().decode(packed.get(name));
      expect(text("main.lua")).toContain("-- written in the page");
      expect(text("helper.lua")).toBe("return {}");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a version is rolled out to devices in stages; a roll-out is paused and aborted",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const { blueprint } = (
        await busbar.admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", {
          bytes: MANIFEST.replace("Speed", "Speed of the pump"),
        })
      ).body;
      await visitor.go(`/blueprints/${blueprint.id}`);
      await page.getByRole("link", { name: "Roll out" }).click();
      await page.getByText("1 device would get it.").waitFor();
      await page.getByLabel("Observe each device for").fill("soon");
      await page.getByRole("button", { name: "Start the roll-out" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Start the roll-out" }).click();
      await page
        .getByRole("alert")
        .getByText(/Watch must be a duration/)
        .waitFor();
      await page.getByLabel("Observe each device for").fill("1h");
      await page.getByRole("button", { name: "Start the roll-out" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Start the roll-out" }).click();
      await page.getByRole("heading", { name: "Pump", exact: true }).waitFor();
      const row = page.getByRole("row", { name: /^Well/ });
      await row.getByText("observed", { exact: true }).waitFor();
      expect(await assigned()).toBe(blueprint.id);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByRole("button", { name: "Abort" }).click();
      await page.getByRole("dialog", { name: "End the roll-out?" }).getByRole("button", { name: "Abort" }).click();
      await page.getByText("The roll-out has ended.").waitFor();
      await page.getByRole("navigation", { name: "Roll-outs" }).getByRole("link").click();
      await page.getByRole("row", { name: /^Pump/ }).getByText("aborted").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a reader sees the manifest and the preview, and sees why nothing can be changed",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      const { page } = visitor;
      await visitor.go(`/blueprints/${first}/edit`);
      await page.getByText("Needs access level owner; yours is readonly.").first().waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Upload", exact: true }).isDisabled()).toBe(true);
      await expect.poll(() => page.locator(".cm-content").getAttribute("contenteditable")).toBe("false");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}

/** Types one line, as a person would. */
async function writeAtEnd(page: Page, line: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(line);
}
