// People link the account that they have to a real OpenID provider, and end that again; on a phone, by keyboard, in both languages.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Account } from "#client/resources.ts";
import { freePort } from "../support/free-port.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld, type Visitor } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { lacks } from "./support/seen.ts";

const port = await freePort();
const ADDRESS = `http://localhost:${port}`;
const provider = await startIdentityProvider(ADDRESS);
const PASSWORD = "four plain small words";

const WORDS = {
  "en-US": {
    link: "Link to Example Works",
    password: "Current password",
    linked: "Your account is linked to Example Works.",
    unlink: "End the link",
    ended: "The link has ended.",
    useProvider: "Your account is linked to a provider.",
  },
  "de-DE": {
    link: "Mit Example Works verknüpfen",
    password: "Jetziges Passwort",
    linked: "Ihr Konto ist mit Example Works verknüpft.",
    unlink: "Verknüpfung aufheben",
    ended: "Die Verknüpfung ist aufgehoben.",
    useProvider: "Ihr Konto ist mit einem Anbieter verknüpft.",
  },
} as const;

inBrowser("linking an account to a provider", linkToProvider);

function linkToProvider(): void {
  const flags = ["--http-page", "--port", `${port}`, ...provider.flags, "--oidc-groups", "operators=user"];
  const busbar = useServer(flags, { env: { BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN, ...provider.env } });
  const world = useWorld(busbar);
  let last = 0;
  beforeAll(async () => {
    await busbar.admin.post("/v3/sites", { name: "Yard" });
  });
  afterAll(() => provider.stop());

  /** Without the font that the provider's own pages fetch from elsewhere. */
  async function visit(look: Parameters<typeof world.visit>[0] = {}): Promise<Visitor> {
    const visitor = await world.visit(look);
    await visitor.page.route(/fonts\.googleapis/, (route) => route.fulfill({ contentType: "text/css", body: "" }));
    return visitor;
  }

  async function newPerson(groups: readonly string[]): Promise<Account & { readonly subject: string }> {
    const subject = `anna${++last}`;
    const mail = `${subject}@example.org`;
    await provider.person(subject, { name: "Anna", email: mail, email_verified: true, groups });
    const input = { name: `Anna ${last}`, mail, level: "owner", password: PASSWORD };
    const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", input)).body;
    return { ...account, subject };
  }

  /** Signs in by the password, at the address of a screen. */
  async function enter({ page }: Visitor, mail: string): Promise<void> {
    await page.goto(`${ADDRESS}/access/account`);
    await page.fill("input[name=mail]", mail);
    await page.fill("input[name=password]", PASSWORD);
    await page.keyboard.press("Enter");
  }

  async function typeAtProvider({ page }: Visitor, name: string): Promise<void> {
    await page.waitForURL((url) => url.origin === provider.issuer);
    await page.fill("input[name=login]", name);
    await page.fill("input[name=password]", "any");
    await page.click("button[type=submit]");
  }

  test.each(["en-US", "de-DE"] as const)(
    "there and back on a phone by keyboard (%s); meanwhile the password lets nobody in",
    async (locale) => {
      const words = WORDS[locale];
      const anna = await newPerson(["operators"]);
      const visitor = await visit({ width: 360, locale, bypassCSP: true });
      const findings = createFindings();
      // To the helper, this address of the server is another one than that of the first visit.
      const look = async (one: Visitor) => (await findings(one)).filter((text) => !`${text}`.includes(ADDRESS));
      const { page } = visitor;
      await enter(visitor, anna.mail);
      await page.getByRole("button", { name: words.link }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.locator("input[type=password]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await typeAtProvider(visitor, anna.subject);
      await page.getByText(words.linked).waitFor();
      expect(page.url()).toBe(`${ADDRESS}/access/account`);
      visitor.complaints.splice(0);
      expect(await look(visitor)).toEqual([]);
      const other = await visit({ locale });
      await enter(other, anna.mail);
      await other.page.getByText(words.useProvider).waitFor();
      await other.close();
      await page.getByRole("button", { name: words.unlink }).click();
      expect(await look(visitor)).toEqual([]);
      await dialog.locator("input[type=password]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByText(words.ended).waitFor();
      await page.getByRole("button", { name: words.link }).waitFor();
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test(
    "whose groups give nothing reads why on the own account, and stays signed in",
    async () => {
      const anna = await newPerson(["chess"]);
      const visitor = await visit();
      const { page } = visitor;
      await enter(visitor, anna.mail);
      await page.getByRole("button", { name: WORDS["en-US"].link }).click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("input[type=password]").fill("wrong");
      await page.keyboard.press("Enter");
      await dialog.getByText("the current password is wrong").waitFor();
      await dialog.locator("input[type=password]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await typeAtProvider(visitor, anna.subject);
      await page.getByRole("alert").filter({ hasText: "None of your groups at Example Works" }).waitFor();
      expect(page.url()).toBe(`${ADDRESS}/access/account`);
      await page.getByRole("button", { name: WORDS["en-US"].link }).waitFor();
      await visitor.close();
    },
    4 * PATIENCE,
  );

  test(
    "an installer sees who is linked, and ends the link of a person",
    async () => {
      const anna = await newPerson(["operators"]);
      const own = await visit();
      await enter(own, anna.mail);
      await own.page.getByRole("button", { name: WORDS["en-US"].link }).click();
      await own.page.getByRole("dialog").locator("input[type=password]").fill(PASSWORD);
      await own.page.keyboard.press("Enter");
      await typeAtProvider(own, anna.subject);
      await own.page.getByText(WORDS["en-US"].linked).waitFor();
      await own.close();
      const visitor = await world.signedIn();
      await visitor.go("/access/people");
      const row = visitor.page.getByRole("row").filter({ hasText: anna.name });
      await row.getByText("by a provider").waitFor();
      await row.getByRole("button", { name: `End the link of ${anna.name}` }).click();
      await visitor.page.getByRole("dialog").getByRole("button", { name: "End the link" }).click();
      await visitor.page.getByText(`${anna.name} is no longer linked to the provider.`).waitFor();
      await row.getByText("active").waitFor();
      await lacks(row.getByText("by a provider"), row.getByText("active"));
      await visitor.close();
    },
    4 * PATIENCE,
  );
}
