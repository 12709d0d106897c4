// Signing in and out in a real browser, and what pages of other origins can do to somebody who is signed in: nothing.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page as PlaywrightPage } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { ListedSession, Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, newLink, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { lacks } from "./support/seen.ts";

inBrowser("signing in", signIn);

function signIn(): void {
  const world = useWorld(useServer(["--http-page"]));
  const { busbar } = world;

  const sessions = async () =>
    (await busbar.admin.get<Page<"sessions", ListedSession>>("/v3/sessions?limit=1000")).body.sessions;
  const signedIn = async () => {
    const visitor = await world.visit();
    await visitor.page.goto(await newLink(busbar));
    await visitor.page.waitForSelector("nav", { state: "attached" });
    return visitor;
  };
  /** The page may show what it knew before it hears that the session has ended: only events come with a session alone. */
  const isLive = ({ page }: Visitor) => page.waitForSelector(".live.live", { state: "attached" });
  const isOut = ({ page }: Visitor) => page.waitForSelector("input[name=token]");

  test(
    "a token signs in; it is not kept in the browser, and the page is there again after a reload",
    async () => {
      const visitor = await world.visit();
      const { page } = visitor;
      await page.goto(`${busbar.url}/access`);
      await page.fill("input[name=token]", "wrong");
      await page.click("button[name=with-token]");
      await page.waitForSelector("[role=alert], .error, [aria-invalid=true]");
      await page.fill("input[name=token]", busbar.adminToken);
      await page.click("button[name=with-token]");
      await page.waitForSelector("nav", { state: "attached" });
      expect(new URL(page.url()).pathname).toBe("/access");
      const kept = await page.evaluate<string>(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.body.innerHTML])",
      );
      expect(kept).not.toContain(busbar.adminToken);
      await expect.poll(() => page.evaluate("document.cookie")).toBe("");
      const [cookie, ...others] = await page.context().cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
      await page.reload();
      await isLive(visitor);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test(
    "a visit without a session is no refusal: the console has nothing, and neither has the audit log",
    async () => {
      const refused = async () =>
        (await busbar.admin.get<Page<"entries", object>>("/v3/audit?outcome.in=REFUSED&limit=0")).body.total_count;
      const before = await refused();
      const { page, close } = await world.visit();
      const errors: string[] = [];
      page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
      await page.goto(`${busbar.url}/access`);
      await page.waitForSelector("input[name=token]");
      expect([errors, await refused()]).toEqual([[], before]);
      await close();
    },
    2 * PATIENCE,
  );

  test(
    "a link signs in once, its code leaves the address, and a used link says so",
    async () => {
      const link = await newLink(busbar);
      const first = await world.visit();
      await first.page.goto(link);
      await first.page.waitForSelector("nav", { state: "attached" });
      expect(first.page.url()).not.toContain("code=");
      await expect.poll(() => first.page.evaluate("history.length")).toBeLessThanOrEqual(2);
      await first.close();
      const second = await world.visit();
      await second.page.goto(link);
      await second.page.waitForSelector("input[name=token]");
      await expect.poll(() => second.page.textContent("main")).toContain("This link has been used");
      await second.close();
    },
    2 * PATIENCE,
  );

  test(
    "a link of another token asks before it replaces the session, and is not used up by a no",
    async () => {
      const made = await busbar.admin.post<{ token: string }>("/v3/tokens", { name: "Somebody else", level: "user" });
      const { code } = (await busbar.as(made.body.token).post<{ code: string }>("/v3/sessions/codes", undefined)).body;
      const visitor = await signedIn();
      const { page } = visitor;
      const who = () =>
        page.evaluate<string>(
          "fetch('/v3/sessions/current').then((answer) => answer.json()).then(({ session }) => session.token_name)",
        );
      const before = await who();
      const open = async () => {
        await page.goto(`${busbar.url}/sign-in#code=${code}`);
        await lacks(page.locator("nav"), page.locator("h1:has-text('Sign in as someone else?')"));
        expect(page.url()).not.toContain("code=");
        expect(await who()).toBe(before);
      };
      await open();
      await page.click("button:has-text('Stay signed in')");
      await page.waitForSelector("nav", { state: "attached" });
      expect(await who()).toBe(before);
      await page.goto("about:blank");
      await open();
      await page.click("button:has-text('Sign in as Somebody else')");
      await page.waitForSelector("nav", { state: "attached" });
      expect(await who()).toBe("Somebody else");
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test(
    "signing out ends the session on the server, and a session that is ended elsewhere shows the sign-in",
    async () => {
      const visitor = await signedIn();
      const own = await sessions();
      const { page } = visitor;
      await page.evaluate("fetch('/v3/sessions/current', { method: 'DELETE' }).then((answer) => answer.status)");
      expect(await sessions()).toHaveLength(own.length - 1);
      await page.reload();
      await isOut(visitor);
      await visitor.close();
      const other = await signedIn();
      await busbar.admin.delete("/v3/sessions");
      await other.page.waitForSelector("input[name=token]");
      await expect.poll(() => other.page.textContent("main")).toContain("Your session has ended");
      await other.close();
    },
    2 * PATIENCE,
  );

  let foreign: Server;
  beforeAll(async () => {
    foreign = createServer((request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<!doctype html><title>elsewhere</title><body>${request.url === "/frame" ? frames(busbar.url) : ""}`,
      );
    });
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void foreign.close());

  // Another port is another origin of the same site: there, the browser sends the cookie along.
  test.each([
    ["127.0.0.1", "foreign_origin"],
    // Another site, for which the browser keeps the cookie back.
    ["localhost", "unauthorized"],
  ])(
    "a page on another port of %s changes nothing, reads nothing and hears nothing: %s",
    async (host, refusal) => {
      const visitor = await signedIn();
      const { page } = visitor;
      const names = async () =>
        (await busbar.admin.get<Page<"sites", Site>>("/v3/sites?limit=1000")).body.sites.map(({ name }) => name);
      const before = [await names(), (await sessions()).length];
      await page.goto(`http://${host}:${(foreign.address() as AddressInfo).port}/`);
      const outcomes = await page.evaluate<Readonly<Record<string, string>>>(attacks(busbar.url));
      for (const [name, outcome] of Object.entries(outcomes)) {
        expect([name, outcome]).toEqual([name, expect.stringMatching(/^(refused|opaque|error)/)]);
      }
      expect(Object.keys(outcomes).length).toBeGreaterThanOrEqual(8);
      await submitForm(page, `${busbar.url}/v3/sites`);
      await expect.poll(() => page.textContent("body")).toContain(refusal);
      await page.goto(`http://${host}:${(foreign.address() as AddressInfo).port}/frame`);
      await page.waitForLoadState();
      // Frames are loaded when their page is.
      const contents = await Promise.all(page.frames().map((frame) => frame.content()));
      expect(contents).toHaveLength(4);
      for (const content of contents.slice(1)) expect(content).not.toMatch(/My site|<nav/);
      expect([await names(), (await sessions()).length]).toEqual(before);
      await visitor.close();
    },
    2 * PATIENCE,
  );
}

/** What a foreign page can try with a script. Each ends in a word. */
function attacks(url: string): string {
  const body = JSON.stringify(JSON.stringify({ name: "Planted" }));
  return `(async () => {
    const url = ${JSON.stringify(url)};
    const outcomes = {};
    const ask = async (name, path, options) => {
      try {
        const answer = await fetch(url + path, { credentials: "include", ...options });
        outcomes[name] = answer.type === "opaque" ? "opaque" : answer.ok ? "READ " + (await answer.text()) : "refused";
      } catch (error) {
        outcomes[name] = "error " + error;
      }
    };
    await ask("plain POST", "/v3/sites", { method: "POST", mode: "no-cors", body: ${body} });
    await ask("POST of JSON", "/v3/sites", { method: "POST", headers: { "content-type": "application/json" }, body: ${body} });
    await ask("POST under /api", "/api/v3/sites", { method: "POST", mode: "no-cors", body: ${body} });
    await ask("DELETE", "/v3/sessions", { method: "DELETE" });
    await ask("sign-in", "/v3/sessions", { method: "POST", mode: "no-cors", body: '{"token":"x"}' });
    await ask("read", "/v3/sites", {});
    await ask("plain read", "/v3/sites", { mode: "no-cors" });
    await new Promise((resolve) => {
      const events = new EventSource(url + "/v3/events", { withCredentials: true });
      events.onopen = () => { outcomes.events = "HEARD"; events.close(); resolve(); };
      events.onerror = () => { outcomes.events = "error"; events.close(); resolve(); };
    });
    await new Promise((resolve) => {
      const socket = new WebSocket(url.replace("http", "ws") + "/v3/devices/x/logs");
      socket.onopen = () => { outcomes.socket = "HEARD"; resolve(); };
      socket.onerror = () => { outcomes.socket = "error"; resolve(); };
    });
    return outcomes;
  })()`;
}

/** A form needs no script and no permission. */
async function submitForm(page: PlaywrightPage, action: string): Promise<void> {
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${action}"><input name='{"name":"Planted","x":"' value='"}'></form>`,
  );
  await Promise.all([page.waitForNavigation(), page.evaluate("document.forms[0].submit()")]);
}

function frames(url: string): string {
  return ["/", "/docs", "/v3/sites"].map((path) => `<iframe src="${url}${path}"></iframe>`).join("");
}
