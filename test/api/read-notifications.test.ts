// How far each person has read what rules told a site: the same on all their devices, and nobody else's.
import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { NotificationsRead } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const FAR = "9999-12-31T23:59:59Z";

let site: string;
let path: string;
beforeAll(async () => {
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Plant" })).body.site.id;
  path = `/v3/sites/${site}/notifications/read`;
});

/** A rule says something, and the answer is how many the site has then. */
async function say(text: string): Promise<number> {
  const count = async () =>
    (await busbar.admin.get<{ total_count: number }>(`/v3/sites/${site}/notifications`)).body.total_count;
  const before = await count();
  const script = { code: btoa(`notify(${JSON.stringify(text)})`), runtime_version: "V3" };
  const slug = `r${randomBytes(6).toString("hex")}`;
  expect((await busbar.admin.post(`/v3/sites/${site}/rule_engine/rules`, { slug, script })).status).toBe(200);
  await expect.poll(count, { timeout: 30_000 }).toBe(before + 1);
  return before + 1;
}

test("a person has read the same in a session and with a token, and others have not", async () => {
  const password = `Long and odd ${randomBytes(9).toString("hex")}`;
  const person = { name: "Anna", mail: "anna@example.org", level: "owner", password };
  const { body } = await busbar.admin.post<{ account: { id: string } }>("/v3/accounts", {
    ...person,
    site_ids: [site],
  });
  const credentials = { mail: person.mail, password };
  const signedIn = async () => {
    const answer = await busbar.anonymous.post("/v3/sessions", credentials, { headers: OWN_PAGE });
    const cookie = (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    return { ...OWN_PAGE, Cookie: cookie };
  };
  const [phone, desk] = [await signedIn(), await signedIn()];
  const token = await busbar.anonymous.call<{ token: string }>("POST", "/v3/tokens", {
    json: { name: "Script", level: "readonly", site_ids: [site] },
    headers: phone,
  });
  expect([body.account.id.length, token.status]).toEqual([36, 200]);
  const script = busbar.as(token.body.token);
  const ben = busbar.as(await busbar.token({ name: "Ben", level: "readonly", site_ids: [site] }));

  const total = await say("The tank is full.");
  const unread = async (headers: Readonly<Record<string, string>>) =>
    (await busbar.anonymous.call<NotificationsRead>("GET", path, { headers })).body.unread;
  expect([await unread(phone), await unread(desk), (await script.get<NotificationsRead>(path)).body.unread]).toEqual([
    total,
    total,
    total,
  ]);
  const put = await busbar.anonymous.call<NotificationsRead>("PUT", path, { json: { until: FAR }, headers: phone });
  expect([put.status, put.body.unread]).toEqual([200, 0]);
  const desktop = await busbar.anonymous.call<NotificationsRead>("GET", path, { headers: desk });
  expect(desktop.body).toEqual(put.body);
  expect((await script.get(path)).body).toEqual(put.body);
  expect((await ben.get(path)).body).toEqual({ read_until: null, unread: total });
  // "Until the end of time" hides nothing that comes later.
  await say("The tank is empty.");
  expect([await unread(desk), (await ben.get<NotificationsRead>(path)).body.unread]).toEqual([1, total + 1]);
  const back = await script.put<NotificationsRead>(path, { until: "2020-01-01T00:00:00Z" });
  expect(back.body).toEqual({ ...put.body, unread: 1 });
  const audit = await busbar.admin.get("/v3/audit?limit=1000");
  expect(audit.text).not.toContain("putNotificationsRead");
});

test.each([
  [{}, "/until"],
  [{ until: null }, "/until"],
  [{ until: 5 }, "/until"],
  [{ until: "yesterday" }, "/until"],
  [{ until: "2026-02-30T00:00:00Z" }, "/until"],
  [{ until: "2026-02-03T00:00:00Z", person: "other" }, "/person"],
])("%j is refused, with its place", async (body, place) => {
  const answer = await busbar.admin.put(path, body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(place.slice(1));
});

test("a token that does not see the site neither reads nor changes anything, and a site that is none is not found", async () => {
  const other = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Other" })).body.site.id;
  const stranger = busbar.as(await busbar.token({ name: "Mallory", level: "owner", site_ids: [other] }));
  for (const one of [path, "/v3/sites/constructor/notifications/read"]) {
    expect((await stranger.get(one)).status).toBe(404);
    expect((await stranger.put(one, { until: FAR })).status).toBe(404);
  }
});
