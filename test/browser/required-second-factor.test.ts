// An operator asks for a second factor: who has no app sets one up with the sign-in, by the password or by a real provider; on a phone, by
// keyboard, in both languages.
import { afterAll, beforeAll, expect, test } from "vitest";
import { appCode } from "../support/authenticator-app.ts";
import { freePort } from "../support/free-port.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { lacks, readAfter, textOf } from "./support/seen.ts";

const port = await freePort();
const ADDRESS = `http://localhost:${port}`;
const provider = await startIdentityProvider(ADDRESS);
const PASSWORD = "four plain small words";
const LOCALES = ["en-US", "de-DE"] as const;
const WORDS = {
  "en-US": {
    ...{ setUp: "Set up an app", wrong: "The code is wrong", codes: "Recovery codes", kept: "I have kept them" },
    ...{ left: "10 recovery codes are left.", second: "Second step", fresh: "New recovery codes", code: "Code" },
    ...{ password: "Current password", mail: "Mail address", signIn: "Password", of: "of Anna 0" },
  },
  "de-DE": {
    ...{ setUp: "App einrichten", wrong: "Der Code ist falsch", codes: "Wiederherstellungscodes" },
    ...{ kept: "Ich habe sie aufbewahrt", left: "10 Wiederherstellungscodes sind übrig.", second: "Zweiter Schritt" },
    ...{ fresh: "Neue Wiederherstellungscodes", code: "Code", password: "Aktuelles Passwort" },
    ...{ mail: "E-Mail-Adresse", signIn: "Passwort", of: "von Anna 1" },
  },
} as const;

inBrowser("a second factor that the operator asks for", requiredSecondFactor);

function requiredSecondFactor(): void {
  const flags = [...provider.flags, "--oidc-groups", "admins=owner", "--sessions-second-factor", "owner"];
  const busbar = useServer(["--http-page", "--port", `${port}`, ...flags], {
    env: { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, ...provider.env },
  });
  const world = useWorld(busbar);
  beforeAll(async () => {
    for (const [index] of LOCALES.entries()) {
      const [name, mail] = [`Anna ${index}`, `anna${index}@example.org`];
      await busbar.admin.post("/v3/accounts", { name, mail, level: "owner", password: PASSWORD });
      const claims = { name: `Ben ${index}`, email: `ben${index}@example.org`, email_verified: true };
      await provider.person(`ben${index}`, { ...claims, groups: ["admins"] });
    }
  });
  afterAll(() => provider.stop());

  async function visit(locale: (typeof LOCALES)[number]): Promise<Visitor> {
    const visitor = await world.visit({ width: 360, locale, bypassCSP: true });
    await visitor.page.route(/fonts\.googleapis/, (route) => route.fulfill({ contentType: "text/css", body: "" }));
    return visitor;
  }

  /** Without what the browser complained about at the provider's own pages, and that this server has a name here. */
  const look = createFindings();
  async function findingsOf(visitor: Visitor): Promise<readonly unknown[]> {
    const isOthers = (one: unknown) =>
      typeof one === "string" && [provider.issuer, ADDRESS, "fonts.googleapis"].some((part) => one.includes(part));
    return (await look(visitor)).filter((one) => !isOthers(one));
  }

  /** The app is set up, by keyboard; returns its secret. */
  async function setUp(visitor: Visitor, locale: (typeof LOCALES)[number]): Promise<string> {
    const { page } = visitor;
    const words = WORDS[locale];
    await page.getByRole("heading", { name: words.setUp }).waitFor();
    expect(await findingsOf(visitor)).toEqual([]);
    const secret = (await textOf(page.locator("code"))).replaceAll(" ", "");
    // The field has the focus.
    await page.keyboard.type("000000");
    await page.keyboard.press("Enter");
    await page.getByText(words.wrong).waitFor();
    await page.keyboard.type(appCode(secret));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: words.codes }).waitFor();
    expect(await findingsOf(visitor)).toEqual([]);
    const items = page.getByRole("listitem");
    expect(await readAfter(items, () => items.allTextContents())).toHaveLength(10);
    await page.getByRole("button", { name: words.kept }).press("Enter");
    await page.getByText(words.left).waitFor();
    return secret;
  }

  test.each(LOCALES)(
    "with the password: an app, its recovery codes, then the screen that was asked for; and a token of that person (%s)",
    async (locale) => {
      const words = WORDS[locale];
      const visitor = await visit(locale);
      const { page } = visitor;
      const password = async () => {
        await page.goto(`${ADDRESS}/access/account`);
        await page.getByLabel(words.mail).fill(`anna${LOCALES.indexOf(locale)}@example.org`);
        await page.getByLabel(words.signIn).fill(PASSWORD);
        await page.keyboard.press("Enter");
      };
      await password();
      const secret = await setUp(visitor, locale);
      await page.context().clearCookies();
      await password();
      await page.getByRole("heading", { name: words.second }).waitFor();
      await page.keyboard.type(appCode(secret, 1));
      await page.keyboard.press("Enter");
      await page.getByText(words.left).waitFor();
      // What the person makes has the person's name.
      const token = JSON.stringify({ name: `laptop ${locale}`, level: "readonly" });
      const headers = '{ "Content-Type": "application/json" }';
      await page.evaluate(`fetch("/v3/tokens", { method: "POST", headers: ${headers}, body: '${token}' })`);
      await page.goto(`${ADDRESS}/access`);
      await page.getByText(words.of, { exact: true }).waitFor();
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test.each(LOCALES)(
    "by the provider: the same, and the person looks after the app without a password (%s)",
    async (locale) => {
      const words = WORDS[locale];
      const visitor = await visit(locale);
      const { page } = visitor;
      await page.goto(`${ADDRESS}/access/account`);
      await page.click("button[name=with-provider]");
      await page.waitForURL((url) => url.origin === provider.issuer);
      await page.fill("input[name=login]", `ben${LOCALES.indexOf(locale)}`);
      await page.fill("input[name=password]", "any");
      await page.click("button[type=submit]");
      const secret = await setUp(visitor, locale);
      await page.getByRole("button", { name: words.fresh }).press("Enter");
      const dialog = page.getByRole("dialog");
      const code = dialog.getByLabel(words.code, { exact: true });
      await code.fill(appCode(secret, 1));
      await lacks(dialog.getByLabel(words.password), code);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: words.codes, exact: true }).waitFor();
      expect(await findingsOf(visitor)).toEqual([]);
      await page.getByRole("button", { name: words.kept }).press("Enter");
      await visitor.close();
    },
    4 * PATIENCE,
  );
}
