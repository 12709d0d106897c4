// People of a cloud and people of a gateway: each page says whose they are, and somebody of the cloud gets into the gateway's page.
import { beforeAll, expect, test, vi } from "vitest";
import type { Device, Gateway, Token } from "#client/resources.ts";
import { useServer } from "../support/server.ts";
import { inBrowser, PATIENCE, useWorld } from "./support/browse.ts";
import { createFindings } from "./support/findings.ts";
import { textOf } from "./support/seen.ts";

const LONG = 4 * PATIENCE;
const PASSWORD = "four plain small words";

inBrowser("people of a cloud and of a gateway", cloudPeople);

function cloudPeople(): void {
  const cloud = useServer(["--role", "cloud", "--mqtt-port", "off", "--http-page"]);
  const gateway = useServer(["--mqtt-port", "off", "--http-page"]);
  const inCloud = useWorld(cloud);
  const atGateway = useWorld(gateway);
  let gatewayId: string;

  beforeAll(async () => {
    expect((await gateway.admin.post("/v3/sites", { name: "Barn" })).errors).toEqual([]);
    const { code } = (await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "North" })).body;
    const joined = await gateway.admin.post("/v3/uplink", { url: cloud.url, code });
    expect(joined.status, joined.text).toBe(200);
    const person = { level: "installer", password: PASSWORD };
    const some = [
      [cloud, { name: "Clara", mail: "clara@example.org", ...person }],
      [gateway, { name: "Gerd", mail: "gerd@example.org", ...person }],
    ] as const;
    for (const [server, body] of some) expect((await server.admin.post("/v3/accounts", body)).errors).toEqual([]);
    const tokens = async () => (await gateway.admin.get<{ tokens: Token[] }>("/v3/tokens")).body.tokens;
    const isKnown = async () => (await tokens()).some(({ name }) => name === "Clara");
    await vi.waitUntil(isKnown, { timeout: LONG });
    const list = async () => (await cloud.admin.get<{ gateways: Gateway[] }>("/v3/gateways")).body.gateways[0];
    const reported = await vi.waitUntil(
      async () => {
        const one = await list();
        return one !== undefined && one.site_ids.length > 0 && one;
      },
      { timeout: LONG },
    );
    gatewayId = reported.id;
  }, LONG);

  test.each(["en", "de"])(
    "the page of a gateway shows its own people and those of the cloud apart, at a phone (%s)",
    async (locale) => {
      const look = createFindings();
      const visitor = await atGateway.signedIn({ width: 360, bypassCSP: true, locale });
      const { page } = visitor;
      await visitor.go("/access/people");
      const of = (name: string) => page.getByRole("table", { name, exact: true });
      await of(locale === "en" ? "People of the cloud" : "Personen der Cloud")
        .getByText("Clara")
        .waitFor();
      await of(locale === "en" ? "People" : "Personen")
        .getByText("Gerd", { exact: true })
        .waitFor();
      expect(await look(visitor)).toEqual([]);
      await visitor.move("/access");
      await page.getByText(locale === "en" ? "person of the cloud" : "Person der Cloud", { exact: true }).waitFor();
      await visitor.close();
    },
    LONG,
  );

  test(
    "somebody of the cloud gets a link in the page of the cloud, which signs in to the page of the gateway",
    async () => {
      const look = createFindings();
      const visitor = await inCloud.visit({ bypassCSP: true });
      const { page } = visitor;
      await page.goto(`${cloud.url}/system/gateways/${gatewayId}`);
      await page.getByLabel("Mail address").fill("clara@example.org");
      await page.getByLabel("Password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Sign in there" }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "Sign in at North" });
      const link = await textOf(dialog.locator("code"), /^\/sign-in#code=/);
      expect(await look(visitor)).toEqual([]);
      await visitor.close();

      const there = await atGateway.visit();
      await there.page.goto(gateway.url + link);
      await there.page.waitForSelector("nav", { state: "attached" });
      await there.move("/access/people");
      await there.page.getByRole("table", { name: "People of the cloud", exact: true }).getByText("Clara").waitFor();
      expect(there.page.url()).not.toContain("code=");
      expect(there.complaints).toEqual([]);
      await there.close();
    },
    LONG,
  );

  test.each(["en", "de"])(
    "a reader finds the same on the page of the gateway's device, at a phone (%s)",
    async (locale) => {
      const look = createFindings();
      const mail = `reader-${locale}@example.org`;
      const person = { name: "Rosa", mail, password: PASSWORD, level: "readonly" };
      expect((await cloud.admin.post("/v3/accounts", person)).errors).toEqual([]);
      const devices = async () => (await cloud.admin.get<{ devices: Device[] }>("/v3/devices")).body.devices;
      const device = await vi.waitUntil(async () => (await devices()).find(({ type }) => type === "GATEWAY"), {
        timeout: LONG,
      });
      const words =
        locale === "en"
          ? { mail: "Mail address", password: "Password", button: "Sign in there" }
          : { mail: "E-Mail-Adresse", password: "Passwort", button: "Dort anmelden" };
      const visitor = await inCloud.visit({ width: 360, bypassCSP: true, locale });
      const { page } = visitor;
      await page.goto(`${cloud.url}/devices/${device?.id}`);
      await page.getByLabel(words.mail).fill(mail);
      await page.getByLabel(words.password).fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: words.button }).focus();
      await page.keyboard.press("Enter");
      await textOf(page.getByRole("dialog").locator("code"), /^\/sign-in#code=/);
      expect(await look(visitor)).toEqual([]);
      await visitor.close();
    },
    LONG,
  );
}
