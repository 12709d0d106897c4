// The page as an app: it installs, opens without the server and says so, and takes messages. The push service is real HTTP; only the
// way from it to the browser is played, because a browser without a window has none: what the service decrypted is given to the real
// service worker.
import type { Worker } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Push } from "#client/resources.ts";
import { type PushService, pushed, startPushService } from "../support/push-service.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { useFakeSite } from "./support/fake-site.ts";
import { createFindings } from "./support/findings.ts";
import { LANGUAGES } from "./support/looks.ts";

const LONG = 4 * PATIENCE;

inBrowser("push", push);

function push(): void {
  const busbar = useServer(["--http-page", "--mqtt-port", "0", "--webhooks-allow-private"]);
  const world = useWorld(busbar);
  const rig = useFakeSite(busbar);
  let service: PushService;
  beforeAll(async () => {
    service = await startPushService();
  });
  afterAll(() => service.stop());
  const deviceAt = () => `/sites/${rig.site}/notifications/device`;

  /** A browser whose push service is ours. Without a window there is nobody whom it could ask. */
  async function withPush(visitor: Visitor, subscription: object): Promise<void> {
    await visitor.page.addInitScript(`
      let permission = "default";
      Object.defineProperty(Notification, "permission", { get: () => permission });
      Notification.requestPermission = async () => (permission = "granted");
      PushManager.prototype.subscribe = async function (options) {
        if (options.userVisibleOnly !== true) throw new Error("must be seen");
        window.asked = options.applicationServerKey;
        const { endpoint, ...keys } = ${JSON.stringify(subscription)};
        return { toJSON: () => ({ endpoint, keys }), unsubscribe: async () => true };
      };
      PushManager.prototype.getSubscription = async () => null;
    `);
  }

  test(
    "a person lets a phone take messages, is told of an alert there, opens it, and ends the phone",
    async () => {
      const token = await busbar.token({ name: "Anna", level: "user", site_ids: [rig.site] });
      const browser = service.browser();
      const visitor = await world.signedIn({ width: 360 }, token);
      const { page } = visitor;
      await withPush(visitor, browser.subscription);
      await visitor.go(deviceAt());
      await page.getByText("None of your devices takes messages yet.").waitFor();
      await page.getByLabel("Name of this device").fill("Anna's phone");
      await page.getByRole("button", { name: "Send messages to this device" }).click();
      await page.getByText("This device takes messages.").waitFor();
      await page.getByText("A first message is on its way to this device.").waitFor();
      expect((await pushed(browser)).json).toMatchObject({ kind: "test" });
      const anna = busbar.as(token);
      const found = (await anna.get<Push>(`/v3/sites/${rig.site}/notifications/push`)).body;
      await expect.poll(() => page.evaluate<string>("window.asked")).toBe(found.public_key);
      expect(found.devices).toMatchObject([{ name: "Anna's phone" }]);

      const route = { name: "Now", group: "0s", steps: [{ channels: [found.channel_id] }] };
      await busbar.admin.post(`/v3/sites/${rig.site}/notifications/routes`, route);
      await rig.device.sendTelemetry({ pressure: 36, alerts: ["E42"] });
      const message = await pushed(browser, ({ json }) => json["kind"] === "raised");
      const worker = await workerOf(visitor);
      const [shown] = await deliver(worker, message.text);
      expect(shown).toMatchObject({ title: message.json["title"], tag: message.json["id"] });
      expect(shown?.body).toContain("E42");
      await tap(worker, shown?.data);
      await page.getByRole("dialog", { name: "E42" }).waitFor();
      // What is no message, and what leads elsewhere, is shown and leads home.
      const strange = ["{", "null", '{"title":7,"open":"https://evil.example/"}', '{"open":"javascript:alert(1)"}'];
      for (const text of strange) {
        const [one] = await deliver(worker, text);
        expect(one).toMatchObject({ title: "Busbar" });
        await visitor.move(deviceAt());
        await tap(worker, one?.data);
        // Home is the page of the only site.
        await page.waitForURL(`${busbar.url}/sites/${rig.site}`);
      }

      await visitor.move(deviceAt());
      await page.getByRole("button", { name: "End Anna's phone" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
      await page.getByText("None of your devices takes messages yet.").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  /** The worker of the site's registration. */
  async function workerOf({ page }: Visitor): Promise<Worker> {
    const wanted = `${busbar.url}/push/${rig.site}/`;
    const find = async () => {
      for (const worker of page.context().serviceWorkers())
        if ((await worker.evaluate<string>("self.registration.scope")) === wanted) return worker;
      throw new Error(`no worker for ${wanted}`);
    };
    return await vi.waitFor(find, { timeout: PATIENCE, interval: 100 });
  }

  /** What the worker shows of a message. The event is played: a browser trusts only its own push service. */
  const deliver = (worker: Worker, text: string) =>
    worker.evaluate<readonly { title: string; body: string; tag: string; data: object }[]>(`(async () => {
      const shown = [];
      self.registration.showNotification = async (title, options) => void shown.push({ title, ...options });
      const event = new PushEvent("push", { data: ${JSON.stringify(text)} });
      const work = [];
      event.waitUntil = (one) => work.push(one);
      self.dispatchEvent(event);
      await Promise.all(work);
      return shown;
    })()`);

  const tap = (worker: Worker, data: object | undefined) =>
    worker.evaluate<undefined>(`(async () => {
      const event = new Event("notificationclick");
      const work = [];
      event.notification = { close() {}, data: ${JSON.stringify(data)} };
      event.waitUntil = (one) => work.push(one);
      self.dispatchEvent(event);
      await Promise.all(work);
    })()`);

  test(
    "without the server the page opens and says so; it keeps files of the page and no answer of the interface",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go(`/sites/${rig.site}/alerts`);
      await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
      await expect.poll(() => page.evaluate<boolean>("navigator.serviceWorker.controller !== null")).toBe(true);
      await page.reload();
      await page.getByRole("heading", { name: "Alerts" }).waitFor();
      const kept = async () =>
        await page.evaluate<string[]>(`(async () => {
          const found = [];
          for (const name of await caches.keys())
            for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
          return found;
        })()`);
      await expect.poll(async () => (await kept()).some((path) => path.startsWith("/assets/"))).toBe(true);
      const OURS = /^\/(assets\/.+|offline\.html|offline\.css|icon\.svg)$/;
      expect((await kept()).filter((path) => !OURS.test(path))).toEqual([]);
      // An older version's files go when a new one takes over.
      await page.evaluate(`(async () => {
        await caches.open("shell-0");
        const registration = await navigator.serviceWorker.getRegistration("/");
        await registration.unregister();
      })()`);
      await page.reload();
      await expect
        .poll(() => page.evaluate<string[]>("caches.keys()"))
        .toEqual([expect.stringMatching(/^shell-\w{12}$/)]);
      await expect.poll(() => page.evaluate<boolean>("navigator.serviceWorker.controller !== null")).toBe(true);

      await page.context().setOffline(true);
      await page.goto(`${busbar.url}/sites/${rig.site}/alerts`);
      await page.getByRole("heading", { name: "Busbar cannot be reached" }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole("link", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Alerts" }).waitFor();
      await visitor.close();
    },
    LONG,
  );

  test(
    "what makes it an app is there: name, icons, start and a page of its own",
    async () => {
      const manifest = await fetch(`${busbar.url}/app.webmanifest`);
      expect([manifest.status, manifest.headers.get("content-type")]).toEqual([200, "application/manifest+json"]);
      const body = (await manifest.json()) as { icons: { src: string }[] };
      expect(body).toMatchObject({ name: "Busbar", start_url: "/", display: "standalone", scope: "/" });
      for (const { src } of body.icons) {
        const icon = await fetch(busbar.url + src);
        expect([src, icon.status, icon.headers.get("content-type")]).toEqual([
          src,
          200,
          expect.stringMatching(/^image\//),
        ]);
      }
      const worker = await fetch(`${busbar.url}/service-worker.js`);
      expect([worker.status, worker.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    },
    LONG,
  );

  test.each(LANGUAGES)(
    "the screen of this device and the page without a server fit a phone, and axe finds nothing (%s)",
    async (locale) => {
      const look = createFindings();
      const visitor = await world.signedIn({ width: 360, locale, bypassCSP: true });
      await visitor.go(deviceAt());
      await visitor.page.locator("main form, main .card p").first().waitFor();
      expect(await look(visitor)).toEqual([]);
      await visitor.page.goto(`${busbar.url}/offline.html`);
      await visitor.page.getByRole("heading", { name: "Busbar cannot be reached" }).waitFor();
      expect(await look(visitor)).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
