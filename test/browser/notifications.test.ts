// Who is told of alerts: channels and routes, as people make and try them; with real receivers, on a phone, by keyboard, in both
// languages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { useFakeSite } from "./support/fake-site.ts";
import { createFindings } from "./support/findings.ts";
import { LANGUAGES } from "./support/looks.ts";
import { lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

inBrowser("notifications", notifications);

function notifications(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0"]);
  const world = useWorld(busbar);
  const rig = useFakeSite(busbar);
  let receiver: Receiver;
  let mailServer: MailServer;
  beforeAll(async () => {
    [receiver, mailServer] = await Promise.all([startReceiver(), startMailServer()]);
  });
  afterAll(async () => {
    await receiver.stop();
    await mailServer.stop();
  });
  const channelsAt = () => `/sites/${rig.site}/notifications/channels`;
  const routesAt = () => `/sites/${rig.site}/notifications/routes`;

  test(
    "a channel is made and tried; mistakes are shown at their fields; what failed is shown and sent again",
    async () => {
      const visitor = await world.signedIn({ width: 360 });
      const { page } = visitor;
      await visitor.go(channelsAt());
      await page.getByText("Nobody can be reached yet").waitFor();
      await page.getByRole("button", { name: "Mail", exact: true }).click();
      await page.getByRole("textbox", { name: "To" }).fill("anna@example.com, ben@example.com");
      await page.getByRole("button", { name: "Add a channel" }).click();
      await page.getByText("It needs a name.").waitFor();
      await page.getByText("This is not one mail address.").first().waitFor();
      await page.getByText("The name of a mail server, without a port.").waitFor();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Anna");
      await page.getByRole("textbox", { name: "To" }).fill("anna@example.com");
      await page.getByRole("textbox", { name: "From" }).fill("site@example.com");
      await page.getByRole("textbox", { name: "Mail server" }).fill("127.0.0.1");
      await page.getByLabel("Encryption").selectOption("none");
      await page.getByRole("textbox", { name: "Port" }).fill(String(mailServer.port));
      await page.getByRole("button", { name: "Add a channel" }).click();
      await page.getByText("25, 465, 587 or 2525.").waitFor();
      await page.getByRole("checkbox", { name: "May reach private addresses" }).check();
      await page.getByRole("button", { name: "Add a channel" }).click();
      await page.getByText("Anna was saved. Send a test message.").waitFor();
      await page.getByRole("button", { name: "Test: a message to Anna" }).click();
      await page.getByText("The receiver took the test message.").waitFor();
      expect(mailServer.mails.map(({ to }) => to)).toEqual([["anna@example.com"]]);

      // A webhook shows its secret once, and its failure for good until somebody sends it again.
      await page.getByRole("button", { name: "Webhook", exact: true }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Office");
      await page.getByRole("textbox", { name: "Address" }).fill(`${receiver.url}/office`);
      await page.getByRole("checkbox", { name: "May reach private addresses" }).check();
      await page.getByRole("button", { name: "Add a channel" }).click();
      const dialog = page.getByRole("dialog", { name: "Secret of Office" });
      await expect.poll(() => dialog.locator("code").textContent()).toMatch(/^whsec_/);
      await page.keyboard.press("Escape");
      receiver.answer = (response) => {
        response.statusCode = 404;
        response.end();
      };
      await page.getByRole("button", { name: "Test: a message to Office" }).click();
      await page.getByText("Not sent: answered 404").waitFor();
      receiver.answer = (response) => void response.end();
      await page.getByRole("button", { name: "Test: a message to Office" }).click();
      await page.locator("[data-channel=Office]").getByText("The receiver took the test message.").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a route is made by keyboard, its preview names everybody in order, and an alert then goes to the first",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(routesAt());
      await page.getByText("Nobody is notified of alerts yet").waitFor();
      await page.getByRole("button", { name: "Add a route" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Name" }).waitFor();
      await page.getByRole("button", { name: "Save" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Choose at least one channel.").waitFor();
      await page.keyboard.type("Everything");
      await page
        .getByRole("group", { name: "Who is notified", exact: true })
        .getByRole("checkbox", { name: "Office" })
        .focus();
      await page.keyboard.press("Space");
      await page.getByRole("button", { name: "Then notify somebody else" }).focus();
      await page.keyboard.press("Enter");
      await page
        .getByRole("group", { name: "Who is notified next (2)" })
        .getByRole("checkbox", { name: "Anna" })
        .focus();
      await page.keyboard.press("Space");
      await page.getByLabel("Send together what comes within").selectOption("0s");
      await page.getByLabel("Remind until somebody acknowledges the alert").selectOption("1h");
      await page.getByRole("button", { name: "Save" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Everything was saved.").waitFor();
      const row = page.getByRole("list", { name: "Who is notified" }).getByRole("listitem").first();
      await expect
        .poll(() => row.textContent())
        .toMatch(/Warnings and errors · of all devices.*at once: Office.*after 15 min.*Anna.*Reminder every 1 h/s);
      await page.getByText("This alert would go to:").waitFor();
      const told = page.getByRole("status").getByRole("listitem");
      await expect
        .poll(() => told.allTextContents())
        .toEqual([
          expect.stringMatching(/Office.*at once/),
          expect.stringMatching(/Anna.*in 15 min.*unless somebody acknowledges it/),
        ]);
      await page.getByLabel("Severity").selectOption("info");
      await page.getByText("Nobody would be notified.").waitFor();

      await rig.device.sendTelemetry({ pressure: 36, alerts: ["E42"] });
      expect((await receiver.next(({ body }) => body["message"] === "raised")).body).toMatchObject({ count: 0 });

      await page.getByRole("button", { name: "Change Everything" }).click();
      await page.getByRole("checkbox", { name: "In use" }).uncheck();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("not in use").waitFor();
      await page.getByRole("button", { name: "Delete Everything" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText("Nobody is notified of alerts yet").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test.each(["en-US", "de-DE"])(
    "on a phone of 360 pixels every tab is in sight (%s)",
    async (locale) => {
      const visitor = await world.signedIn({ width: 360, locale });
      await visitor.go(channelsAt());
      const tabs = visitor.page.locator("nav.tabs a");
      await expect.poll(() => tabs.count()).toBe(7);
      const isOutside = "({ left, right }) => left < 0 || right > innerWidth";
      const links = `[...document.querySelectorAll("nav.tabs a")]`;
      const outside = () =>
        visitor.page.evaluate<readonly string[]>(
          `${links}.filter((link) => (${isOutside})(link.getBoundingClientRect())).map(({ textContent }) => textContent)`,
        );
      await expect.poll(outside).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "who may not change them is told so, and sees neither addresses nor tabs",
    async () => {
      const token = await busbar.token({ name: "User", level: "user", site_ids: [rig.site] });
      const visitor = await world.signedIn({}, token);
      const { page } = visitor;
      await visitor.go(channelsAt());
      const refusal = page.getByText("Needs access level owner; yours is user.");
      await lacks(page.getByText("anna@example.com"), refusal);
      await lacks(page.getByRole("link", { name: "Channels" }), refusal);
      await visitor.close();
    },
    LONG,
  );

  test(
    "an alert is acknowledged with a comment, by name; a maintenance window silences it without hiding it; messages show each attempt",
    async () => {
      const channels = (
        await busbar.admin.get<{ channels: { id: string; name: string }[] }>(
          `/v3/sites/${rig.site}/notifications/channels`,
        )
      ).body.channels;
      const office = channels.find(({ name }) => name === "Office")?.id ?? "";
      const route = { name: "Now", group: "0s", steps: [{ channels: [office] }] };
      await busbar.admin.post(`/v3/sites/${rig.site}/notifications/routes`, route);
      receiver.answer = (response) => {
        response.statusCode = 500;
        response.end();
      };
      const token = await busbar.token({ name: "Berta", level: "user", site_ids: [rig.site] });
      const visitor = await world.signedIn({ width: 360 }, token);
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}/alerts`);
      await rig.device.sendTelemetry({ pressure: 36, alerts: ["E77"] });
      await page.getByRole("link", { name: "E77" }).click();
      const drawer = page.getByRole("dialog", { name: "E77" });
      await drawer.getByLabel("Comment").fill("I drive there.");
      await drawer.getByRole("button", { name: "I take care of it" }).click();
      await drawer.getByText("Berta takes care of it").waitFor();
      await drawer.getByText("I drive there.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("Berta takes care of it").waitFor();
      await expect.poll(() => page.locator("nav .count").count()).toBe(0);
      await page.getByRole("link", { name: "E77" }).click();
      await drawer.getByRole("button", { name: "Take the acknowledgement back" }).click();
      await drawer.getByRole("button", { name: "I take care of it" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => page.locator("nav .count").allTextContents()).toEqual(["1"]);
      await visitor.close();

      const owner = await world.signedIn({ width: 360 });
      await owner.go(`/sites/${rig.site}/alerts`);
      await owner.page.getByRole("link", { name: "E77" }).click();
      await owner.page.getByRole("link", { name: "Silence for maintenance" }).click();
      await owner.page.getByLabel("Why").fill("New filters.");
      await owner.page.getByRole("button", { name: "Silence", exact: true }).click();
      await owner.page.getByText("Nobody is notified until the window ends.").waitFor();
      const window = owner.page.getByRole("list", { name: "Maintenance" }).getByRole("listitem");
      await expect.poll(() => window.textContent()).toMatch(/Rig.*open.*New filters\..*by admin/s);
      await owner.move(`/sites/${rig.site}/alerts`);
      await owner.page
        .getByText(/Silenced/)
        .first()
        .waitFor();
      await expect.poll(() => owner.page.locator("nav .count").count()).toBe(0);
      await owner.move(`/sites/${rig.site}/maintenance`);
      await owner.page.getByRole("button", { name: "End now" }).click();
      await owner.page.getByRole("dialog").getByRole("button", { name: "End now" }).click();
      await owner.page.getByText("over", { exact: true }).waitFor();

      await owner.move(`/sites/${rig.site}/notifications/messages`);
      const message = owner.page.locator("[data-message]").filter({ hasText: "answered 500" }).first();
      await message.getByText("answered 500").first().waitFor();
      await message.getByText(/^\d+ attempts?$/).click();
      await message
        .getByText(/not sent – answered 500/)
        .first()
        .waitFor();
      receiver.answer = (response) => void response.end();
      await message.getByText("sent", { exact: true }).waitFor();
      await rig.device.sendTelemetry({ pressure: 12, alerts: [] });
      await owner.page.locator("[data-message]").filter({ hasText: "E77" }).getByText("Over ·").waitFor();
      expect(owner.complaints).toEqual([]);
      await owner.close();
    },
    LONG,
  );

  test(
    "what rules have told is counted until somebody looks at it",
    async () => {
      const visitor = await world.signedIn({ width: 360 });
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}/alerts`);
      const script = { code: btoa('notify("The tank is full.")'), runtime_version: "V3" };
      await busbar.admin.post(`/v3/sites/${rig.site}/rule_engine/rules`, { slug: "tank", script });
      // The link stands within a sentence: its colour alone does not tell it apart.
      await page.locator(".toast a").waitFor();
      const line = "getComputedStyle(document.querySelector('.toast a')).textDecorationLine";
      await expect.poll(() => page.evaluate<string>(line)).toBe("underline");
      const tab = page.getByRole("navigation", { name: "Alerts" }).getByRole("link", { name: /From rules/ });
      await expect.poll(() => tab.textContent()).toMatch(/From rules\s*1/);
      await tab.click();
      await page.getByRole("list", { name: "Notifications" }).getByText("The tank is full.").waitFor();
      await expect.poll(() => tab.textContent()).not.toContain("1");
      await page.reload();
      await page.getByRole("list", { name: "Notifications" }).getByText("The tank is full.").waitFor();
      await expect.poll(() => tab.textContent()).not.toContain("1");
      await visitor.close();
    },
    LONG,
  );

  test.each(LANGUAGES)(
    "forms and lists fit a phone, and axe finds nothing (%s)",
    async (locale) => {
      const look = createFindings();
      const visitor = await world.signedIn({ width: 360, locale, bypassCSP: true });
      const { page } = visitor;
      const { channels } = (
        await busbar.admin.get<{ channels: { id: string }[] }>(`/v3/sites/${rig.site}/notifications/channels`)
      ).body;
      const route = { name: `A ${locale}`, remind: "1h", steps: [{ channels: channels.map(({ id }) => id) }] };
      await busbar.admin.post(`/v3/sites/${rig.site}/notifications/routes`, route);
      for (const path of [
        ...["mail", "ntfy", "telegram", "webhook"].map((kind) => `${channelsAt()}?new=${kind}`),
        `${channelsAt()}?change=${channels[0]?.id}`,
        `${routesAt()}?new=true`,
        `/sites/${rig.site}/maintenance?new=true`,
      ]) {
        await visitor.move(path);
        await page.locator("main form").waitFor();
        expect([path, await look(visitor)]).toEqual([path, []]);
      }
      await visitor.move(routesAt());
      await page.locator("main [data-route]").first().waitFor();
      expect(await look(visitor)).toEqual([]);
      await visitor.move(`/sites/${rig.site}/notifications/messages`);
      await page.locator("main [data-message]").first().waitFor();
      expect(await look(visitor)).toEqual([]);
      await rig.device.sendTelemetry({ pressure: 36, alerts: ["E9"] });
      await visitor.move(`/sites/${rig.site}/alerts?alert=E9&alert_device=${rig.id}`);
      await page.locator("dialog textarea").waitFor();
      expect(await look(visitor)).toEqual([]);
      await rig.device.sendTelemetry({ pressure: 12, alerts: [] });
      await visitor.close();
    },
    LONG,
  );
}
