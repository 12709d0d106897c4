// The page in a real Chromium, over the real demo site. Whatever the browser complains about fails the test: errors of
// scripts, refusals of the content security policy, and anything that is asked of another server.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { type TestServer, useServer } from "../../support/server.ts";

// The first is the same engine without windows, which takes a third less of the processor.
const CHROMIUM = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));
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
export const PATIENCE = 180_000;

/** The browser notes each refusal of the server. What matters is what the page makes of it. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;
const MAX_COMPLAINT = 400;

export type Scheme = "light" | "dark";

interface Look {
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
  /** The same without loading a page anew that is there already, as its own links do. */
  move(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface World {
  readonly busbar: TestServer;
  /** A browser of its own, without a session. */
  visit(look?: Look): Promise<Visitor>;
  /** A browser with a session, as the admin unless a token is given. No page is open yet. */
  signedIn(look?: Look, token?: string): Promise<Visitor>;
}

/** Without chromium there are no tests, and the output says so. */
export function inBrowser(name: string, tests: () => void): void {
  if (CHROMIUM === undefined)
    console.log(`${name}: no tests without a browser (Debian package chromium-headless-shell)`);
  else describe(name, tests);
}

/** Making up a year takes 25 s of processor time, and each of the last days two; few tests look at it. */
const SHORT_HISTORY = ["--demo-history", "1d"];

/** `provoked`: faults in the log that the tests of the file bring about. */
export function useDemo(provoked?: RegExp, flags: readonly string[] = SHORT_HISTORY): World {
  return useWorld(
    useServer(["--demo", "--http-page", "--mqtt-port", "0", ...flags], { ...(provoked && { provoked }) }),
  );
}

/** One for all files that a worker runs, because its start takes longer than many a test. It ends with the worker. */
let launched: Promise<Browser> | undefined;
const launch = () => {
  launched ??= chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: LAUNCH, timeout: 2 * PATIENCE });
  return launched;
};

export function useWorld(busbar: TestServer): World {
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    browser = await launch();
  }, 2 * PATIENCE);
  afterAll(async () => {
    for (const context of contexts) await context.close();
  });

  async function visit(look: Look = {}): Promise<Visitor> {
    const { scheme = "light", width = 1440, bypassCSP = false, locale = "en-US" } = look;
    const viewport = { width, height: 900 };
    // Without a graphics card, moving pictures take most of the processor.
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport,
      bypassCSP,
      locale,
      reducedMotion: "reduce",
    });
    contexts.push(context);
    const page = await context.newPage();
    const { url: origin } = busbar;
    page.setDefaultTimeout(PATIENCE);
    const complaints: string[] = [];
    const complain = (text: string) => void complaints.push(text.slice(0, MAX_COMPLAINT));
    page.on("console", (message) => {
      const isComplaint = message.type() === "error" || message.type() === "warning";
      if (isComplaint && !REFUSAL.test(message.text())) complain(message.text());
    });
    page.on("pageerror", (error) => complain(error.message));
    page.on("dialog", (dialog) => {
      complain(`a dialog: ${dialog.message()}`);
      void dialog.dismiss().catch(() => {});
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) complain(`asked elsewhere: ${url}`);
    });
    const go = async (path: string) => {
      await page.goto(busbar.url + path);
      await shown(page);
    };
    return {
      page,
      complaints,
      go,
      move: async (path) => {
        if (page.url() === "about:blank") return await go(path);
        await page.evaluate(
          `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
        );
        await shown(page);
      },
      close: () => context.close(),
    };
  }

  return {
    busbar,
    visit,
    async signedIn(look, token = busbar.adminToken) {
      const visitor = await visit(look);
      await visitor.page.context().addCookies([await newSession(busbar, token)]);
      return visitor;
    },
  };
}

/** The cookie of a new session. How people sign in is the matter of sign-in.test.ts; all others spare the time. */
async function newSession({ url, anonymous }: TestServer, token: string) {
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const answer = await anonymous.post("/v3/sessions", { token }, { headers });
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? "") ?? [];
  expect([answer.status, name]).toEqual([200, expect.stringMatching(/./)]);
  return { url, name, value, httpOnly: true, sameSite: "Strict" } as const;
}

export async function newLink(busbar: TestServer, token: string = busbar.adminToken): Promise<string> {
  const { body } = await busbar.as(token).post<{ code: string }>("/v3/sessions/codes", undefined);
  return `${busbar.url}/sign-in#code=${body.code}`;
}

const IS_SHOWN = "document.querySelector('main:not(.start)') !== null && document.querySelector('.skeleton') === null";

/** The screen is there: nothing that stands for content is left. Asked from outside, as the page allows no `eval`. */
async function shown(page: Page): Promise<void> {
  // Tests of one file may run side by side, and `expect.poll` belongs to one test at a time.
  await vi.waitUntil(() => page.evaluate<boolean>(IS_SHOWN).catch(() => false), { timeout: PATIENCE });
}
