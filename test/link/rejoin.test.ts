// A gateway that has left its cloud, or whose access was revoked, joins again.
import { expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const nameIn = async (id: string) =>
  (await cloud.admin.get<{ device: { name: string } | undefined }>(`/v3/devices/${id}`)).body.device?.name;

test("a gateway that was revoked joins again, gets its sites back, and both agree", async () => {
  const id = await pair.site.device("pump");
  await eventually(async () => expect(await nameIn(id)).toBe("pump"));
  const { body } = await cloud.admin.get<{ gateways: { id: string }[] }>("/v3/gateways");
  await cloud.admin.delete(`/v3/gateways/${body.gateways[0]?.id}`);
  await isLinked(gateway, false);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "pump 2" });
  await joinAgain({ replaces: body.gateways[0]?.id });
  await eventually(async () => expect(await nameIn(id)).toBe("pump 2"));
  // The cloud asks for changes once everything is sent. What it had from the revoked one, such as audit entries, comes too.
  await eventually(async () => {
    const changed = await cloud.admin.patch(`/v3/devices/${id}`, { name: "pump 3" });
    expect(changed.text).not.toContain("pending_change");
  });
  const { body: here } = await gateway.admin.get<{ device: { name: string } }>(`/v3/devices/${id}`);
  expect(here.device.name).toBe("pump 3");
});

interface ListedGateway {
  readonly id: string;
  readonly revoked_at: string | null;
}

/** `word`: what the person who makes the code says about sites. */
async function joinAgain(word: { replaces?: string | undefined; site_ids?: readonly string[] } = {}): Promise<void> {
  const { body, text } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "N", ...word });
  expect(body.code, text).toBeDefined();
  const joined = await gateway.admin.post("/v3/uplink", { url: pair.line.url, code: body.code });
  expect(joined.status, joined.text).toBe(200);
}

const valid = async () =>
  (await cloud.admin.get<{ gateways: ListedGateway[] }>("/v3/gateways")).body.gateways.filter(
    ({ revoked_at }) => revoked_at === null,
  );

test("a gateway that leaves while it is connected says so to its cloud, and can join again", async () => {
  const id = await pair.site.device("fan");
  await eventually(async () => expect(await nameIn(id)).toBe("fan"));
  const [former, ...others] = await valid();
  expect(others).toEqual([]);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await eventually(async () => expect(await valid()).toEqual([]));
  const audit = await cloud.admin.get<{ entries: { action: string }[] }>("/v3/audit?order=AT_DESC&limit=20");
  expect(audit.text).toContain("leaveCloud");
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "fan 2" });
  await joinAgain({ replaces: former?.id });
  await eventually(async () => expect(await nameIn(id)).toBe("fan 2"));
});

interface Refused {
  readonly connected: boolean;
  readonly refused: readonly { readonly kind: string; readonly id: string; readonly reason: string }[];
}

const refusedHere = async () => (await gateway.admin.get<Refused>("/v3/uplink")).body;
const refusedThere = async (id: string | undefined) =>
  (await cloud.admin.get<{ gateway: Refused }>(`/v3/gateways/${id}`)).body.gateway;
const reasonFor = (siteId: string, { refused }: Refused) =>
  refused.find(({ kind, id }) => kind === "site" && id === siteId)?.reason;
const ownerOf = async (siteId: string) =>
  (await cloud.admin.get<{ gateways: { id: string; site_ids: string[] }[] }>("/v3/gateways")).body.gateways.find(
    ({ site_ids }) => site_ids.includes(siteId),
  )?.id;

/** The gateway leaves without a word and joins as another one, which names the sites of the former one. */
async function joinAsAnother(isRevoked: boolean): Promise<{ former: string; other: string }> {
  const [former] = await valid();
  pair.line.cut();
  await isLinked(gateway, false);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  if (isRevoked) await cloud.admin.delete(`/v3/gateways/${former?.id}`);
  pair.line.heal();
  await joinAgain();
  const other = (await valid()).find(({ id }) => id !== former?.id);
  return { former: former?.id ?? "", other: other?.id ?? "" };
}

