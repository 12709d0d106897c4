// Name, time zone and place of a site: what is wrong is said at its field, and what is saved is what was typed. On a phone, in both
// languages.
import { expect, test } from "vitest";
import type { Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";

const WORDS = {
  en: {
    settings: "Site settings",
    name: "Name of the site",
    noName: "Give the site a name.",
    zone: "Time zone",
    noZone: "There is no such time zone. Choose one from the list.",
    place: "Place",
    latitude: "Latitude",
    wrongLatitude: "Give a number from −90 to 90, and a longitude with it.",
    longitude: "Longitude",
    save: "Save",
    saved: "Name, time zone and place of the site are saved.",
  },
  de: {
    settings: "Standort einstellen",
    name: "Name des Standorts",
    noName: "Geben Sie dem Standort einen Namen.",
    zone: "Zeitzone",
    noZone: "Diese Zeitzone gibt es nicht. Wählen Sie eine aus der Liste.",
    place: "Ort",
    latitude: "Breitengrad",
    wrongLatitude: "Geben Sie eine Zahl von −90 bis 90 an, und dazu einen Längengrad.",
    longitude: "Längengrad",
    save: "Speichern",
    saved: "Name, Zeitzone und Ort des Standorts sind gespeichert.",
  },
} as const;

inBrowser("settings of a site", siteSettings);

function siteSettings(): void {
  const busbar = useServer(["--http-page"]);
  const world = useWorld(busbar);
  const findings = createFindings();

  test.each(["en", "de"] as const)(
    "an owner corrects what is wrong, saves it, and finds it on the page (%s)",
    async (language) => {
      const words = WORDS[language];
      const { id } = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Plant" })).body.site;
      const visitor = await world.signedIn({ width: 360, locale: language, bypassCSP: true });
      const { page } = visitor;
      await visitor.go(`/sites/${id}`);
      await page.getByRole("button", { name: words.settings }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(words.name).fill(" ");
      await dialog.getByLabel(words.zone).fill("Europe/Nowhere");
      await dialog.getByLabel(words.latitude).fill("120");
      await dialog.getByRole("button", { name: words.save }).click();
      for (const problem of [words.noName, words.noZone, words.wrongLatitude])
        await dialog.getByText(problem).waitFor();
      expect(await findings(visitor)).toEqual([]);

      await dialog.getByLabel(words.name).fill("North plant");
      await dialog.getByLabel(words.zone).fill("Europe/Berlin");
      await dialog.getByLabel(words.place, { exact: true }).fill("Kiel");
      await dialog.getByLabel(words.latitude).fill("54.3");
      await dialog.getByLabel(words.longitude).fill("10.1");
      await dialog.getByRole("button", { name: words.save }).click();
      await page.getByText(words.saved).waitFor();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "North plant" }).waitFor();
      const location = { name: "Kiel", latitude: 54.3, longitude: 10.1 };
      expect((await busbar.admin.get<{ site: Site }>(`/v3/sites/${id}`)).body.site).toMatchObject({
        name: "North plant",
        timezone: "Europe/Berlin",
        location,
      });
      await visitor.close();
    },
    4 * PATIENCE,
  );
}
