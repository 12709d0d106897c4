// People sign in by a real OpenID provider, which is another site to their browser: there and back, what went wrong, and out again; on
// a phone, by keyboard, in both languages.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Account } from "#client/resources.ts";
import { freePort } from "../support/free-port.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { LANGUAGES } from "./support/looks.ts";
import { lacks } from "./support/seen.ts";

const port = await freePort();
const ADDRESS = `http://localhost:${port}`;
const provider = await startIdentityProvider(ADDRESS);
const RULES = "operators=user,admins=owner";

inBrowser("signing in by a provider", signInByProvider);

function signInByProvider(): void {
  const busbar = useServer(["--http-page", "--port", `${port}`, ...provider.flags, "--oidc-groups", RULES], {
    env: { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, ...provider.env },
  });
  const world = useWorld(busbar);
  let siteId: string;
  beforeAll(async () => {
    const person = (id: string, name: string, groups: readonly string[]) =>
      provider.person(id, { name, email: `${id}@example.org`, email_verified: true, groups });
    await person("anna", "Anna Blum", ["operators"]);
    await person("ben", "Ben Stein", ["chess"]);
    siteId = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Yard" })).body.site.id;
  });
  afterAll(() => provider.stop());

  /** What the browser complained about, without the way to the provider, and the provider's own pages. */
  const complaintsOf = ({ complaints }: Visitor) => {
    const isOwn = (text: string) => ![provider.issuer, ADDRESS, "fonts.googleapis"].some((one) => text.includes(one));
    const own = complaints.filter(isOwn);
    complaints.splice(0, complaints.length, ...own);
    return complaints;
  };

  /** Without the font that the provider's own pages fetch from elsewhere. */
  async function visit(look: Parameters<typeof world.visit>[0] = {}): Promise<Visitor> {
    const visitor = await world.visit(look);
    await visitor.page.route(/fonts\.googleapis/, (route) => route.fulfill({ contentType: "text/css", body: "" }));
    return visitor;
  }

  /** At the provider, which takes any password. */
  async function typeAtProvider({ page }: Visitor, name: string): Promise<void> {
    await page.waitForURL((url) => url.origin === provider.issuer);
    await page.fill("input[name=login]", name);
    await page.fill("input[name=password]", "any");
    await page.click("button[type=submit]");
  }

  test(
    "by keyboard on a phone: there, back and in; the address keeps nothing",
    async () => {
      const visitor = await visit({ width: 360, bypassCSP: true });
      const look = createFindings();
      const { page } = visitor;
      await page.goto(`${ADDRESS}/sign-in`);
      const button = page.getByRole("button", { name: "Sign in with Example Works" });
      await button.waitFor();
      complaintsOf(visitor);
      expect(await look(visitor)).toEqual([]);
      await button.focus();
      await page.keyboard.press("Enter");
      await typeAtProvider(visitor, "anna");
      await page.waitForSelector("nav", { state: "attached" });
      expect(new URL(page.url()).origin).toBe(ADDRESS);
      expect(page.url()).not.toMatch(/code=|state=|return/);
      await expect.poll(() => page.evaluate<string>("document.cookie")).toBe("");
      await page.goto(`${ADDRESS}/access/account`);
      const { host } = new URL(provider.issuer);
      await page.getByText(`You sign in by ${host}. Your level is user`).waitFor();
      await lacks(page.locator("input[type=password]"), page.getByText(`You sign in by ${host}`));
      expect(complaintsOf(visitor)).toEqual([]);
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test.each([
    ["en-US", "None of your groups at Example Works may sign in here."],
    ["de-DE", "Keine Ihrer Gruppen bei Example Works darf sich hier anmelden."],
  ])(
    "who may not sign in reads why (%s), and a return without a sign-in, too",
    async (locale, words) => {
      const visitor = await visit({ width: 360, locale, bypassCSP: true });
      const look = createFindings();
      const { page } = visitor;
      await page.goto(`${ADDRESS}/sign-in`);
      await page.click("button[name=with-provider]");
      await typeAtProvider(visitor, "ben");
      await page.getByRole("alert").filter({ hasText: words }).waitFor();
      expect(page.url()).toBe(`${ADDRESS}/sign-in`);
      complaintsOf(visitor);
      expect(await look(visitor)).toEqual([]);
      await page.goto(`${ADDRESS}/sign-in/return?code=stolen&state=${"A".repeat(43)}`);
      const isOver = locale === "en-US" ? "That sign-in is over" : "Diese Anmeldung ist vorbei";
      await page.getByRole("alert").filter({ hasText: isOver }).waitFor();
      expect(page.url()).toBe(`${ADDRESS}/sign-in`);
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test.each(LANGUAGES)(
    "whoever opened a screen comes back to it from the provider (%s), also after a sign-in that failed",
    async (locale) => {
      const visitor = await visit({ width: 360, locale });
      const { page } = visitor;
      const wanted = `${ADDRESS}/sites/${siteId}/devices?q=pump`;
      await page.goto(wanted);
      await page.click("button[name=with-provider]");
      await typeAtProvider(visitor, "ben");
      await page.getByRole("alert").waitFor();
      expect(page.url()).toBe(wanted);
      await page.context().clearCookies();
      await page.click("button[name=with-provider]");
      await typeAtProvider(visitor, "anna");
      await page.waitForSelector("nav", { state: "attached" });
      await page.locator("input[type=search]").waitFor();
      expect(page.url()).toBe(wanted);
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test.each(["//evil.example/sites", "/\\evil.example", "https://evil.example/", "javascript:alert(1)", "/v3/sites"])(
    "a screen %s that something wrote into the browser is not gone to",
    async (wanted) => {
      const visitor = await visit();
      const { page } = visitor;
      await page.goto(`${ADDRESS}/sign-in`);
      await page.click("button[name=with-provider]");
      await page.waitForURL((url) => url.origin === provider.issuer);
      await page.goto(`${ADDRESS}/sign-in`);
      await page.evaluate(`sessionStorage.setItem("busbar.wanted-screen", ${JSON.stringify(wanted)})`);
      await page.goto(`${ADDRESS}/sign-in/return?code=stolen&state=${"A".repeat(43)}`);
      await page.getByRole("alert").waitFor();
      expect(page.url()).toBe(`${ADDRESS}/sign-in`);
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test(
    "an address that looks like another server leads nowhere but to the first screen",
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await page.goto(`${ADDRESS}//evil.example/sites`);
      await page.click("button[name=with-provider]");
      await typeAtProvider(visitor, "anna");
      await page.waitForSelector("nav", { state: "attached" });
      expect(new URL(page.url()).origin).toBe(ADDRESS);
      expect(page.url()).not.toContain("evil");
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test(
    "at another address of the same server, the button leads to the one where the sign-in works",
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      for (const [asked, offered] of [
        ["/sign-in", "/sign-in"],
        ["//evil.example", "/sign-in"],
        [`/sites/${siteId}/devices`, `/sites/${siteId}/devices`],
      ]) {
        await page.goto(busbar.url + asked);
        await page.getByRole("link", { name: `Sign in with Example Works at localhost:${port}` }).click();
        await page.getByRole("button", { name: "Sign in with Example Works" }).waitFor();
        expect(page.url()).toBe(ADDRESS + offered);
      }
      await visitor.close();
    },
    2 * PATIENCE,
  );

  test(
    "after signing out here, the page offers to sign out at the provider, too, which leads back",
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await page.goto(`${ADDRESS}/sign-in`);
      await page.click("button[name=with-provider]");
      await typeAtProvider(visitor, "anna");
      await page.waitForSelector("nav", { state: "attached" });
      await page.goto(`${ADDRESS}/access/account`);
      await page.getByText("You sign in by").waitFor();
      await page.getByRole("button", { name: "Settings" }).click();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Sign out at Example Works, too" }).click();
      await page.waitForURL((url) => url.origin === provider.issuer);
      await page.click("button[value=yes]");
      await page.waitForURL(`${ADDRESS}/sign-in`);
      // The provider asks again who it is.
      await page.click("button[name=with-provider]");
      await page.waitForSelector("input[name=login]");
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test(
    "the list of people says who signs in by a provider, and offers neither a link to a password nor another level",
    async () => {
      const { accounts } = (await busbar.admin.get<{ accounts: readonly Account[] }>("/v3/accounts")).body;
      expect(accounts.map(({ name, provider: by }) => [name, by])).toEqual([["Anna Blum", provider.issuer]]);
      const visitor = await world.signedIn();
      await visitor.go("/access/people");
      const row = visitor.page.getByRole("row").filter({ hasText: "Anna Blum" });
      await row.getByText("by a provider").waitFor();
      await lacks(row.getByRole("button", { name: "Invite Anna Blum" }), row.getByText("by a provider"));
      await row.getByRole("button", { name: "Change Anna Blum" }).click();
      const form = visitor.page.getByRole("dialog");
      const why = form.getByText(
        `Level, sites and password come from ${new URL(provider.issuer).host}, at each sign-in.`,
      );
      await lacks(form.locator("select, input[type=password]"), why);
      await form.getByRole("textbox", { name: "Name" }).fill("Anna B.");
      await form.getByRole("button", { name: "Save" }).click();
      await visitor.page.getByText("Anna B. was changed.").waitFor();
      await visitor.close();
    },
    2 * PATIENCE,
  );
}
