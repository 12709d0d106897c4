// The history of a site at a glance: the day on the overview, and the energies of days, weeks, months and years.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import type { Site, SiteEnergy, Tariff } from "#client/resources.ts";
import { nameOfPeriod, parsePeriod } from "#core/energy/parse-period.ts";
import { PATIENT } from "../support/patient.ts";
import { startReceiver } from "../support/receiver.ts";
import { inBrowser, PATIENCE, useDemo } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { ON_PHONE, wrongIn } from "./support/looks.ts";
import { boxOf, lacks, readAfter, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
/** The month before the last one began at most 93 days ago. */
const HISTORY = "100d";
inBrowser("energy", energy);

function energy(): void {
  const world = useDemo(/storage_unavailable/, ["--webhooks-allow-private", "--demo-history", HISTORY]);
  const { busbar } = world;
  let site = "";

  beforeAll(async () => {
    site = (await busbar.admin.get<{ sites: Site[] }>("/v3/sites")).body.sites[0]?.id ?? "";
    await vi.waitUntil(() => busbar.log.includes("the demo's history is complete"), PATIENT);
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
      await expect.poll(() => areas.count()).toBeGreaterThan(3);
      await chart.focus();
      const said = () => chart.getAttribute("aria-valuetext");
      await page.keyboard.press("Home");
      await expect
        .poll(said)
        .toMatch(/^\d\d:\d\d: Solar [\d.]+ kW, Grid .* kW.*, Battery .*, State of charge \d+ %(?:, Price|$)/);
      // The demo has a tariff by time of use: its prices are steps, of the hours to come too.
      const prices = chart.locator("path.stepped");
      await expect.poll(() => prices.count()).toBe(2);
      await expect.poll(said).toMatch(/Price 0\.\d+ EUR\/kWh, Feed-in price 0\.0803 EUR\/kWh$/);

      const first = await readAfter(chart, said);
      await page.keyboard.press("ArrowRight");
      await expect.poll(said).not.toBe(first);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Feed-in price/ }).click();
      await expect.poll(() => prices.count()).toBe(1);

      const box = await boxOf(chart);
      await page.mouse.move(box.x + box.width / 2, box.y + 100);
      await chart.locator("line.cursor").waitFor({ state: "attached" });

      const solar = page.getByRole("button", { name: /^Solar/ });
      await expect.poll(() => solar.getAttribute("aria-pressed")).toBe("true");
      // All series came with one answer.
      const before = await readAfter(areas, () => areas.count());
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
      await expect.poll(() => table.getByRole("row").count()).toBeGreaterThanOrEqual(24);
      await table.getByRole("columnheader", { name: /^Price\s+EUR\/kWh$/ }).waitFor();
      await expect.poll(() => new URL(page.url()).search).toBe("?day=24h&power=table");
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
      await expect.poll(() => day(page).locator("text").allTextContents()).toContain("00:00");
      // Keys do nothing while there are no values.
      await day(page).locator("path.area").first().waitFor({ state: "attached" });
      await day(page).focus();
      await page.keyboard.press("Home");
      await expect.poll(() => day(page).getAttribute("aria-valuetext")).toMatch(/^00:00: /);
      await busbar.admin.patch(`/v3/sites/${site}`, { timezone: "UTC" });
      await visitor.close();
    },
    LONG,
  );

  const chart = (page: Page) => page.getByRole("group", { name: /^(Energies of each step|Energien jedes Schritts)/ });
  const figure = (page: Page, name: string) => page.locator("dl > div", { has: page.getByText(name, { exact: true }) });
  const kwh = (wattHours: number | null | undefined) => `${((wattHours ?? 0) / 1000).toFixed(2)}`;

  test(
    "a period that was looked at before is there at once, and is read again meanwhile",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/energy?period=today`);
      await chart(page).waitFor();
      await page.getByText("Year", { exact: true }).click();
      await page.locator(".bars .bar.month").first().waitFor();
      // The answer for the day is held back.
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/\/energy\?/, async (route) => {
        await held;
        await route.continue();
      });
      await page.getByText("Day", { exact: true }).click();
      await page.locator(".reading .bars .bar.hour").first().waitFor();
      release();
      await page.locator(".bars .bar.hour").first().waitFor();
      await page.locator(".reading").waitFor({ state: "detached" });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "energies of a month: figures, bars and table say what the interface says, beside the period before",
    async () => {
      const { timezone } = (await busbar.admin.get<{ site: Site }>(`/v3/sites/${site}`)).body.site;
      const month = new Intl.DateTimeFormat("en-CA", { timeZone: timezone })
        .format(Date.now() - 32 * 86_400_000)
        .slice(0, 7);
      const path = `/v3/sites/${site}/energy?period=${month}&step=day&before=true`;
      const { energy: expected } = (await busbar.admin.get<{ energy: SiteEnergy }>(path)).body;
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/energy?period=${month}`);
      const shown = (await textOf(figure(page, "Produced"), /(more|less) than before/)).replaceAll(",", "");
      expect(shown).toContain(kwh(expected.total.produced));
      expect(shown).toContain(kwh(expected.before?.total.produced));
      const autarky = Math.round((expected.total.self_sufficiency ?? 0) * 100);
      await expect.poll(() => figure(page, "Autarky").textContent()).toMatch(new RegExp(`Autarky\\s*${autarky}\\s%`));

      // One stop of the Tab key; the arrow keys go from bar to bar, and Enter opens a day.
      const bars = chart(page).getByRole("link");
      await expect.poll(() => bars.count()).toBe(expected.steps?.length);
      await bars.first().focus();
      await page.keyboard.press("ArrowRight");
      const label = "document.activeElement.getAttribute('aria-label')";
      const second = expected.steps?.[1];
      await expect
        .poll(async () => (await page.evaluate<string>(label)).replaceAll(",", ""))
        .toContain(`Sun ${kwh(second?.solar)} kWh`);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/energy?period=${month}-02`);
      await expect.poll(() => chart(page).getByRole("img").count()).toBe(24);
      await page.goBack();

      await page.getByText("Table", { exact: true }).click();
      const table = page.getByRole("table", { name: "Energies of each step in kWh" });
      const total = (await textOf(table.getByRole("row", { name: /^Total/ }))).replaceAll(",", "");
      for (const part of ["solar", "from_grid", "to_grid", "rest", "car", "used"] as const)
        expect(total).toContain(kwh(expected.groups[part]));
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "the period stands in the address; arrows lead to its neighbours, never to what is to come",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${site}/energy?period=2026-W40`);
      await page.getByRole("button", { name: "Previous period" }).click();
      await expect.poll(() => new URL(page.url()).search).toBe("?period=2026-W39");
      await page.getByText("Year", { exact: true }).click();
      await expect.poll(() => new URL(page.url()).search).toBe("?period=2026");
      await page.getByText("Range", { exact: true }).click();
      await page.getByLabel("First day").fill("2026-03-01");
      await page.getByLabel("Last day").fill("2026-03-10");
      await expect.poll(() => new URL(page.url()).search).toBe("?from=2026-03-01&to=2026-03-10");
      await page.getByRole("button", { name: "Next period" }).click();
      await expect.poll(() => new URL(page.url()).search).toBe("?from=2026-03-11&to=2026-03-20");
      await visitor.move(`/sites/${site}/energy?period=today`);
      await expect.poll(() => page.getByRole("button", { name: "Next period" }).isDisabled()).toBe(true);
      // Whoever is faster than the server is asked to wait, and the page does.
      await chart(page).waitFor();
      await visitor.close();
    },
    LONG,
  );

  test(
    "a report can be printed: without navigation and controls, with figures, bars and all rows; a file has every step",
    async () => {
      const { timezone } = (await busbar.admin.get<{ site: Site }>(`/v3/sites/${site}`)).body.site;
      const passed = parsePeriod("this_week", timezone, Date.now() - 40 * 86_400_000);
      const week = (passed && nameOfPeriod(passed, timezone)) ?? "";
      const visitor = await world.signedIn({ scheme: "dark" });
      const { page } = visitor;
      await visitor.go(`/sites/${site}/energy?period=${week}`);
      await chart(page).waitFor();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV" }).click();
      const file = await readFile(await (await saved).path(), "utf8");
      expect([file.split("\n")[0]?.split(",").slice(0, 3), file.trim().split("\n").length]).toEqual([
        ["from", "to", "solar"],
        8,
      ]);
      const columns = page.waitForEvent("download");
      await page.getByRole("button", { name: "Parquet" }).click();
      expect((await readFile(await (await columns).path())).subarray(0, 4).toString()).toBe("PAR1");

      await page.emulateMedia({ media: "print" });
      await expect
        .poll(() => page.getByRole("table", { name: "Energies of each step in kWh" }).getByRole("row").count())
        .toBe(9);
      await expect.poll(() => chart(page).locator("rect").count()).toBeGreaterThan(20);
      const title = page.getByText(`Energy report: Demo site, Week ${week.replace("-W", "/")}`);
      for (const name of ["Previous period", "Print", "Settings"])
        await lacks(page.getByRole("button", { name }), title);
      const background = "getComputedStyle(document.querySelector('.card')).backgroundColor";
      await expect.poll(() => page.evaluate<string>(background)).toBe("rgb(255, 255, 255)");
      expect((await page.pdf({ format: "A4" })).subarray(0, 5).toString()).toBe("%PDF-");
      await visitor.close();
    },
    LONG,
  );

  test(
    "a tariff is set on the page by an owner, and the costs are those of the interface",
    async () => {
      await busbar.admin.call("DELETE", `/v3/sites/${site}/tariff`);
      const path = `/sites/${site}/energy?period=yesterday`;
      const guest = await world.signedIn({}, await busbar.token({ level: "user" }));
      await guest.go(path);
      const reason = guest.page.getByText(/Somebody with the level owner can set one/);
      await lacks(guest.page.getByRole("button", { name: "Set a tariff" }), reason);
      await guest.close();

      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(path);
      await page.getByRole("button", { name: "Set a tariff" }).click();
      const form = page.getByRole("dialog", { name: "Tariff" });
      await form.getByLabel("EUR for a kWh").fill("dear");
      await form.getByRole("button", { name: "Save the tariff" }).click();
      await form.getByText("Give a number.").waitFor();
      await form.getByLabel("EUR for a kWh").fill("0,31");
      await form.getByLabel("Base charge").fill("12");
      await form.getByRole("button", { name: "Save the tariff" }).click();
      await form.waitFor({ state: "detached" });
      const answer = await busbar.admin.get<{ energy: SiteEnergy }>(
        `/v3/sites/${site}/energy?period=yesterday&costs=true`,
      );
      const { costs } = answer.body.energy;
      expect(costs?.import).toBeGreaterThan(0);
      await expect.poll(() => figure(page, "Net").textContent()).toContain((costs?.net ?? 0).toFixed(2));
      await expect.poll(() => figure(page, "Paid for energy").textContent()).toContain((costs?.import ?? 0).toFixed(2));

      // Prices of each hour come from a file, and somebody looks at them first.
      await page.getByRole("button", { name: "Change the tariff" }).click();
      await form.getByLabel("Price", { exact: true }).first().selectOption("prices");
      const lines = Array.from(
        { length: 24 },
        (_, hour) => `2026-01-01 ${String(hour).padStart(2, "0")}:00;0,${10 + hour}`,
      );
      const buffer = Buffer.from(`time;price\n${lines.join("\n")}\n`);
      await form.getByLabel("File").setInputFiles({ name: "prices.csv", mimeType: "text/csv", buffer });
      await form.getByText(/24 prices from .* each for 1h/).waitFor();
      await form.getByRole("button", { name: "Store these prices" }).click();
      await page.getByText("24 prices are stored.").waitFor();
      const stored = await busbar.admin.get<{ prices: { prices: { price: number }[] } }>(
        `/v3/sites/${site}/prices/import?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`,
      );
      expect(stored.body.prices.prices[0]?.price).toBe(0.1);

      // Or from a server, which is tried first.
      const server = await startReceiver();
      const at = Math.floor(Date.now() / 3_600_000) * 3_600;
      server.answer = (response) => void response.end(JSON.stringify({ at: [at, at + 3_600], price: [91.5, -20] }));
      const source = form.locator("form", { hasText: "Prices from the internet" });
      await source.getByLabel("Address").fill(`${server.url}/day-ahead`);
      await source.getByLabel("Path of the start times").fill("/times/*");
      await source.getByLabel("Path of the prices").fill("/price/*");
      await source.getByLabel("Times are written as").selectOption("s");
      await source.getByLabel("Header", { exact: true }).fill("X-Key");
      await source.getByLabel("Value of the header").fill("canary-key");
      await source.getByRole("button", { name: "Try it" }).click();
      await source.getByText("time: there is no /times in the answer; it has at, price").waitFor();
      await source.getByLabel("Path of the start times").fill("/at/*");
      await source.getByRole("button", { name: "Try it" }).click();
      await source.getByText("2 prices can be read. Nothing is stored yet.").waitFor();
      await expect.poll(() => source.getByRole("table").getByRole("cell").first().textContent()).toBe("0.0915");
      await source.getByRole("button", { name: "Save the source" }).click();
      await source.getByText(/Last fetched .*: 2 prices\./).waitFor();
      expect((await server.next()).headers["x-key"]).toBe("canary-key");
      await expect.poll(() => source.getByLabel("Value of the header").inputValue()).toBe("");
      await server.stop();
      expect(await createFindings()(visitor)).toEqual([]);

      // Rates may hold in some months only.
      await form.getByLabel("Price", { exact: true }).first().selectOption("time_of_use");
      await form.getByLabel("From month").selectOption({ label: "Oct" });
      await form.getByLabel("Until month").selectOption({ label: "Mar" });
      await form
        .getByRole("group", { name: "Rate 1" })
        .getByLabel(/^EUR for a kWh/)
        .fill("0.2");
      await form.getByLabel("At all other times: EUR for a kWh").fill("0.3");
      await form.getByRole("button", { name: "Save the tariff" }).click();
      await form.waitFor({ state: "detached" });
      const { tariff } = (await busbar.admin.get<{ tariff: Tariff }>(`/v3/sites/${site}/tariff`)).body;
      expect(tariff.versions[0]?.import?.rates?.[0]?.months).toEqual([10, 11, 12, 1, 2, 3]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "the page of a device: its main value on top, each value in place, lists as tables, and the state of its script",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const questions: number[] = [];
      page.on("request", (request) => {
        const body = request.url().includes("/timeseries")
          ? (request.postDataJSON() as { telemetry: unknown[] })
          : undefined;
        if (body !== undefined) questions.push(body.telemetry.length);
      });
      await visitor.go("/devices/battery-rack-a");
      const main = page.getByRole("slider", { name: "State of charge, last 24 hours" });
      await expect.poll(() => main.getAttribute("aria-valuetext")).toMatch(/%$/);
      await main.focus();
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => main.getAttribute("aria-valuetext")).toMatch(/^\d\d:\d\d: [\d.]+ %$/);
      // Rows that are seen are asked for together.
      await expect.poll(() => page.locator(".spark path").count()).toBeGreaterThan(4);
      expect(Math.max(...questions)).toBeGreaterThan(2);
      expect(Math.max(...questions)).toBeLessThanOrEqual(10);

      const voltage = page.getByRole("button", { name: "Last 24 hours of Voltage" });
      await voltage.press("Enter");
      await expect.poll(() => voltage.getAttribute("aria-expanded")).toBe("true");
      await page.getByRole("slider", { name: "Voltage, last 24 hours" }).waitFor();
      await voltage.press("Enter");
      await page.getByRole("slider", { name: "Voltage, last 24 hours" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Last 24 hours of Status" }).press("Enter");
      await page.getByRole("img", { name: "Status, last 24 hours" }).waitFor();

      const modules = page.getByRole("table", { name: "Modules" });
      await expect
        .poll(() => modules.getByRole("columnheader").allTextContents())
        .toEqual(["position", "serial_number"]);
      await page.getByText("As JSON", { exact: true }).click();
      await page.getByText('"serial_number": "M-118"').waitFor();
      await page.getByRole("link", { name: "Script: running" }).click();
      await page.waitForURL("**/runtime");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test.each(ON_PHONE)(
    "axe finds nothing wrong with the day, the energies and a device, and they fit: $width px, $scheme, $locale",
    async ({ width, scheme, locale }) => {
      const visitor = await world.signedIn({ width, scheme, locale, bypassCSP: true });
      await visitor.go(`/sites/${site}?day=24h`);
      await day(visitor.page).waitFor();
      expect(await wrongIn(visitor)).toEqual([]);
      await visitor.move(`/sites/${site}/energy?period=yesterday`);
      await chart(visitor.page).waitFor();
      expect(await wrongIn(visitor)).toEqual([]);
      await visitor.move("/devices/battery-rack-a");
      await visitor.page.locator(".spark").first().press("Enter");
      await visitor.page.locator(".curve svg").waitFor();
      expect(await wrongIn(visitor)).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
