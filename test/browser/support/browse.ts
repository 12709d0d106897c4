// The page in a real Chromium, over the real demo site. Whatever the browser complains about fails the test: errors of
// scripts, refusals of the content security policy, and anything that is asked of another server.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { type TestServer, useServer } from "../../support/server.ts";

const CHROMIUM = "/usr/bin/chromium";
const isMissing = (process.env["BUSBAR_TEST_MISSING"] ?? "").split(",").includes("chromium") || !existsSync(CHROMIUM);
const LAUNCH = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A busy machine is slow, and that is no failure. */
export const PATIENCE = 60_000;

const MAX_COMPLAINT = 400;

export type Scheme = "light" | "dark";

export interface Look {
  readonly scheme?: Scheme;
  readonly width?: number;
  /** For axe, which is put into the page as a script. */
  readonly bypassCSP?: boolean;
  readonly locale?: string;
}

export interface Visitor {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: string[];
  /** Opens an address of the page and waits until the screen is there. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface World {
  readonly busbar: TestServer;
  readonly browser: Browser;
  /** A browser of its own, without a session. */
  visit(look?: Look): Promise<Visitor>;
  /** A browser that has signed in by a one-time link, as the admin unless a token is given. */
  signedIn(look?: Look, token?: string): Promise<Visitor>;
}

/** Without chromium there are no tests, and the output says so. */
export function inBrowser(name: string, tests: () => void): void {
  if (isMissing) console.log(`${name}: no tests, because there is no ${CHROMIUM} (Debian package chromium)`);
  else describe(name, tests);
}

export function useDemo(flags: readonly string[] = []): World {
  return useWorld(useServer(["--demo", "--http-page", "--mqtt-port", "0", ...flags]));
}

export function useWorld(busbar: TestServer): World {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: LAUNCH, timeout: 2 * PATIENCE });
  }, 2 * PATIENCE);
  afterAll(async () => {
    await browser?.close();
  });

  async function visit(look: Look = {}): Promise<Visitor> {
    const { scheme = "light", width = 1440, bypassCSP = false, locale = "en-US" } = look;
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ colorScheme: scheme, viewport, bypassCSP, locale });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const complaints: string[] = [];
    const complain = (text: string) => void complaints.push(text.slice(0, MAX_COMPLAINT));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complain(message.text());
    });
    page.on("pageerror", (error) => complain(error.message));
    page.on("dialog", (dialog) => {
      complain(`a dialog: ${dialog.message()}`);
      void dialog.dismiss().catch(() => {});
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(busbar.url) && !/^(data|blob):/.test(url)) complain(`asked elsewhere: ${url}`);
    });
    return {
      page,
      complaints,
      go: async (path) => {
        await page.goto(busbar.url + path);
        await shown(page);
      },
      close: () => context.close(),
    };
  }

  return {
    busbar,
    get browser() {
      return browser;
    },
    visit,
    async signedIn(look, token = busbar.adminToken) {
      const visitor = await visit(look);
      await visitor.page.goto(await newLink(busbar, token));
      await visitor.page.waitForSelector("nav", { state: "attached" });
      await shown(visitor.page);
      // Before the link was used there was no session, which the browser notes.
      forgive(visitor, /status of 401/);
      expect(visitor.complaints).toEqual([]);
      return visitor;
    },
  };
}

export async function newLink(busbar: TestServer, token: string = busbar.adminToken): Promise<string> {
  const { body } = await busbar.as(token).post<{ code: string }>("/v3/sessions/codes", undefined);
  return `${busbar.url}/sign-in#code=${body.code}`;
}

/** The screen is there: nothing that stands for content is left. */
export async function shown(page: Page): Promise<void> {
  await page.waitForFunction("document.querySelector('main') !== null && document.querySelector('.skeleton') === null");
}

/** Forgets complaints that the test has provoked. */
export function forgive(visitor: Visitor, provoked: RegExp): void {
  const kept = visitor.complaints.filter((one) => !provoked.test(one));
  visitor.complaints.splice(0, Number.POSITIVE_INFINITY, ...kept);
}
