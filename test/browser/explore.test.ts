// Explore as people use it: choosing series, zooming, the table, the file, and an address that shows the same again.
import { readFileSync } from "node:fs";
import type { Page as Tab } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Site } from "#client/resources.ts";
import { inBrowser, PATIENCE, useDemo } from "./support/browse.ts";
import { useFakeSite } from "./support/fake-site.ts";
import { ON_TABLET, wrongIn } from "./support/looks.ts";
import { smallTargets } from "./support/measure.ts";
import { boxOf, lacks, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
inBrowser("explore", explore);

function explore(): void {
  const world = useDemo();
  const { busbar } = world;
  const rig = useFakeSite(busbar);
  let path = "";

  beforeAll(async () => {
    const { sites } = (await busbar.admin.get<Page<"sites", Site>>("/v3/sites")).body;
    path = `/sites/${sites.find(({ name }) => name !== "Yard")?.id}/explore`;
    // The demo makes up a week of history after it has started.
    const isThere = async () => expect(await historyOfDemo()).toBeGreaterThan(100);
    await vi.waitFor(isThere, { timeout: 2 * PATIENCE, interval: 500 });
  }, 3 * PATIENCE);

  /** How many points of the last day there are so far. */
  async function historyOfDemo(): Promise<number> {
    const telemetry = [{ device: "roof-inverter", attribute: "ac_power", aggregation: "avg" }];
    const now = Math.floor(Date.now() / 1000);
    const question = { from: now - 86_400, to: now - 3_600, granularity: "5m", telemetry };
    const { status, text } = await busbar.admin.post("/telemetry/v1/timeseries", question);
    expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
    return text.split("\n").length;
  }

  test(
    "a series begins a rule with its value of now; who may only look is not offered it",
    async () => {
      const visitor = await world.signedIn({ width: 390, locale: "de-DE" });
      const { page } = visitor;
      await visitor.go(`${path}?series=roof-inverter:ac_power`);
      expect(await smallTargets(page)).toEqual([]);
      await page.getByRole("link", { name: "Regel daraus machen" }).click();
      await page.waitForURL(/rules\/new\?.*attribute=ac_power/);
      await page
        .getByText(/von Roof inverter.*(?:liegt|ist|über)/i)
        .first()
        .waitFor();
      const reader = await world.signedIn({}, await busbar.token({ level: "readonly" }));
      await reader.go(`${path}?series=roof-inverter:ac_power`);
      await lacks(
        reader.page.getByRole("link", { name: "Make a rule from this" }),
        reader.page.getByRole("button", { name: /^Remove/ }),
      );
      expect([...visitor.complaints, ...reader.complaints]).toEqual([]);
      await visitor.close();
      await reader.close();
    },
    LONG,
  );

  test(
    "two series are chosen and drawn, zoomed, listed, saved as a file, and shown again by their address",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const granularities = followQuestions(page);
      await visitor.go(`${path}?clock=site`);
      await page.getByText("Nothing is chosen yet").waitFor();
      await page.getByRole("button", { name: "Add series" }).first().click();
      const picker = page.getByRole("dialog", { name: "Series" });
      await picker.getByRole("searchbox").fill("inverter ac_power");
      await picker.getByRole("checkbox", { name: "AC power" }).check();
      await picker.getByRole("searchbox").fill("battery charge");
      await picker.getByRole("checkbox", { name: "State of charge" }).check();
      await picker.getByRole("button", { name: "Done" }).click();
      await page.waitForURL(/series=roof-inverter%3Aac_power%2Cbattery-rack-a%3Abattery_soc/);
      await seeLines(page, ["--solar", "--series-1"]);
      const coarse = granularities.at(-1);
      expect(coarse).toBe("2m");

      await drag(page, 0.4, 0.45);
      await page.waitForURL(/range=.+&back=24h/);
      await expect.poll(() => granularities.at(-1)).not.toBe(coarse);
      expect(granularities.at(-1)).toMatch(/^\d+s$/);
      await seeLines(page, ["--solar", "--series-1"]);
      await page.goBack();
      await expect.poll(() => page.url()).not.toContain("back=");
      await page.goForward();
      await page.getByRole("button", { name: "Reset zoom" }).click();
      await expect.poll(() => page.url()).not.toContain("range=");

      await expect.poll(() => granularities.at(-1)).toBe(coarse);
      await seeLines(page, ["--solar", "--series-1"]);

      const chart = page.getByRole("group", { name: /^Chart/ });
      await chart.focus();
      await page.keyboard.press("ArrowRight");
      const moment = page.getByText(/^At \d\d:\d\d:\d\d/);
      await moment.waitFor();
      await expect.poll(() => chart.getByRole("status").textContent()).toMatch(/AC power .*State of charge/);
      // Other colours make another chart. The moment that somebody looks at stays.
      const before = await textOf(moment);
      await page.evaluate('window.canvasBefore = document.querySelector(".uplot canvas")');
      await page.emulateMedia({ colorScheme: "dark" });
      await expect
        .poll(() => page.evaluate('document.querySelector(".uplot canvas") !== window.canvasBefore'), {
          timeout: PATIENCE,
        })
        .toBe(true);
      await seeLines(page, ["--solar", "--series-1"]);
      await expect.poll(() => moment.textContent()).toBe(before);

      await page.getByText("Table", { exact: true }).click();
      await page.waitForURL(/view=table/);
      await expect.poll(() => page.locator("tbody tr").count()).toBeGreaterThan(100);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "CSV" }).click(),
      ]);
      const [header, ...rows] = readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n");
      expect(header).toMatch(/^time,roof-inverter:ac_power avg \(k?W\),.*battery-rack-a:battery_soc avg \(%\)/);
      expect(rows.length).toBeGreaterThan(100);

      await page.reload();
      await expect.poll(() => page.locator("tbody tr").count()).toBeGreaterThan(100);
      await page.getByText("Chart", { exact: true }).click();
      await seeLines(page, ["--solar", "--series-1"]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "aggregation, filling, comparison and states are in the address; a view is saved by name, and the request can be copied",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`${path}?series=roof-inverter:ac_power,battery-rack-a:status`);
      await page.getByText("Battery rack A · Status").waitFor();
      await page.getByLabel("Aggregation: Roof inverter AC power").selectOption("integral");
      await page.waitForURL(/ac_power~integral|ac_power%7Eintegral/);
      await page
        .getByText(/^\s*k?Wh$/)
        .first()
        .waitFor();
      await expect.poll(() => page.getByLabel("Gaps: Roof inverter AC power").isDisabled()).toBe(true);
      await page.getByLabel("Gaps: Battery rack A Status").selectOption("1h");
      await page.waitForURL(/locf\.1h/);
      await page.getByLabel("Period before").check();
      await page.waitForURL(/compare=true/);

      await page.getByRole("button", { name: "Views" }).click();
      const views = page.getByRole("dialog", { name: "Views" });
      await views.getByLabel("Name of this view").fill("Sun and battery");
      await views.getByLabel("Share with everybody on this site").check();
      await views.getByRole("button", { name: "Save" }).click();
      await views.getByRole("button", { name: "Sun and battery", exact: true }).waitFor();
      await visitor.go(`${path}?clock=site`);
      await page.getByRole("button", { name: "Views" }).click();
      await views.getByRole("button", { name: "Sun and battery", exact: true }).click();
      await page.waitForURL(/compare=true/);
      await page.getByRole("button", { name: "Request" }).click();
      const request = page.getByRole("dialog", { name: "Request" });
      await expect
        .poll(() => request.locator("pre").textContent())
        .toMatch(/curl .*timeseries'[\s\S]*"aggregation":"integral"/);
      await request.getByText("JSON", { exact: true }).click();
      expect(JSON.parse(await textOf(request.locator("pre"), /^\s*\{/))).toMatchObject({
        telemetry: [
          { device: "roof-inverter", attribute: "ac_power", aggregation: "integral" },
          { device: "battery-rack-a", attribute: "status", gap_filling: { method: "locf", look_around: "1h" } },
        ],
      });
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a first visit shows the day's power, a later one what was looked at last; views of the browser move to the server",
    async () => {
      const token = await busbar.token({ level: "readonly" });
      const visitor = await world.signedIn({}, token);
      const { page } = visitor;
      const siteId = path.split("/")[2] ?? "";
      const old = { [siteId]: [{ name: "Old one", query: "?series=roof-inverter%3Aac_power" }] };
      await visitor.go(path);
      await page.waitForURL(/series=.+range=today/);
      await page.evaluate(`localStorage.setItem("busbar.explore.views", ${JSON.stringify(JSON.stringify(old))})`);
      expect(decodeURIComponent(page.url())).toMatch(/roof-inverter:ac_power/);
      expect(page.url()).not.toMatch(/voltage|current|temperature/);
      const kept = page.waitForResponse(
        (answer) => answer.request().postData()?.includes("battery_soc") === true && answer.url().includes("/views"),
      );
      await visitor.go(`${path}?series=battery-rack-a:battery_soc~by.1h&executions=off`);
      await page.getByLabel("Buckets: Battery rack A State of charge").waitFor();
      await expect.poll(() => page.getByLabel("Buckets: Battery rack A State of charge").inputValue()).toBe("1h");
      expect((await kept).status()).toBe(200);
      // Another device of the same person.
      const elsewhere = await world.signedIn({}, token);
      await elsewhere.go(path);
      await elsewhere.page.waitForURL(/battery_soc.*executions=off/);
      await elsewhere.close();
      await page.getByRole("button", { name: "Views" }).click();
      const views = page.getByRole("dialog", { name: "Views" });
      await page.getByText("The view that was kept in this browser is now saved on the server.").waitFor();
      await lacks(
        views.getByLabel("Share with everybody on this site"),
        views.getByRole("button", { name: "Old one", exact: true }),
      );
      await views.getByRole("button", { name: "Old one", exact: true }).click();
      await page.waitForURL(/roof-inverter/);
      await expect.poll(() => page.evaluate('localStorage.getItem("busbar.explore.views")')).toBe("{}");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "two fingers zoom, a long press shows the values, and a chart of more than ten series asks several times",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const granularities = followQuestions(page);
      const names = ["ac_power", "ac_energy_total", "status", "dc_voltage", "a", "b", "c", "d", "e", "f", "g", "h"];
      await visitor.go(`${path}?series=${names.map((name) => `roof-inverter:${name}`).join(",")}&bands=off&alerts=off`);
      await seeLines(page, ["--solar"]);
      expect(granularities.length).toBeGreaterThan(1);
      const box = await boxOf(page.locator(".u-over"));
      const touch = await touchesOf(page);
      const at = (...places: readonly number[]) =>
        places.map((place) => ({ x: box.x + box.width * place, y: box.y + box.height / 2 }));
      await touch("touchStart", at(0.4, 0.6));
      await touch("touchMove", at(0.3, 0.7));
      await touch("touchMove", at(0.2, 0.8));
      await touch("touchEnd", []);
      await page.waitForURL(/range=.+&back=24h/);
      await touch("touchStart", at(0.5));
      await page.getByText(/^At \d\d:\d\d:\d\d/).waitFor();
      await touch("touchEnd", []);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a series that is refused, unknown or without values says so beside it, and the others are drawn",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "user" }));
      const { page } = visitor;
      const series = [`${rig.id}:pressure`, `${rig.id}:inner_counter`, `${rig.id}:nothing`, "nobody:power"].join(",");
      await visitor.go(`/sites/${rig.site}/explore?range=1h&series=${series}`);
      await page.getByText("The device has no such attribute.").waitFor();
      await page.getByText("There is no such device, or your token does not see it.").waitFor();
      await page.getByText("Your access level does not show this attribute.").waitFor();
      await page.getByText("12.5", { exact: true }).first().waitFor();
      await seeLines(page, ["--series-1"]);
      await visitor.go(
        `/sites/${rig.site}/explore?range=2020-01-01T00:00:00Z/2020-01-02T00:00:00Z&series=${rig.id}:pressure`,
      );
      await page.getByText("No values in this range.").waitFor();
      await page.getByRole("button", { name: "Show it" }).click();
      await page.getByText("12.5", { exact: true }).first().waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a value of a device leads to its history",
    async () => {
      const visitor = await world.signedIn();
      await visitor.go(`/devices/${rig.id}`);
      await visitor.page.getByRole("button", { name: "Last 24 hours of Pressure" }).click();
      await visitor.page.locator(".curve").getByRole("link", { name: "Open in Explore" }).click();
      await visitor.page.waitForURL(/explore\?series=.+pressure/);
      await visitor.page.getByText("12.5", { exact: true }).first().waitFor();
      await visitor.close();
    },
    LONG,
  );

  test.each(ON_TABLET)(
    "at $width px in $scheme in $locale axe finds nothing on a chart, its table and the choice of series, and they fit",
    async (look) => {
      const visitor = await world.signedIn({ ...look, bypassCSP: true });
      const { page } = visitor;
      const query =
        "series=roof-inverter:ac_power,battery-rack-a:battery_soc,battery-rack-a:status,nobody:power&compare=true";
      await visitor.go(`${path}?${query}`);
      await page.getByText("Battery rack A · Status").waitFor();
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await page.getByRole("button", { name: /^(Add series|Reihe hinzufügen)$/ }).click();
      const picker = page.getByRole("dialog");
      await picker.getByRole("searchbox").fill("battery power");
      expect(await wrongIn(visitor, "dialog")).toEqual([]);
      await picker.getByRole("button", { name: /^(Done|Fertig)$/ }).click();
      await picker.waitFor({ state: "hidden" });
      await visitor.move(`${path}?${query}&view=table&range=1h&granularity=5m`);
      await page.locator("tbody tr").first().waitFor();
      expect(await wrongIn(visitor, "main")).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}

/** Granularities of the questions that the page asks. */
function followQuestions(page: Tab): string[] {
  const granularities: string[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/telemetry/v1/timeseries")) return;
    const { granularity } = request.postDataJSON() as { granularity: string };
    granularities.push(granularity);
  });
  return granularities;
}

/** Waits until the canvas has pixels in the colours of these series. */
async function seeLines(page: Tab, variables: readonly string[]): Promise<void> {
  await expect
    .poll(() => page.evaluate(countPixels(variables)).catch(() => []), { timeout: PATIENCE })
    .toSatisfy((counts: number[]) => counts.length === variables.length && counts.every((count) => count > 4));
}

/** As a text, because the page's own types are not those of a browser. */
function countPixels(variables: readonly string[]): string {
  return `(() => {
    const canvas = document.querySelector(".uplot canvas");
    if (canvas === null) return [];
    // Read from a copy: the browser complains about a chart that is read several times.
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    Object.assign(copy.canvas, { width: canvas.width, height: canvas.height });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const probe = document.body.appendChild(document.createElement("span"));
    const counts = ${JSON.stringify(variables)}.map((variable) => {
      probe.style.color = "var(" + variable + ")";
      const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 200 && Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 12) count += 1;
      }
      return count;
    });
    probe.remove();
    return counts;
  })()`;
}

/** Fingers, by the protocol of the browser. */
async function touchesOf(page: Tab) {
  const protocol = await page.context().newCDPSession(page);
  return (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
    protocol.send("Input.dispatchTouchEvent", { type, touchPoints });
}

/** Drags over a part of the chart: 0 is its left edge, 1 its right one. */
async function drag(page: Tab, from: number, to: number): Promise<void> {
  const box = await boxOf(page.locator(".u-over"));
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}
