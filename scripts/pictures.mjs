// Takes the pictures of the README from the running demo site: docs/img/site-light.png and docs/img/site-dark.png.
// Usage: npm run pictures
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("..", import.meta.url));
const VIEW = { width: 1320, height: 860 };
/** So long values come in before the picture is taken: sparklines and energies need some. */
const SETTLE_MS = 20_000;

const data = mkdtempSync(join(tmpdir(), "busbar-pictures-"));
const flags = ["--demo", "--http-page", "--data", data, "--port", "0", "--mqtt-port", "off", "--log-format", "json"];
const busbar = spawn(join(root, "bin/busbar"), ["serve", ...flags], { stdio: ["ignore", "ignore", "pipe"] });
try {
  const url = await readyAt(busbar.stderr);
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox"] });
  await pause(SETTLE_MS);
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ colorScheme, viewport: VIEW, locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(await signInLink(url, token));
    await page.waitForSelector("nav", { state: "attached" });
    await pause(SETTLE_MS);
    await page.screenshot({ path: join(root, `docs/img/site-${colorScheme}.png`) });
    await context.close();
  }
  await browser.close();
} finally {
  busbar.kill();
  rmSync(data, { recursive: true, force: true });
}

/** The address that the program logs once it is ready. */
async function readyAt(log) {
  for await (const line of createInterface({ input: log })) {
    const { msg, url } = JSON.parse(line);
    if (msg === "ready") {
      log.resume();
      return url;
    }
  }
  throw new Error("the demo has ended before it was ready");
}

async function signInLink(url, token) {
  const headers = { "X-Service-Auth-Token": token };
  const answer = await fetch(`${url}/v3/sessions/codes`, { method: "POST", headers });
  const { code } = await answer.json();
  return `${url}/sign-in#code=${code}`;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
