// A Chromium, and a page that is signed in.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Gateway } from "../commands/gateway.ts";

const CHROMIUM = "/usr/bin/chromium";
const PATIENCE = 120_000;

/** The page as its sources are now. */
export function buildPage(): void {
  const script = fileURLToPath(new URL("../../scripts/build-page.mjs", import.meta.url));
  if (spawnSync(process.execPath, [script], { stdio: ["ignore", "ignore", "inherit"] }).status !== 0)
    throw new Error("the web page could not be built");
}

export async function openBrowser(): Promise<Browser> {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"];
  return await chromium.launch({ executablePath: CHROMIUM, args, timeout: PATIENCE });
}

export async function openContext(browser: Browser): Promise<BrowserContext> {
  return await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
}

export async function signIn(context: BrowserContext, gateway: Gateway): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const answer = await fetch(`${gateway.url}/v3/sessions/codes`, { method: "POST", headers: gateway.headers });
  const { code } = (await answer.json()) as { code: string };
  await page.goto(`${gateway.url}/sign-in#code=${code}`);
  await page.waitForSelector("nav", { state: "attached" });
  return page;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));