test.each([
  ["still has access", false],
  ["was revoked", true],
])(
  "a gateway does not get the site of one that %s by naming it, nor its tokens, until a person says so",
  async (_, isRevoked) => {
    const { siteId } = pair.site;
    const token = (
      await cloud.admin.post<{ id: string; token: string }>("/v3/tokens", {
        name: "people of the site",
        level: "user",
        site_ids: [siteId],
      })
    ).body;
    const worksHere = async () => (await gateway.as(token.token).get("/v3/sites")).status === 200;
    await eventually(async () => expect(await worksHere()).toBe(true));
    const id = await pair.site.device(`lamp ${isRevoked}`);
    await eventually(async () => expect(await nameIn(id)).toBe(`lamp ${isRevoked}`));
    const { former, other } = await joinAsAnother(isRevoked);
    const words = `busbar gateway give-site ${other} ${siteId}`;
    await eventually(async () => expect(reasonFor(siteId, await refusedThere(other))).toContain(words));
    await eventually(async () => expect(reasonFor(siteId, await refusedHere())).toContain(words));
    await gateway.admin.patch(`/v3/devices/${id}`, { name: "stolen" });
    // It has reported that, and the cloud has taken the rest.
    const mine = await gateway.admin.post<{ site: { id: string } }>("/v3/sites", { name: `Mine ${isRevoked}` });
    const mySite = mine.body.site.id;
    await eventually(async () => expect(await ownerOf(mySite)).toBe(other));
    expect([await ownerOf(siteId), await nameIn(id), await worksHere()]).toEqual([former, `lamp ${isRevoked}`, false]);
    expect((await refusedHere()).connected).toBe(true);
    const given = await cloud.admin.post(`/v3/gateways/${other}/sites`, { site_id: siteId });
    expect(given.status, given.text).toBe(200);
    await eventually(async () => expect([await ownerOf(siteId), await nameIn(id)]).toEqual([other, "stolen"]));
    await eventually(async () => expect(await worksHere()).toBe(true));
    await eventually(async () => {
      const reasons = [await refusedHere(), await refusedThere(other)].map((one) => reasonFor(siteId, one));
      expect(reasons).toEqual([undefined, undefined]);
    });
    expect((await gateway.admin.delete(`/v3/sites/${mySite}`)).status).toBe(200);
    if (!isRevoked) await cloud.admin.delete(`/v3/gateways/${former}`);
  },
);

test.each([
  ["replaces", { replaces: "01a1ddf7-7a88-7d0f-8ec9-d08f5c9dbea7" }],
  ["site_ids/0", { site_ids: ["01a1ddf7-7a88-7d0f-8ec9-d08f5c9dbea7"] }],
])("a code for what no gateway has is refused: %s", async (pointer, word) => {
  const { status, text } = await cloud.admin.post("/v3/gateways/join_codes", word);
  expect([status, text]).toEqual([400, expect.stringContaining(`"/${pointer}"`)]);
});

test("what a revoked gateway has left behind can be deleted, and comes back when the gateway joins again", async () => {
  const { siteId } = pair.site;
  const devicesOf = async () =>
    (await cloud.admin.get<{ devices: { id: string; type: string }[] }>(`/v3/sites/${siteId}/devices`)).body.devices;
  const [device] = (await devicesOf()).filter(({ type }) => type !== "GATEWAY");
  const early = await cloud.admin.delete(`/v3/sites/${siteId}`);
  expect(early.text).toContain("owned_by_gateway");
  for (const { id } of await valid()) await cloud.admin.delete(`/v3/gateways/${id}`);
  await isLinked(gateway, false);
  expect((await cloud.admin.patch(`/v3/sites/${siteId}`, { name: "other" })).text).toContain("it can only be deleted");
  for (const { id, type } of await devicesOf()) {
    if (type !== "GATEWAY") expect((await cloud.admin.delete(`/v3/devices/${id}`)).status).toBe(200);
  }
  expect((await cloud.admin.delete(`/v3/sites/${siteId}`)).status).toBe(200);
  expect((await cloud.admin.get(`/v3/sites/${siteId}`)).status).toBe(404);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  // Nobody has the site any more, so nobody has to say anything.
  await joinAgain();
  await eventually(async () => expect((await devicesOf()).map(({ id }) => id)).toContain(device?.id));
});
