// A person lets a program in a terminal in: at a phone, by keyboard, in both languages.
import { expect, test } from "vitest";
import type { Account } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";

const LONG = 4 * PATIENCE;
const PASSWORD = "four plain small words";
const WORDS = {
  "en-GB": {
    code: "Code",
    unknown: "No program waits with this code",
    here: "from the same address",
    level: "Level",
    approve: "Let it in",
    deny: "Refuse",
    approved: "The program was let in",
    denied: "The program was refused",
    revoke: "Revoke",
    none: "You have no tokens",
  },
  "de-DE": {
    code: "Code",
    unknown: "Kein Programm wartet mit diesem Code",
    here: "von derselben Adresse",
    level: "Stufe",
    approve: "Einlassen",
    deny: "Ablehnen",
    approved: "Das Programm wurde eingelassen",
    denied: "Das Programm wurde abgelehnt",
    revoke: "Widerrufen",
    none: "Sie haben keine Tokens",
  },
} as const;

inBrowser("programs in terminals", terminal);

function terminal(): void {
  const busbar = useServer(["--http-page", "--http-wrong-token-limit", "1000"]);
  const world = useWorld(busbar);

  const begin = async () =>
    (
      await busbar.anonymous.post<{ user_code: string; device_code: string }>("/v3/terminal_sign_ins", {
        program: "busbar on laptop",
        level: "owner",
      })
    ).body;
  const poll = async (device_code: string) =>
    (
      await busbar.anonymous.post<{ state: string; token: string | null }>("/v3/terminal_sign_ins/token", {
        device_code,
      })
    ).body;

  test.each(["en-GB", "de-DE"] as const)(
    "a program is let in with what the person chose, another is refused, and the token ends in the page (%s)",
    async (locale) => {
      const words = WORDS[locale];
      const mail = `anna.${locale}@example.org`;
      const person = { name: "Anna", mail, level: "user", password: PASSWORD };
      await busbar.admin.post<{ account: Account }>("/v3/accounts", person);
      const look = createFindings();
      const visitor = await world.visit({ width: 360, locale, bypassCSP: true });
      const { page } = visitor;
      await page.goto(`${busbar.url}/terminal`);
      await page.locator("input[name=mail]").fill(mail);
      await page.locator("input[name=password]").fill(PASSWORD);
      await page.keyboard.press("Enter");
      const code = page.getByLabel(words.code);
      await code.waitFor();
      expect(await look(visitor)).toEqual([]);
      const begun = await begin();
      await code.fill(begun.user_code.toLowerCase());
      await page.keyboard.press("Enter");
      await page.getByText("busbar on laptop").waitFor();
      await page.getByText(words.here).waitFor();
      // No more than the person has.
      const level = page.getByLabel(words.level);
      await expect.poll(() => level.locator("option").allTextContents()).toEqual(["readonly", "user"]);
      expect(await look(visitor)).toEqual([]);
      await level.selectOption("readonly");
      await page.getByRole("button", { name: words.approve }).press("Enter");
      await page.getByText(words.approved).waitFor();
      const { state, token } = await poll(begun.device_code);
      expect(state).toBe("APPROVED");
      const program = busbar.as(token ?? "");
      expect((await program.get<{ token: object }>("/v3/tokens/current")).body.token).toMatchObject({
        level: "readonly",
      });

      const other = await begin();
      await code.fill(other.user_code);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: words.deny }).press("Enter");
      await page.getByText(words.denied).waitFor();
      expect(await poll(other.device_code)).toMatchObject({ state: "DENIED", token: null });
      await code.fill("BBBB-BBBB");
      await page.keyboard.press("Enter");
      await page.getByText(words.unknown).waitFor();

      await page.goto(`${busbar.url}/access/account`);
      await page.getByText("busbar on laptop").waitFor();
      await page.getByRole("button", { name: /busbar on laptop/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: words.revoke }).click();
      await page.getByText(words.none).waitFor();
      expect((await program.get("/v3/sites")).status).toBe(401);
      await visitor.close();
    },
    LONG,
  );
}
