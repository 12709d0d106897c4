// People: added by an owner, signing in with mail address and password, looking after their own account; at a desk, on a phone, by
// keyboard, in both languages.
import { beforeAll, expect, test } from "vitest";
import type { Account, Site } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, newLink, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { LANGUAGES } from "./support/looks.ts";
import { lacks, readAfter, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
const PASSWORD = "four plain small words";

inBrowser("people", people);

function people(): void {
  const busbar = useServer(["--http-page", "--http-wrong-token-limit", "1000"]);
  const world = useWorld(busbar);
  const add = async (more: object) =>
    (await busbar.admin.post<{ account: Account }>("/v3/accounts", { level: "user", password: PASSWORD, ...more })).body
      .account;

  beforeAll(async () => {
    await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Yard" });
  });

  test(
    "the link of the first start offers an account, which can be skipped, and which then takes the place of the token",
    async () => {
      const visitor = await world.visit({ width: 360, bypassCSP: true });
      const look = createFindings();
      const { page } = visitor;
      await page.goto(`${await newLink(busbar)}&first`);
      await page.getByRole("heading", { name: "Make it your account" }).waitFor();
      expect(page.url()).not.toContain("code=");
      expect(await look(visitor)).toEqual([]);
      await page.getByRole("button", { name: "Not now" }).click();
      await page.waitForSelector("nav", { state: "attached" });
      await page.goto("about:blank");
      await page.goto(`${await newLink(busbar)}&first`);
      await page.getByLabel("Your name").fill("Greta");
      await page.keyboard.press("Tab");
      await page.keyboard.type("nobody");
      await page.keyboard.press("Tab");
      await page.keyboard.type("short");
      await page.keyboard.press("Tab");
      await page.keyboard.type("other");
      await page.keyboard.press("Enter");
      for (const text of [
        "This is no mail address.",
        "not one that everybody tries first",
        "The two passwords differ.",
      ])
        await page.getByText(text).waitFor();
      await page.getByLabel("Mail address").fill("greta@example.org");
      await page.locator("input[name=new-password]").fill(PASSWORD);
      await page.locator("input[name=again]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.waitForSelector("nav", { state: "attached" });
      const session = await page.evaluate<string>(
        "fetch('/v3/sessions/current').then((answer) => answer.json()).then(({ session }) => [session.token_name, session.level].join(' '))",
      );
      expect(session).toBe("Greta installer");
      // There is somebody now: the next link offers nothing.
      await page.goto("about:blank");
      await page.context().clearCookies();
      await page.goto(`${await newLink(busbar)}&first`);
      await page.waitForSelector("nav", { state: "attached" });
      const [greta] = (await busbar.admin.get<{ accounts: Account[] }>("/v3/accounts")).body.accounts;
      await busbar.admin.delete(`/v3/accounts/${greta?.id}`);
      await visitor.close();
    },
    LONG,
  );

  test(
    "an owner adds a person, changes, suspends, lets in and deletes that person",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go("/access/people");
      await page.getByText("No people yet").waitFor();
      await page.getByRole("button", { name: "Add a person" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Anna");
      await dialog.getByLabel("Mail address").fill("nobody");
      await dialog.getByLabel("Password").fill("short");
      await dialog.getByRole("button", { name: "Add" }).click();
      await dialog.getByText("This is no mail address.").waitFor();
      await dialog.getByText("not one that everybody tries first").waitFor();
      await dialog.getByLabel("Mail address").fill("anna@example.org");
      await dialog.getByLabel("Password").fill(PASSWORD);
      await dialog.getByRole("radio", { name: "Only some sites" }).check();
      await dialog.getByRole("checkbox", { name: "Yard" }).check();
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByText("Anna was added.").waitFor();
      const row = page.getByRole("row", { name: /Anna/ });
      await expect.poll(() => row.textContent()).toMatch(/user.*anna@example\.org.*Yard.*active/s);

      await row.getByRole("button", { name: "Change Anna" }).click();
      await dialog.getByLabel("Level").selectOption("owner");
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText("Anna was changed.").waitFor();
      await page.getByRole("row", { name: /Anna.*owner/ }).waitFor();

      await row.getByRole("button", { name: "Suspend Anna" }).click();
      await page.getByRole("dialog", { name: "Suspend Anna?" }).getByRole("button", { name: "Suspend" }).click();
      await page.getByRole("row", { name: /Anna.*suspended/ }).waitFor();
      await row.getByRole("button", { name: "Let Anna in again" }).click();
      await page.getByRole("row", { name: /Anna.*active/ }).waitFor();
      await row.getByRole("button", { name: "Delete Anna" }).click();
      await page.getByRole("dialog", { name: "Delete Anna?" }).getByRole("button", { name: "Delete" }).click();
      await page.getByText("No people yet").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a person signs in by keyboard alone; a wrong password says so; the page then speaks the person's language",
    async () => {
      await add({ name: "Berta", mail: "berta@example.org", language: "de", time_format: "12h" });
      const visitor = await world.visit();
      const { page } = visitor;
      await page.goto(`${busbar.url}/access/account`);
      await page.getByLabel("Mail address").focus();
      await page.keyboard.type("berta@example.org");
      await page.keyboard.press("Tab");
      await page.keyboard.type("wrong wrong wrong");
      await page.keyboard.press("Enter");
      await page.getByText("The mail address or the password is wrong").waitFor();
      await page.getByLabel("Password").focus();
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Zugriff" }).waitFor();
      await page.getByText("Sie melden sich mit berta@example.org an").waitFor();
      await expect.poll(() => page.getByRole("table").textContent()).toMatch(/[ap]m/i);
      const kept = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, document.body.innerHTML])");
      expect(kept).not.toContain(PASSWORD);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a person changes name, language and password; the other browser is out, this one stays",
    async () => {
      const { id } = await add({ name: "Carl", mail: "carl@example.org" });
      const enter = async () => {
        const visitor = await world.visit();
        await visitor.page.goto(`${busbar.url}/access/account`);
        await visitor.page.getByLabel("Mail address").fill("carl@example.org");
        await visitor.page.getByLabel("Password").fill(PASSWORD);
        await visitor.page.getByRole("button", { name: "Sign in", exact: true }).click();
        await visitor.page.getByRole("heading", { name: "About you" }).waitFor();
        return visitor;
      };
      const [visitor, other] = [await enter(), await enter()];
      const { page } = visitor;
      await page.getByLabel("Name").fill("Carl C");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      expect((await busbar.admin.get<{ account: Account }>(`/v3/accounts/${id}`)).body.account.name).toBe("Carl C");

      await page.getByLabel("Current password").fill("wrong wrong wrong");
      await page.getByLabel("New password").fill("quite another one");
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.getByText("the current password is wrong").waitFor();
      await page.getByLabel("Current password").fill(PASSWORD);
      await page.getByRole("button", { name: "Change the password" }).click();
      await page.getByText("The password was changed.").waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "About you" }).waitFor();
      await other.page.reload();
      await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
      await page.getByLabel("Language").selectOption("de");
      await page.getByRole("heading", { name: "Über Sie" }).waitFor();
      await visitor.close();
      await other.close();
    },
    LONG,
  );

  test(
    "an owner invites a person, who chooses a password by the link, at a phone; the link leaves the address and works once",
    async () => {
      await add({ name: "Emil", mail: "emil@example.org", password: null });
      const owner = await world.signedIn();
      await owner.go("/access/people");
      await owner.page.getByRole("button", { name: "Invite Emil" }).click();
      const dialog = owner.page.getByRole("dialog", { name: "Invitation for Emil" });
      const link = await textOf(dialog.locator("code"), /\/sign-in#invitation=/);
      await owner.close();

      const look = createFindings();
      const visitor = await world.visit({ width: 360, bypassCSP: true });
      const { page } = visitor;
      await page.goto(link);
      await page.getByRole("heading", { name: "Choose your password" }).waitFor();
      expect(page.url()).not.toContain("invitation=");
      expect(await look(visitor)).toEqual([]);
      const fill = async (password: string, again: string) => {
        await page.locator("input[name=new-password]").fill(password);
        await page.locator("input[name=again]").fill(again);
        await page.keyboard.press("Enter");
      };
      await fill("short", "short");
      await page.getByText("not one that everybody tries first").waitFor();
      await fill(PASSWORD, "another one, not the same");
      await page.getByText("The two passwords differ.").waitFor();
      await fill(PASSWORD, PASSWORD);
      await page.waitForSelector("nav", { state: "attached" });
      await visitor.close();

      const late = await world.visit();
      await late.page.goto(link);
      await late.page.locator("input[name=new-password]").fill(PASSWORD);
      await late.page.locator("input[name=again]").fill(PASSWORD);
      await late.page.keyboard.press("Enter");
      await late.page.getByText("This invitation was used").waitFor();
      await late.page.getByRole("button", { name: "Not now" }).click();
      await late.page.getByRole("heading", { name: "Sign in" }).waitFor();
      await late.close();
    },
    LONG,
  );

  test(
    "a person sets up an app by its QR code, signs in with a code, then with a recovery code, by keyboard, and switches it off",
    async () => {
      const { id } = await add({ name: "Frida", mail: "frida@example.org" });
      const visitor = await world.visit({ width: 360, bypassCSP: true });
      const look = createFindings();
      const { page } = visitor;
      const password = async () => {
        await page.getByLabel("Mail address").fill("frida@example.org");
        await page.getByLabel("Password").fill(PASSWORD);
        await page.keyboard.press("Enter");
      };
      const again = async () => {
        await page.context().clearCookies();
        await page.goto(`${busbar.url}/access/account`);
        await password();
        await page.getByRole("heading", { name: "Second step" }).waitFor();
      };
      await page.goto(`${busbar.url}/access/account`);
      await password();
      await page.getByRole("button", { name: "Set up an app" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Current password").fill("wrong wrong wrong");
      await page.keyboard.press("Enter");
      await dialog.getByText("the current password is wrong").waitFor();
      await dialog.getByLabel("Current password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await dialog.getByRole("img", { name: "QR code with the secret for the app" }).waitFor();
      expect(await look(visitor)).toEqual([]);
      const secret = (await textOf(dialog.locator("code"))).replaceAll(" ", "");
      const code = dialog.getByLabel("Code", { exact: true });
      await code.fill("12");
      await page.keyboard.press("Enter");
      await dialog.getByText("the code is wrong").waitFor();
      await code.fill(appCode(secret));
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Recovery codes", exact: true }).waitFor();
      expect(await look(visitor)).toEqual([]);
      const items = page.getByRole("dialog").getByRole("listitem");
      const codes = await readAfter(items, () => items.allTextContents());
      expect(codes).toHaveLength(10);
      await page.getByRole("button", { name: "I have kept them" }).click();
      await page.getByText("10 recovery codes are left.").waitFor();

      await again();
      expect(await look(visitor)).toEqual([]);
      await page.getByLabel("Code").fill("000000");
      await page.keyboard.press("Enter");
      await page.getByText("The code is wrong, was used before").waitFor();
      await page.getByLabel("Code").fill(appCode(secret, 1));
      await page.keyboard.press("Enter");
      await page.getByText("10 recovery codes are left.").waitFor();
      await again();
      await page.keyboard.type(codes[0] ?? "");
      await page.keyboard.press("Enter");
      await page.getByText("9 recovery codes are left.").waitFor();

      await page.getByRole("button", { name: "New recovery codes" }).click();
      await dialog.getByLabel("Current password").fill(PASSWORD);
      await dialog.getByLabel("Code").fill(codes[1] ?? "");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Recovery codes", exact: true }).waitFor();
      const fresh = await readAfter(items, () => items.allTextContents());
      await page.getByRole("button", { name: "I have kept them" }).click();
      await page.getByText("10 recovery codes are left.").waitFor();
      await page.getByRole("button", { name: "Switch off" }).click();
      await dialog.getByLabel("Current password").fill(PASSWORD);
      await dialog.getByLabel("Code").fill(fresh[0] ?? "");
      await page.keyboard.press("Enter");
      await page.getByText("The second factor is switched off.").waitFor();
      await page.getByRole("button", { name: "Set up an app" }).waitFor();
      expect((await busbar.admin.get<{ account: Account }>(`/v3/accounts/${id}`)).body.account.has_second_factor).toBe(
        false,
      );
      await visitor.close();
    },
    2 * LONG,
  );

  test(
    "a person adds a passkey, signs in with it alone, names and deletes it; at an address of digits the page says why not",
    async () => {
      await add({ name: "Hanna", mail: "hanna@example.org" });
      const visitor = await world.visit({ width: 360, bypassCSP: true });
      const look = createFindings();
      const { page } = visitor;
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("WebAuthn.enable");
      await devtools.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
          ...{ isUserVerified: true, automaticPresenceSimulation: true },
        },
      });
      const signIn = async () => {
        await page.getByLabel("Mail address").fill("hanna@example.org");
        await page.getByLabel("Password").fill(PASSWORD);
        await page.keyboard.press("Enter");
      };
      await page.goto(`${busbar.url}/access/account`);
      await signIn();
      const reason = page.getByText("the page was opened by an address of digits");
      await lacks(page.getByRole("button", { name: "Add a passkey" }), reason);

      const named = busbar.url.replace("127.0.0.1", "localhost");
      // The page is asked for by that name here, which is no other server.
      const found = async () =>
        (await look(visitor)).filter((one) => !String(one).startsWith(`asked elsewhere: ${named}/`));
      await page.goto(`${named}/access/account`);
      await signIn();
      await page.getByRole("button", { name: "Add a passkey" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("What you call it").fill("Phone");
      await dialog.getByLabel("Current password").fill("wrong wrong wrong");
      await page.keyboard.press("Enter");
      await dialog.getByText("the current password is wrong").waitFor();
      expect(await found()).toEqual([]);
      await dialog.getByLabel("Current password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByText("Phone was added.").waitFor();
      expect(await found()).toEqual([]);

      const withKey = async () => {
        await page.context().clearCookies();
        await page.goto(`${named}/access/account`);
        await page.getByRole("button", { name: "Sign in with a passkey" }).focus();
        await page.keyboard.press("Enter");
      };
      await withKey();
      await page.getByRole("button", { name: "Rename Phone" }).click();
      await dialog.getByLabel("What you call it").fill("Laptop");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Delete Laptop" }).click();
      await page.getByRole("dialog", { name: "Delete Laptop?" }).getByRole("button", { name: "Delete" }).click();
      await page.getByText("Laptop was deleted.").waitFor();
      await withKey();
      await page.getByText("This passkey is not known here any more.").waitFor();
      expect(await found()).toEqual([]);
      await visitor.close();
    },
    2 * LONG,
  );

  test.each(LANGUAGES)(
    "the forms of a person fit a phone, and axe finds nothing (%s)",
    async (locale) => {
      const mail = `dora.${locale}@example.org`;
      await add({ name: "Dora", mail });
      const look = createFindings();
      const visitor = await world.visit({ width: 360, locale, bypassCSP: true });
      const { page } = visitor;
      await page.goto(`${busbar.url}/access/account`);
      await page.locator("input[name=mail]").waitFor();
      expect(await look(visitor)).toEqual([]);
      await page.locator("input[name=mail]").fill(mail);
      await page.locator("input[name=password]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.locator("input[autocomplete=name]").waitFor();
      expect(await look(visitor)).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
