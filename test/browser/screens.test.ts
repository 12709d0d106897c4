// Every screen on a phone and a desk: axe finds nothing, nothing scrolls sideways, and the browser has nothing to complain
// about.
import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Blueprint, Device, Rule, Site } from "#client/resources.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { PATIENT } from "../support/patient.ts";
import { IS_LONG } from "../support/rounds.ts";
import type { TestServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useDemo, type Visitor } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { brokenRows, smallTargets } from "./support/measure.ts";
import { type Ids, openedOf, SCREEN_NAMES, screensOf } from "./support/screens.ts";
import { lacks, textOf } from "./support/seen.ts";

const HEIGHT = 900;
/** The long run has all levels. */
const LEVELS = ACCESS_LEVELS.filter((level) => (IS_LONG ? level !== "system" : level === "readonly"));
/** The screens that are little more than a list. */
const LISTS = [
  "sites",
  "devices",
  "executions",
  "access",
  "people",
  "accessSessions",
  "audit",
  "alerts",
  "blueprints",
  "rollouts",
  "rules",
  "variables",
  "controllers",
  "calendars",
  "calendar",
];
interface AppManifest {
  readonly icons: readonly {
    readonly src: string;
    readonly sizes: string;
    readonly type: string;
    readonly purpose?: string;
  }[];
}

/** Browsers that share the screens among them. */
const SHARES = [0, 1];

inBrowser("screens", screens);

