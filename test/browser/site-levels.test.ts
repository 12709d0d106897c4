// A person with another level at each site: how an owner says so, and what the page offers at each of the sites; at a phone, by keyboard,
// in both languages.
import { beforeAll, expect, test } from "vitest";
import type { Account, Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { lacks } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
const PASSWORD = "four plain small words";

inBrowser("levels of single sites", siteLevels);

function siteLevels(): void {
  const busbar = useServer(["--http-page"]);
  const world = useWorld(busbar);
  let north: string;
  let south: string;

  const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
  beforeAll(async () => {
    north = await newSite("North");
    south = await newSite("South");
  });

  async function add(name: string, access: object): Promise<Account> {
    const body = { name, mail: `${name}@example.org`, password: PASSWORD, language: "en", ...access };
    const answer = await busbar.admin.post<{ account: Account }>("/v3/accounts", body);
    expect(answer.errors).toEqual([]);
    return answer.body.account;
  }
  const accountOf = async ({ id }: Account) =>
    (await busbar.admin.get<{ account: Account }>(`/v3/accounts/${id}`)).body.account;

  async function enter({ mail }: Account, path: string, width = 1440) {
    const visitor = await world.visit({ width, bypassCSP: true });
    const { page } = visitor;
    await page.goto(busbar.url + path);
    await page.getByLabel("Mail address").fill(mail);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.waitForSelector("nav", { state: "attached" });
    return visitor;
  }

  test.each(["en", "de"])(
    "an owner gives a person more at a single site by keyboard, at a phone, and takes it back (%s)",
    async (locale) => {
      const words = {
        en: {
          more: "Choose a level there",
          at: "Level at South",
          end: "No more at South than elsewhere",
          save: "Save",
        },
        de: {
          more: "Stufe dort wählen",
          at: "Stufe an South",
          end: "An South nicht mehr als sonst",
          save: "Speichern",
        },
      }[locale as "en" | "de"];
      const person = await add(`carl-${locale}`, { level: "readonly", site_ids: [north, south] });
      const look = createFindings();
      const visitor = await world.signedIn({ width: 360, bypassCSP: true, locale });
      const { page } = visitor;
      await visitor.go(`/access/people?change=${person.id}`);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(locale === "en" ? "Another site" : "Weiterer Standort").selectOption("South");
      await dialog.getByRole("button", { name: words.more }).focus();
      await page.keyboard.press("Enter");
      await dialog.getByLabel(words.at).selectOption("owner");
      expect(await look(visitor)).toEqual([]);
      await dialog.getByRole("button", { name: words.save }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("South: owner").waitFor();
      expect(await accountOf(person)).toMatchObject({
        level: "readonly",
        site_levels: [{ site_id: south, level: "owner" }],
      });

      await visitor.move(`/access/people?change=${person.id}`);
      await dialog.getByRole("button", { name: words.end }).focus();
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: words.save }).click();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(async () => (await accountOf(person)).site_levels).toEqual([]);
      expect(await look(visitor)).toEqual([]);
      await busbar.admin.delete(`/v3/accounts/${person.id}`);
      await visitor.close();
    },
    LONG,
  );

  test(
    "an owner of one site, who reads another one, is offered at each what the level there permits",
    async () => {
      const mixed = { level: "readonly", site_ids: [north, south], site_levels: [{ site_id: north, level: "owner" }] };
      const visitor = await enter(await add("dora", mixed), `/sites/${north}/devices`);
      const { page } = visitor;
      await page.getByRole("link", { name: "Add a device" }).first().waitFor();
      await visitor.move(`/sites/${south}/devices`);
      const closed = page.locator("button[disabled]", { hasText: "Add a device" });
      await lacks(page.getByRole("link", { name: "Add a device" }), closed);
      await visitor.move(`/sites/${north}/devices`);
      await page.getByRole("link", { name: "Add a device" }).first().waitFor();

      // Where the screen is about no site: tokens and people of the site that is hers, and of no other one.
      await visitor.move("/access/people?new=true");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Emil");
      await dialog.getByLabel("Mail address").fill("emil@example.org");
      await dialog.getByLabel("Level").selectOption("owner");
      await lacks(dialog.getByRole("checkbox", { name: "South" }), dialog.getByRole("checkbox", { name: "North" }));
      await lacks(dialog.getByRole("radio"), dialog.getByRole("checkbox", { name: "North" }));
      await dialog.getByRole("checkbox", { name: "North" }).check();
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByText("Emil was added.").waitFor();
      await visitor.move("/access/account");
      await page.getByText("North: owner").waitFor();
      // What is about all sites is not hers.
      await visitor.move("/system");
      await page.getByText("You need a token for all sites").waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
