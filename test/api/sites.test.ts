import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Site } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

interface SiteAnswer {
  readonly site: Site & { readonly created_at: string; readonly updated_at: string };
}

const create = async (name: string) => (await busbar.admin.post<SiteAnswer>("/v3/sites", { name })).body.site;

test("a gateway starts with one site, and GET /v3/site gives it", async () => {
  const list = await busbar.admin.get<Page<"sites", Site>>("/v3/sites");
  expect(list.body.total_count).toBe(1);
  const only = await busbar.admin.get<SiteAnswer>("/v3/site");
  expect(only.body.site).toEqual(list.body.sites[0]);
  expect(only.body.site).toMatchObject({ version: "V3", authorized_role: "SYSTEM", timezone_assumed: true });
});

test("a created site is answered with 200 and all its fields, and reads back the same", async () => {
  const location = { name: "Harbour", latitude: 53.5, longitude: 9.9 };
  const made = await busbar.admin.post<SiteAnswer>("/v3/sites", { name: "North", timezone: "Europe/Berlin", location });
  expect(made.status).toBe(200);
  expect(made.body.site).toMatchObject({ name: "North", timezone: "Europe/Berlin", location, version: "V3" });
  expect(made.body.site.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const read = await busbar.admin.get<SiteAnswer>(`/v3/sites/${made.body.site.id}`);
  expect(read.body).toEqual(made.body);
});

test("times go out in RFC 3339 UTC with milliseconds", async () => {
  const site = await create("Times");
  for (const time of [site.created_at, site.updated_at])
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("without a time zone a site is in UTC, and says so until somebody gives one, even the same", async () => {
  const { id, timezone, timezone_assumed } = await create("Plain");
  expect([timezone, timezone_assumed]).toEqual(["UTC", true]);
  const change = async (body: object) => (await busbar.admin.patch<SiteAnswer>(`/v3/sites/${id}`, body)).body.site;
  expect(await change({ name: "Renamed" })).toMatchObject({ name: "Renamed", timezone_assumed: true });
  expect(await change({ timezone: "UTC" })).not.toHaveProperty("timezone_assumed");
  const read = await busbar.admin.get<SiteAnswer>(`/v3/sites/${id}`);
  expect(read.body.site).not.toHaveProperty("timezone_assumed");
});

test("a site that is made with a time zone has nothing to confirm", async () => {
  const made = await busbar.admin.post<SiteAnswer>("/v3/sites", { name: "Zoned", timezone: "UTC" });
  expect(made.body.site).not.toHaveProperty("timezone_assumed");
});

test.each([
  ["null", { timezone: null, location: null }],
  ["an empty text", { timezone: "", location: "" }],
])("an optional field that is %s means not given", async (_, unset) => {
  const made = await busbar.admin.post<SiteAnswer>("/v3/sites", { name: "Unset", ...unset });
  expect(made.body.site).toMatchObject({ timezone: "UTC" });
  expect(made.body.site).not.toHaveProperty("location");
});

test("an optional field inside a location that is null means not given", async () => {
  const made = await busbar.admin.post<SiteAnswer>("/v3/sites", {
    name: "Unset inside",
    location: { name: "Somewhere", latitude: null, longitude: "" },
  });
  expect(made.body.site.location).toEqual({ name: "Somewhere" });
});

test("a patch changes what it names and keeps the rest", async () => {
  const { id } = await create("Before");
  const changed = await busbar.admin.patch<SiteAnswer>(`/v3/sites/${id}`, { name: "After", timezone: null });
  expect(changed.body.site).toMatchObject({ id, name: "After", timezone: "UTC" });
  const moved = await busbar.admin.patch<SiteAnswer>(`/v3/sites/${id}`, { timezone: "Asia/Tokyo" });
  expect(moved.body.site).toMatchObject({ name: "After", timezone: "Asia/Tokyo" });
});

test("a location is taken away by its name, not by the null that clients send for what they leave alone", async () => {
  const { id } = await create("Somewhere");
  const location = { name: "Hamburg", latitude: 53.55, longitude: 9.99 };
  const patch = (change: object) => busbar.admin.patch<SiteAnswer>(`/v3/sites/${id}`, change);
  await patch({ location });
  expect((await patch({ name: "Renamed", location: null })).body.site).toMatchObject({ name: "Renamed", location });
  expect((await patch({ location, clear: ["location"] })).errors[0]).toMatchObject({ details: { pointer: "/clear" } });
  expect((await patch({ clear: ["location"] })).body.site).not.toHaveProperty("location");
  expect((await busbar.admin.get<SiteAnswer>(`/v3/sites/${id}`)).body.site).not.toHaveProperty("location");
  expect((await patch({ clear: ["name"] })).errors[0]).toMatchObject({ details: { pointer: "/clear/0" } });
});

test("an empty patch changes nothing, not even the time of change", async () => {
  const before = await create("Still");
  const after = await busbar.admin.patch<SiteAnswer>(`/v3/sites/${before.id}`, {});
  expect(after.body.site).toEqual(before);
});

test("a deleted site is gone", async () => {
  const { id } = await create("Short-lived");
  expect((await busbar.admin.delete(`/v3/sites/${id}`)).body).toEqual({});
  expect((await busbar.admin.get(`/v3/sites/${id}`)).errors[0]?.code).toBe("not_found");
  expect((await busbar.admin.delete(`/v3/sites/${id}`)).status).toBe(404);
});

test("a site with devices is not deleted", async () => {
  const { id } = await create("Inhabited");
  await busbar.admin.post("/v3/provisioning/standalone", { name: "Meter", site_id: id });
  const refused = await busbar.admin.delete(`/v3/sites/${id}`);
  expect(refused.status).toBe(409);
  expect(refused.errors[0]?.code).toBe("conflict");
});

test.each([
  [{ name: "" }, "/name"],
  [{ name: "   " }, "/name"],
  [{ name: "x".repeat(201) }, "/name"],
  [{ name: "a\u0000b" }, "/name"],
  [{ name: 5 }, "/name"],
  [{}, "/name"],
  [{ name: "A", timezone: "Mars/Olympus" }, "/timezone"],
  [{ name: "A", timezone: "+01:00" }, "/timezone"],
  [{ name: "A", location: {} }, "/location/name"],
  [{ name: "A", location: { name: "B", latitude: 91 } }, "/location/latitude"],
  [{ name: "A", location: { name: "B", longitude: "east" } }, "/location/longitude"],
])("a site %j is refused at %s", async (body, pointer) => {
  const refused = await busbar.admin.post("/v3/sites", body);
  expect(refused.status).toBe(400);
  expect(refused.errors).toContainEqual(expect.objectContaining({ code: "invalid_body", details: { pointer } }));
});

test("all problems of a body are reported at once", async () => {
  const refused = await busbar.admin.post("/v3/sites", { nam: "A", location: { name: "B", latitude: 100 } });
  expect(refused.errors.map((error) => error.details?.["pointer"]).sort()).toEqual([
    "/location/latitude",
    "/nam",
    "/name",
  ]);
});

test("a misspelt field is refused and names the nearest known one", async () => {
  const refused = await busbar.admin.post("/v3/sites", { name: "A", timezome: "UTC" });
  expect(refused.errors[0]?.message).toContain("did you mean timezone?");
});

test("lists page by limit and offset, and count what there is on all pages", async () => {
  const all = await busbar.admin.get<Page<"sites", Site>>("/v3/sites");
  const ids = all.body.sites.map((site) => site.id);
  expect(ids).toEqual([...ids].sort());
  const page = await busbar.admin.get<Page<"sites", Site>>("/v3/sites?limit=2&offset=1");
  expect(page.body.sites.map((site) => site.id)).toEqual(ids.slice(1, 3));
  expect(page.body.total_count).toBe(ids.length);
  const past = await busbar.admin.get<Page<"sites", Site>>(`/v3/sites?offset=${ids.length}`);
  expect(past.body).toEqual({ sites: [], total_count: ids.length });
});

test.each([
  ["limit=0", 0],
  ["limit=", "all"],
  ["limit=1000000", "all"],
  ["limit=99999999999999999999", "all"],
])("%s answers %s items", async (query, expected) => {
  const { body } = await busbar.admin.get<Page<"sites", Site>>(`/v3/sites?${query}`);
  expect(body.sites).toHaveLength(expected === "all" ? body.total_count : Number(expected));
});

test.each(["limit=-1", "limit=1.5", "limit=ten", "offset=-1", "offset=1e3"])("%s is refused", async (query) => {
  const refused = await busbar.admin.get(`/v3/sites?${query}`);
  expect(refused.errors[0]).toMatchObject({ code: "invalid_query", details: { parameter: query.split("=")[0] } });
});

test("GET /v3/site is a conflict where the token sees several sites, and works for a token of one", async () => {
  const { id } = await create("One of many");
  expect((await busbar.admin.get("/v3/site")).status).toBe(409);
  const token = await busbar.token({ site_ids: [id] });
  expect((await busbar.as(token).get<SiteAnswer>("/v3/site")).body.site.id).toBe(id);
});

test("authorized_role is the level of the token that asks", async () => {
  const { id } = await create("Roles");
  for (const level of ["readonly", "user", "owner", "installer", "vendor"] as const) {
    const token = await busbar.token({ level });
    const { body } = await busbar.as(token).get<SiteAnswer>(`/v3/sites/${id}`);
    expect(body.site.authorized_role).toBe(level.toUpperCase());
  }
});

test("/v3/users/me/sites lists the same sites", async () => {
  const [mine, all] = [await busbar.admin.get("/v3/users/me/sites"), await busbar.admin.get("/v3/sites")];
  expect(mine.body).toEqual(all.body);
});
