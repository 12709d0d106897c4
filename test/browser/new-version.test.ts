// A new version of the page, as a browser meets it that has installed the one before: with the real service worker, and a server that
// changes its version between two looks.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workerOfVersion } from "../../web/build/worker-of-version.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";

const LONG = 2 * PATIENCE;
const WORKER = readFileSync(new URL("../../web/public/service-worker.js", import.meta.url), "utf8");

/** What the build makes of one version; its script has another name than that of each other. */
function filesOf(version: number): Readonly<Record<string, readonly [type: string, text: string]>> {
  const away = `<!doctype html><title>Away</title><h1>Away ${version}</h1>`;
  const page = `<!doctype html><title>Page</title><h1>Page ${version}</h1><script src="/assets/page-${version}.js"></script>`;
  return {
    "/": ["text/html", page],
    "/offline.html": ["text/html", away],
    "/offline.css": ["text/css", "h1 {}"],
    "/icon.svg": ["image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
    [`/assets/page-${version}.js`]: ["text/javascript", `document.title = "Script ${version}";`],
    "/service-worker.js": ["text/javascript", workerOfVersion(WORKER, [Buffer.from(away)])],
  };
}

inBrowser("a new version", newVersion);

function newVersion(): void {
  const world = useWorld(useServer(["--http-page"]));
  const served = { version: 1 };
  const server = createServer(({ url = "/" }, response) => {
    const [type, text] = filesOf(served.version)[url] ?? [];
    const cache = url.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    response.writeHead(text === undefined ? 404 : 200, {
      "Content-Type": type ?? "text/plain",
      "Cache-Control": cache,
    });
    response.end(text);
  });
  let address: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test(
    "is there with the next look, and what was kept of the one before goes",
    async () => {
      const { page, close } = await world.visit();
      const heading = (text: string) => page.getByRole("heading", { name: text }).waitFor();
      const caches = () => page.evaluate<string[]>("caches.keys()");
      await page.goto(address);
      await page.evaluate(`navigator.serviceWorker.register("/service-worker.js").then(() => true)`);
      await expect.poll(() => page.evaluate<boolean>("navigator.serviceWorker.controller !== null")).toBe(true);
      await page.reload();
      await heading("Page 1");
      await expect.poll(() => page.title()).toBe("Script 1");
      await expect.poll(caches).toHaveLength(1);
      const [before] = await caches();

      served.version = 2;
      await page.reload();
      await heading("Page 2");
      await expect.poll(() => page.title()).toBe("Script 2");
      // Browsers look for another worker after a navigation, and at least once a day.
      await page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => true)");
      await expect.poll(caches).toEqual([expect.not.stringMatching(`^${before}$`)]);

      await page.context().setOffline(true);
      await page.goto(address);
      await heading("Away 2");
      await page.context().setOffline(false);
      await page.goto(address);
      await heading("Page 2");
      await close();
    },
    LONG,
  );
}