function screens(): void {
  // A call that is under way when the service stops may find its records closed.
  const world = useDemo(/storage_unavailable/);
  const { busbar } = world;
  let ids: Ids & { readonly execution: string };

  beforeAll(async () => {
    const { sites } = (await busbar.admin.get<Page<"sites", Site>>("/v3/sites")).body;
    // On a busy machine the demo has not made all of its devices yet.
    const device = await vi.waitUntil(async () => {
      const { devices } = (await busbar.admin.get<Page<"devices", Device>>("/v3/devices?limit=1000")).body;
      return devices.find(({ slug, blueprint_id }) => slug === "battery-rack-a" && blueprint_id !== null);
    }, PATIENT);
    const path = `/v3/devices/${device.id}/commands/executions`;
    const made = await busbar.admin.post<{ execution_id: string }>(path, { name: "read_mode" });
    ids = {
      execution: made.body.execution_id,
      site: sites[0]?.id ?? "",
      device: device.id,
      command: "set_mode",
      entry: "examples.battery",
      blueprint: device.blueprint_id ?? "",
      rollout: await beginRollout(busbar, sites[0]?.id ?? ""),
      // The demo is a gateway itself and lists none; gateways.test.ts shows one.
      gateway: "none",
      rule: await beginRule(busbar, sites[0]?.id ?? ""),
      controller: "cheap_hours",
      calendar: await beginCalendar(busbar, sites[0]?.id ?? ""),
    };
  });

  const look = createFindings();
  const findings = async (visitor: Visitor, name: string) => (await look(visitor)).map((found) => [name, found]);
  /** What a thumb would find wrong with a screen, without opening it again. */
  const thumbFindings = async ({ page }: Visitor, name: string) => {
    const found: unknown[] = [];
    for (const width of IS_LONG ? [390, 360] : [390]) {
      await page.setViewportSize({ width, height: HEIGHT });
      // The page makes the other bar with its next frame.
      await page.locator(".bar.bottom nav, main.kiosk").first().waitFor();
      found.push(...(await brokenRows(page)).map((one) => [name, width, one]));
      if (width === 390) found.push(...(await smallTargets(page)).map((one) => [name, one]));
    }
    return found;
  };

  test.concurrent.each(SHARES)(
    "axe finds nothing on any screen, dialog and drawer, in light or dark; none scrolls sideways on a phone or a desk, and on a phone every target fits a thumb, no pill is broken, and rows are cards of two lines (share %i)",
    async (share) => {
      const visitor = await world.signedIn({ bypassCSP: true });
      const found: unknown[] = [];
      const all = [...screensOf(ids), ...openedOf(ids)];
      for (const { name, path } of all.filter((_, index) => index % SHARES.length === share)) {
        // hostile-texts.test.ts opens each address by itself.
        await visitor.move(path);
        found.push(...(await findings(visitor, name)), ...(await thumbFindings(visitor, name)));
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test.concurrent(
    "in German, whose words are longer, lists fit a phone and a thumb, too",
    async () => {
      const visitor = await world.signedIn({ width: 390, locale: "de-DE" });
      const found: unknown[] = [];
      const all = [...screensOf(ids), ...openedOf(ids)];
      for (const { name, path } of all.filter((one) => IS_LONG || LISTS.includes(one.name))) {
        await visitor.move(path);
        found.push(...(await thumbFindings(visitor, name)));
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test.concurrent(
    "a window that becomes narrow or wide never shows the bar of the other width, not even before the page hears of it",
    async () => {
      for (const [from, to, bar] of [
        [1440, 390, ".bar.side nav"],
        [390, 1440, ".bar.bottom nav"],
      ] as const) {
        const visitor = await world.signedIn({ width: from });
        const { page } = visitor;
        // As if the next frame never came.
        await page.addInitScript({ content: "MediaQueryList.prototype.addEventListener = () => {};" });
        await visitor.go("/access");
        await page.locator(bar).waitFor();
        await page.setViewportSize({ width: to, height: HEIGHT });
        await lacks(page.locator(bar).filter({ visible: true }), page.locator("main"));
        await visitor.close();
      }
    },
    2 * PATIENCE,
  );

  test.concurrent(
    "the page can be installed as an app: its manifest and icons are served, and the policy lets a browser read them",
    async () => {
      const visitor = await world.visit();
      await visitor.page.goto(`${busbar.url}/sign-in`);
      const read = `Promise.all([...document.querySelectorAll("link[rel=manifest], link[rel=icon], link[rel=apple-touch-icon]")].map(async ({ href }) =>
        [new URL(href).pathname, (await fetch(href)).headers.get("content-type")]))`;
      // What the server delivers with the page is there when it is loaded.
      const links = await visitor.page.evaluate(read);
      expect(links).toEqual([
        ["/icon.svg", "image/svg+xml"],
        ["/apple-touch-icon.png", "image/png"],
        ["/app.webmanifest", "application/manifest+json"],
      ]);
      const session = await visitor.page.context().newCDPSession(visitor.page);
      const { data, errors } = await session.send("Page.getAppManifest");
      expect(errors).toEqual([]);
      const { icons, ...app } = JSON.parse(data ?? "{}") as AppManifest;
      // What browsers ask for before they offer to install a page; one without windows, as here, does not say it.
      expect(app).toMatchObject({ name: "Busbar", short_name: "Busbar", start_url: "/", display: "standalone" });
      expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
      expect(icons.filter(({ purpose }) => purpose === "maskable").length).toBeGreaterThan(0);
      for (const { src, type } of icons) {
        const { status, headers } = await fetch(busbar.url + src);
        expect([src, status, headers.get("content-type")]).toEqual([src, 200, type]);
      }
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test.concurrent(
    "axe finds nothing on the sign-in, the palette, the settings and the rest of the navigation",
    async () => {
      const found: unknown[] = [];
      const guest = await world.visit({ bypassCSP: true });
      await guest.page.goto(`${busbar.url}/sign-in`);
      await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
      found.push(...(await findings(guest, "sign in")));
      await guest.close();

      const visitor = await world.signedIn({ bypassCSP: true });
      const { page } = visitor;
      await visitor.move(`/sites/${ids.site}`);
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Search" }).waitFor();
      found.push(...(await findings(visitor, "palette")));
      await page.keyboard.press("Escape");
      await page.getByRole("combobox", { name: "Search" }).waitFor({ state: "hidden" });
      for (const [width, name] of [
        [1440, "Settings"],
        [360, "More"],
      ] as const) {
        await page.setViewportSize({ width, height: HEIGHT });
        // A click would wait for frames, which a window behind others may not get for long.
        await page.getByRole("button", { name, exact: true }).dispatchEvent("click");
        await page.getByRole("dialog").waitFor();
        found.push(...(await findings(visitor, name)));
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test.concurrent.each(LEVELS)(
    "a token of level %s sees every screen, or why it may not",
    async (level) => {
      const visitor = await world.signedIn({}, await busbar.token({ level }));
      const found: unknown[] = [];
      for (const { name, path } of screensOf(ids)) {
        await visitor.move(path);
        const text = await textOf(visitor.page.locator("main"), /\S[\s\S]{3,}\S/);
        if (/undefined|\[object|NaN/.test(text)) found.push([name, text.slice(0, 200)]);
      }
      expect(found).toEqual([]);
      await visitor.close();
    },
    SCREEN_NAMES.length * PATIENCE,
  );

  test(
    "a later visit shows what was known, as of then, while it reads the site; no manifest is read again, and a sign-out leaves nothing behind",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const kept = () => page.evaluate<string[]>("Object.keys(localStorage)");
      await visitor.go(`/sites/${ids.site}`);
      await page.locator(".picture").first().waitFor();
      await expect.poll(kept).toContain("busbar.manifests");
      await expect.poll(kept).toContain("busbar.site");

      const asked: string[] = [];
      const devices = Promise.withResolvers<void>();
      page.on("request", (request) => {
        asked.push(new URL(request.url()).pathname);
        if (asked.at(-1) === `/v3/sites/${ids.site}/devices`) devices.resolve();
      });
      const seen = Promise.withResolvers<void>();
      await page.route("**/v3/sessions/here", async (route) => {
        await Promise.all([devices.promise, seen.promise]);
        await route.continue();
      });
      await page.goto(`${busbar.url}/sites/${ids.site}`);
      await page.getByText("From your last visit; updating").waitFor();
      await page.locator("header time").waitFor();
      // What is not known yet is not shown.
      await lacks(page.getByText("No active alerts"), page.locator(".picture"));
      seen.resolve();
      await page.getByText("From your last visit").waitFor({ state: "hidden" });
      await page.locator(".picture").first().waitFor();
      expect(asked.filter((path) => path.endsWith("/manifest"))).toEqual([]);
      await page.unroute("**/v3/sessions/here");

      await page.evaluate("fetch('/v3/sessions/current', { method: 'DELETE' }).then((answer) => answer.status)");
      await page.reload();
      await page.waitForSelector("input[name=token]");
      await expect.poll(kept).toEqual(["busbar.preferences"]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test(
    "while the gateway restarts the page says so, it is live again by itself, and so are a screen that was first opened meanwhile and one on a wall",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      const wall = await world.visit();
      const views = `/v3/sites/${ids.site}/views`;
      const dashboard = { kind: "dashboard", name: "Hall", content: { tiles: [] }, is_shared: true };
      const { view } = (await busbar.admin.post<{ view: { id: string } }>(views, dashboard)).body;
      const newLink = async () => {
        const { code } = (await busbar.admin.post<{ code: string }>(`${views}/${view.id}/kiosk`, {})).body;
        return `${busbar.url}/sites/${ids.site}/kiosk/${view.id}#code=${code}`;
      };
      await wall.page.goto(await newLink());
      await wall.page.getByRole("heading", { name: "Hall" }).waitFor();
      const unused = await newLink();
      const reloaded = wall.page.waitForEvent("load");
      await visitor.go(`/sites/${ids.site}`);
      await page.waitForSelector(".live.live", { state: "attached" });
      const { port } = busbar;
      await busbar.stop();
      await page.waitForSelector(".live.lost", { state: "attached" });
      // A screen that was never opened before, and of which nothing can be loaded now.
      await page.evaluate(`history.pushState(null, "", "/access/audit"); dispatchEvent(new PopStateEvent("popstate"))`);
      await page.locator("main .failure, main .empty").first().waitFor();
      await wall.page.getByText("The server does not answer.").waitFor();
      await busbar.restart(["--port", String(port)]);
      await page.waitForSelector(".live.live", { state: "attached" });
      await page.getByRole("table", { name: "Audit log" }).waitFor();
      await reloaded;
      await wall.page.getByRole("heading", { name: "Hall" }).waitFor();
      // A link that was made before the restart.
      const second = await world.visit();
      await second.page.goto(unused);
      await second.page.getByRole("heading", { name: "Hall" }).waitFor();
      for (const one of [visitor, wall, second]) await one.close();
    },
    4 * PATIENCE,
  );
}

/** It runs every second, so that it has runs and a log. */
async function beginRule({ admin }: TestServer, site: string): Promise<string> {
  const code = Buffer.from(
    "name: Morning\nwhen: { every: 1s }\nif: { variable: away, differs: true }\nthen: { set: away, to: false }\n",
  );
  await admin.put(`/v3/sites/${site}/variables/away`, { value: false });
  const script = { code: code.toString("base64"), runtime_version: "V3", language: "yaml" };
  const made = await admin.post<{ rule: Rule }>(`/v3/sites/${site}/rule_engine/rules`, { slug: "morning", script });
  return made.body.rule.id;
}

async function beginCalendar({ admin }: TestServer, site: string): Promise<string> {
  const plan = { mon: [{ from: "06:00", to: "22:00", value: 21 }], sun: [{ from: "22:00", to: "06:00", value: 18 }] };
  await admin.put(`/v3/sites/${site}/calendars/heating`, { kind: "weekly", plan });
  return "heating";
}

/** Of a blueprint to one more device. */
async function beginRollout({ admin }: TestServer, site: string): Promise<string> {
  const bytes = "blueprint_spec: device/3.0\ndisplay_name: Spare\nruntime: {type: embedded}\n";
  const { blueprint } = (await admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", { bytes })).body;
  const body = { name: "Spare", site_id: site };
  const { device_id } = (await admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body;
  const wanted = { blueprint_id: blueprint.id, devices: { device_ids: [device_id] }, watch: "1h" };
  return (await admin.post<{ rollout: { id: string } }>("/v3/rollouts", wanted)).body.rollout.id;
}
