// Texts that others write: authors of blueprints, devices, people with a token. Whatever they hold is shown as text.
import { beforeAll, expect, test, vi } from "vitest";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { IS_LONG } from "../support/rounds.ts";
import { inBrowser, PATIENCE, useDemo } from "./support/browse.ts";
import { hostileManifest } from "./support/hostile-manifest.ts";
import { MARK, PAYLOADS, payload } from "./support/payloads.ts";
import { type Ids, SCREEN_NAMES, screensOf } from "./support/screens.ts";

inBrowser("hostile texts", hostileTexts);

function hostileTexts(): void {
  const world = useDemo();
  const { busbar } = world;
  let ids: Ids;

  beforeAll(async () => {
    const bytes = JSON.stringify(hostileManifest());
    const upload = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
    expect([upload.status, upload.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
    const blueprint = upload.body.blueprint.id;
    const { site } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: payload() })).body;
    const wanted = { name: payload(), site_id: site.id, blueprint_id: blueprint };
    const { device_id } = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted)).body;
    const made = `/v3/devices/${device_id}`;
    const { config } = (
      await busbar.admin.post<{ config: FakeDeviceConfig }>(`${made}/generate_config`, { protocol: "MQTT" })
    ).body;
    const device = await connectFakeDevice(config);
    device.onCommand(async (command) => {
      await command.log({ message: payload(), note: payload() });
      await (command.name === "two" ? command.error({ message: payload() }) : command.completed({ note: payload() }));
    });
    await device.sendProperties({ note: payload(), model: payload() });
    for (const text of PAYLOADS) await device.log(text, { severity: "error", persist: true });
    const alerts = ["hot", "cold", payload().slice(0, 60)];
    const alert_details = { hot: { note: payload() }, cold: payload() };
    await device.sendTelemetry({
      status: "a",
      note: payload(),
      tags: [payload(), payload()],
      power: 1,
      alerts,
      alert_details,
    });
    for (const name of ["one", "two", "three"]) {
      const execute = { name, arguments: { f0: payload(), f1: payload(), choice: "a" } };
      expect((await busbar.admin.post(`${made}/commands/execute`, execute)).status).toBe(200);
    }
    for (let i = 0; i < 3; i++) await busbar.token({ name: payload(), site_ids: [site.id] });
    await busbar.admin.post(`${made}/commands/execute`, { name: payload() });
    const spare = { name: payload(), site_id: site.id };
    const other = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", spare)).body.device_id;
    const rolledOut = { name: payload(), blueprint_id: blueprint, devices: { device_ids: [other] } };
    const { rollout } = (await busbar.admin.post<{ rollout: { id: string } }>("/v3/rollouts", rolledOut)).body;
    const rule = await hostileRule(site.id);
    const names = {
      rule,
      controller: "cheap_hours",
      command: "one",
      entry: `upload.${blueprint}`,
      blueprint,
      rollout: rollout.id,
      gateway: "none",
      calendar: await hostileCalendar(site.id),
    };
    ids = { site: site.id, device: device_id, ...names };
  }, 2 * PATIENCE);

  /** Its values are payloads, and the titles of its exception, which was on until yesterday and is on again tomorrow. */
  async function hostileCalendar(site: string): Promise<string> {
    const base = `/v3/sites/${site}/calendars`;
    const titles = payload()
      .replaceAll(/[\\,;]/g, (sign) => `\\${sign}`)
      .replaceAll(/\s*\n\s*/g, " ");
    const event = ["BEGIN:VEVENT", "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;INTERVAL=2", `SUMMARY:${titles}`];
    const text = ["BEGIN:VCALENDAR", ...event, "END:VEVENT", "END:VCALENDAR"].join("\r\n");
    const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    const range = () => [{ from: "00:00", to: "24:00", value: payload().slice(0, 200) }];
    const plan = Object.fromEntries(days.map((day) => [day, range()]));
    const files = await busbar.admin.put(`${base}/hostile-file`, { kind: "ical", text });
    const weekly = await busbar.admin.put(`${base}/hostile`, { kind: "weekly", plan, except: ["hostile-file"] });
    expect([files.status, weekly.status]).toEqual([200, 200]);
    return "hostile";
  }

  /** Its name, what it says, its log, its runs and its variables are payloads, and so is the error that stops another one. */
  async function hostileRule(site: string): Promise<string> {
    const { admin } = busbar;
    const base = `/v3/sites/${site}/rule_engine/rules`;
    const quoted = () => JSON.stringify(payload());
    const create = async (slug: string, language: string, code: string) => {
      const script = { code: Buffer.from(code).toString("base64"), runtime_version: "V3", language };
      const { status, text, body } = await admin.post<{ rule: { id: string } }>(base, { slug, script });
      expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
      return body.rule.id;
    };
    await admin.put(`/v3/sites/${site}/variables/note`, { value: payload() });
    const lua = `explain([==[${payload()}]==]) enapter.log([==[${payload()}]==], "error") error([==[${payload()}]==])`;
    await create("hostile-lua", "lua", lua);
    const when = `{ variable: note, differs: ${quoted()} }`;
    const then = `[{ notify: ${quoted()}, title: ${quoted()} }, { set: note, to: ${quoted()} }]`;
    const yaml = `name: ${quoted()}\ndescription: ${quoted()}\nwhen: [${when}, { every: 1s }]\nthen: ${then}\n`;
    const id = await create("hostile-yaml", "yaml", yaml);
    await vi.waitUntil(
      async () => (await admin.get<{ total_count: number }>(`${base}/${id}/traces`)).body.total_count > 0,
      { timeout: PATIENCE },
    );
    return id;
  }

  test(
    "no text of a manifest, device, alert, log or response becomes an element or a script on any screen",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const found: unknown[] = [];
      for (const { name, path } of screensOf(ids)) {
        // By opening it, with more in its address. The long run also goes there as a link of the page does.
        const more = `${path}?q=${encodeURIComponent(payload())}&x=${encodeURIComponent(payload())}`;
        for (const show of [() => visitor.go(more), ...(IS_LONG ? [() => visitor.move(path)] : [])]) {
          await show();
          const planted = await page.evaluate<string[]>(
            `[...document.querySelectorAll("[${MARK}], [href^='javascript:' i], [src^='javascript:' i]")].map((one) => one.outerHTML)`,
          );
          if (planted.length > 0) found.push([name, planted]);
          if (await page.evaluate<boolean>("document.body.hasAttribute('data-ran')"))
            found.push([name, "a script ran"]);
          for (const complaint of visitor.complaints.splice(0)) found.push([name, complaint]);
        }
      }
      expect(found).toEqual([]);
      // The texts are there: this test would find nothing on empty screens.
      await visitor.go(`/devices/${ids.device}/logs`);
      await expect.poll(() => page.textContent("main")).toContain("onerror");
      await visitor.close();
    },
    2 * SCREEN_NAMES.length * PATIENCE,
  );
}
