// Tokens, sessions and the audit log, as somebody uses them who runs a site.
import { beforeAll, expect, test } from "vitest";
import type { Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { lacks, textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;

inBrowser("access", access);

function access(): void {
  const busbar = useServer(["--http-page"]);
  const world = useWorld(busbar);

  beforeAll(async () => {
    await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Yard" });
  });

  test(
    "a token is made, works, is revoked and no longer works; the audit log says all of it with names",
    async () => {
      const visitor = await world.signedIn();
      const { page } = visitor;
      await visitor.go("/access");
      await page.getByRole("button", { name: "New token" }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Create the token" }).click();
      await dialog.getByText("The token needs a name.").waitFor();
      await dialog.getByLabel("Name").fill("Dashboard");
      await dialog.getByLabel("Level").selectOption("user");
      await dialog.getByRole("radio", { name: "Only some sites" }).check();
      await dialog.getByRole("checkbox", { name: "Yard" }).check();
      await dialog.getByRole("button", { name: "Create the token" }).click();
      await dialog.getByText("The token is shown only once. Copy it now.").waitFor();
      const secret = await textOf(dialog.locator("code").first());
      await dialog.getByRole("button", { name: "I have copied it" }).click();
      await dialog.waitFor({ state: "detached" });
      await lacks(page.getByText(secret), page.getByRole("row", { name: /Dashboard/ }));

      const program = busbar.as(secret);
      expect((await program.get<{ total_count: number }>("/v3/sites")).body.total_count).toBe(1);
      expect((await program.post("/v3/tokens", { name: "More", level: "user" })).status).toBe(403);

      const row = page.getByRole("row", { name: /Dashboard/ });
      await expect.poll(() => row.textContent()).toMatch(/user\s*Yard/);
      await row.getByRole("button", { name: "Revoke Dashboard" }).click();
      const question = page.getByRole("dialog", { name: "Revoke Dashboard?" });
      await question.getByRole("button", { name: "Revoke" }).click();
      await page.getByText("Dashboard was revoked.").waitFor();
      await row.waitFor({ state: "detached" });
      expect((await program.get("/v3/sites")).status).toBe(401);
      await page.getByText("All", { exact: true }).click();
      await page.getByRole("row", { name: /Dashboard.*revoked/ }).waitFor();
      await page.waitForURL(/show=all/);

      await page.getByRole("link", { name: "Audit log" }).click();
      await page.getByRole("row", { name: /Revoke a token.*Dashboard.*done/ }).waitFor();
      await page.getByRole("row", { name: /Create a token.*Dashboard.*done/ }).waitFor();
      await page.getByText("refused", { exact: true }).first().click();
      await page.waitForURL(/outcome\.in=REFUSED/);
      await page.getByRole("row", { name: /Dashboard.*Create a token.*refused/ }).waitFor();
      await page.getByRole("row", { name: /Revoke a token/ }).waitFor({ state: "detached" });
      // The address alone shows the same.
      await page.reload();
      await page.getByRole("row", { name: /Dashboard.*Create a token.*refused/ }).waitFor();
      // Who, and how: an owner without a name is found by the name of the token.
      await page.getByText("refused", { exact: true }).first().click();
      await page.getByLabel("Who").selectOption({ label: "Dashboard" });
      await page.waitForURL(/actor\.in=/);
      await page.getByRole("row", { name: /Revoke a token.*Dashboard.*done/ }).waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Dashboard.*with a token.*Create a token.*refused/ }).waitFor();
      await page.getByLabel("How").selectOption("in the page");
      await page.waitForURL(/door\.in=page/);
      await page.getByText("No change or refusal matches the filters.").waitFor();
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await page.getByRole("row", { name: /in the page.*Revoke a token.*Dashboard.*done/ }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "another session is ended from here, and signing out everywhere ends this one",
    async () => {
      const token = await busbar.token({ level: "owner" });
      const visitor = await world.signedIn({}, token);
      const other = await world.signedIn({}, token);
      await other.go("/access");
      const { page } = visitor;
      await visitor.go("/access/sessions");
      const rows = page.locator("tbody tr");
      await expect.poll(() => rows.count()).toBe(2);
      await expect.poll(() => rows.first().textContent()).toContain("this one");
      await rows.nth(1).getByRole("button").click();
      await page.getByRole("dialog", { name: "End this session?" }).getByRole("button", { name: "End" }).click();
      await page.getByText("The session was ended.").waitFor();
      await expect.poll(() => rows.count()).toBe(1);
      await other.page.reload();
      await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
      await other.close();

      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page
        .getByRole("dialog", { name: "Sign out everywhere?" })
        .getByRole("button", { name: "Sign out everywhere" })
        .click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    },
    LONG,
  );

  test(
    "a level that is too low sees why, and what its level may do",
    async () => {
      const visitor = await world.signedIn({}, await busbar.token({ level: "user" }));
      const { page } = visitor;
      await visitor.go("/access");
      await page.getByText("Needs access level owner; yours is user.").waitFor();
      await page.getByText("What each level may do").waitFor();
      await visitor.go("/access/sessions");
      await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
      await visitor.close();
    },
    LONG,
  );
}
