// A sign-in from a new place: listed, and told by mail where a site has a mail server.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, SignInEntry, Site } from "#client/resources.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { PATIENT } from "../support/patient.ts";
import { type Answer, useServer } from "../support/server.ts";

const busbar = useServer(["--http-trust-proxy", "127.0.0.1"]);
const PASSWORD = "four plain small words";

let mails: MailServer;
let site: string;
let people = 0;
beforeAll(async () => {
  mails = await startMailServer();
  site = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Plant" })).body.site.id;
  const mail = {
    host: "127.0.0.1",
    port: mails.port,
    security: "none",
    from: "busbar@example.org",
    to: "all@example.org",
  };
  await busbar.admin.post(`/v3/sites/${site}/notifications/channels`, { name: "Mail", mail, allow_private: true });
});
afterAll(async () => {
  await mails.stop();
});

const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++people}@example.org`, level: "user", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body;
  const enter = async (from: string, password = PASSWORD) => {
    const headers = { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": from };
    return await busbar.anonymous.post("/v3/sessions", { mail: account.mail, password }, { headers });
  };
  const told = () => mails.mails.filter(({ to }) => to.includes(account.mail));
  return { ...account, enter, told };
}

async function signIns(cookie: string): Promise<readonly SignInEntry[]> {
  const headers = { "Sec-Fetch-Site": "same-origin", Cookie: cookie };
  return (await busbar.anonymous.get<Page<"sign_ins", SignInEntry>>("/v3/account/sign_ins", { headers })).body.sign_ins;
}

test("the first sign-in is no news; one from a new place is told to the person alone, once, and listed", async () => {
  const anna = await newPerson();
  for (const from of ["203.0.113.1", "203.0.113.1", "2001:db8::1"]) await anna.enter(from);
  // Another address of the same /64 is the same place.
  const cookie = cookieOf(await anna.enter("2001:db8::ffff:2"));
  await vi.waitFor(() => expect(anna.told()).toHaveLength(1), PATIENT);
  const [mail] = anna.told();
  expect(mail?.to).toEqual([anna.mail]);
  expect(mail?.text.replaceAll("=\r\n", "").replaceAll("\r\n", " ")).toContain("from the address 2001:db8::1");
  const listed = (await signIns(cookie)).map(({ from, new_place }) => `${from} ${new_place}`);
  expect(listed).toEqual(["2001:db8::ffff:2 false", "2001:db8::1 true", "203.0.113.1 false", "203.0.113.1 false"]);
  expect(anna.told()).toHaveLength(1);
});

test("a wrong password from a new place is told to nobody, and a person gets the mail in the own language", async () => {
  const anna = await newPerson({ language: "de" });
  await anna.enter("203.0.113.1");
  await anna.enter("198.51.100.1", "wrong wrong wrong");
  await anna.enter("198.51.100.2");
  await vi.waitFor(() => expect(anna.told()).toHaveLength(1), PATIENT);
  expect(anna.told()[0]?.text).toContain("Anmeldung");
  expect(anna.told()[0]?.text).toContain("198.51.100.2");
});

test("without a mail server on a site of the person, a new place is listed and nothing is sent", async () => {
  const other = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Bare" })).body.site.id;
  const anna = await newPerson({ site_ids: [other] });
  await anna.enter("203.0.113.1");
  const cookie = cookieOf(await anna.enter("203.0.113.2"));
  expect((await signIns(cookie)).map(({ new_place }) => new_place)).toEqual([true, false]);
  // Somebody who is told afterwards is told, so there was time to send this, too.
  const ben = await newPerson({ name: "Ben" });
  for (const from of ["203.0.113.1", "203.0.113.2"]) await ben.enter(from);
  await vi.waitFor(() => expect(ben.told()).toHaveLength(1), PATIENT);
  expect(anna.told()).toEqual([]);
});

test("no server that refuses or hangs up keeps anybody from signing in", async () => {
  const anna = await newPerson();
  mails.onMail = () => {
    throw new Error("550 not today");
  };
  await anna.enter("203.0.113.1");
  expect((await anna.enter("203.0.113.2")).status).toBe(200);
  await vi.waitFor(() => expect(busbar.log).toContain("a mail about a sign-in was refused"), PATIENT);
  expect(anna.told()).toEqual([]);
  mails.onMail = () => {};
});
