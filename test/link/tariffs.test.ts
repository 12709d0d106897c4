// Tariffs and prices on both sides of a link: the gateway has them, and the cloud's costs agree with its own.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PriceTrial, SiteEnergy } from "#client/resources.ts";
import { upload } from "../support/command-site.ts";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import type { TestServer } from "../support/server.ts";

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
runtime: {type: embedded}
telemetry:
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
`;
const QUARTER = 900_000;
const START = Math.floor((Date.now() - 6 * 3_600_000) / QUARTER) * QUARTER;
const SECRET = "canary-of-a-linked-key";
const BEFORE = { currency: "CHF", versions: [{ import: { type: "fixed", price: 0.31 } }] };
const SPOT = { currency: "EUR", versions: [{ import: { type: "prices", name: "spot", add: 0.021, factor: 1.19 } }] };

// Tariff and prices that were there before the gateway joined.
const pair = useLinkedPair(["--webhooks-allow-private"], async ({ admin }, siteId) => {
  await admin.call("PUT", `/v3/sites/${siteId}/tariff`, { json: BEFORE });
  const row = { from: new Date(START).toISOString(), price: 0.1234 };
  await admin.call("PUT", `/v3/sites/${siteId}/prices/import`, { json: { duration: "1h", prices: [row] } });
});
const { cloud, gateway } = pair;

let server: Receiver;
let device: Awaited<ReturnType<typeof connectFakeDevice>>;
beforeAll(async () => {
  server = await startReceiver();
  const wanted = {
    name: "Meter",
    slug: "meter",
    site_id: pair.site.siteId,
    blueprint_id: await upload(gateway, METER),
  };
  const made = await gateway.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
  const config = `/v3/devices/${made.body.device_id}/generate_config`;
  const answer = await gateway.admin.post<{ config: FakeDeviceConfig }>(config, { protocol: "MQTT" });
  device = await connectFakeDevice(answer.body.config);
  for (let quarter = 0; quarter < 20; quarter++) {
    const timestamp = (START + quarter * QUARTER) / 1_000;
    await device.sendTelemetry({ timestamp, grid_energy_import: 1_000 + quarter * 1.2345 });
  }
});
afterAll(async () => {
  await device.close();
  await server.stop();
});

const site = () => `/v3/sites/${pair.site.siteId}`;
const costsOf = async ({ admin }: TestServer) => {
  const path = `${site()}/energy?from=${new Date(START).toISOString()}&to=${new Date(START + 24 * QUARTER).toISOString()}`;
  const { costs, steps } = (await admin.get<{ energy: SiteEnergy }>(`${path}&costs=true&step=quarter_hour`)).body
    .energy;
  return { costs, steps: steps?.map((step) => step.costs) };
};
const read = async ({ admin }: TestServer, path: string) => (await admin.get(`${site()}${path}`)).text;
const PRICES = `/prices/import?from=${new Date(START).toISOString()}&to=${new Date(START + 24 * QUARTER).toISOString()}`;

async function agree(expected: object): Promise<void> {
  await eventually(async () => {
    const [here, there] = [await costsOf(gateway), await costsOf(cloud)];
    expect(here.costs).toMatchObject(expected);
    expect(there).toEqual(here);
    for (const path of ["/tariff", PRICES, "/price-sources"]) {
      expect([path, await read(cloud, path)]).toEqual([path, await read(gateway, path)]);
    }
  });
}

test("what was there before joining is in the cloud, and costs are the same to the digit", async () => {
  // 19 quarters of 1.2345 kWh.
  await agree({ currency: "CHF", import: 7.271205 });
});

test("a tariff and prices that are set in the cloud are the gateway's", async () => {
  const owner = cloud.as(await cloud.token({ name: "Ada", level: "owner", site_ids: [pair.site.siteId] }));
  const put = await owner.call<{ tariff: object }>("PUT", `${site()}/tariff`, { json: SPOT });
  expect([put.status, put.body]).toMatchObject([200, { tariff: SPOT }]);
  const rows = Array.from({ length: 6 }, (_, hour) => ({
    from: new Date(START + hour * 4 * QUARTER).toISOString(),
    price: hour === 3 ? null : 0.05 * hour - 0.07,
  }));
  const stored = await owner.call("PUT", `${site()}/prices/import`, { json: { duration: "1h", prices: rows } });
  expect([stored.status, stored.body]).toEqual([200, { stored: 6 }]);
  await agree({ currency: "EUR", unpriced_energy: { import: 4938 } });
  const wrong = await owner.call("PUT", `${site()}/tariff`, {
    json: { ...SPOT, versions: [{ import: { type: "fixed" } }] },
  });
  expect([wrong.status, wrong.errors[0]?.code]).toEqual([400, "invalid_body"]);
});

test("changes on both sides of a cut arrive, and a tariff that both have changed is the gateway's", async () => {
  pair.line.cut();
  await isLinked(gateway, false);
  const put = async ({ admin }: TestServer, price: number) =>
    await admin.call<{ pending_change?: { id: string } }>("PUT", `${site()}/tariff`, {
      json: { currency: "EUR", versions: [{ import: { type: "fixed", price } }] },
    });
  await eventually(async () => expect((await put(cloud, 0.4)).body.pending_change).toBeDefined());
  expect((await put(gateway, 0.25)).status).toBe(200);
  const from = new Date(START + 100 * QUARTER).toISOString();
  const body = { duration: "15m", prices: [{ from, price: 0.5 }] };
  const waiting = await cloud.admin.call<{ stored: number; pending_change: object }>("PUT", `${site()}/prices/export`, {
    json: body,
  });
  expect(waiting.body).toMatchObject({ stored: 0, pending_change: { state: "PENDING" } });
  pair.line.heal();
  await agree({ currency: "EUR", import: 5.863875 });
  await eventually(async () => expect(await read(gateway, `/prices/export?from=${from}`)).toContain("0.5"));
  const changes = await cloud.admin.get<{ changes: { operation: string; state: string }[] }>(
    `/v3/changes?site_id.in=${pair.site.siteId}&limit=100`,
  );
  expect(changes.text).toContain("OVERRULED");
});

test("a source of prices is set and tried in the cloud, and the gateway alone fetches, with the secret that the cloud does not keep", async () => {
  const rows = [{ at: START, p: 80 }];
  server.answer = (response) => void response.end(JSON.stringify(rows));
  const source = { url: server.url, time: "/*/at", time_format: "ms", price: "/*/p", scale: 0.001 };
  const json = { ...source, header: { name: "X-Key", value: SECRET } };
  const trial = await cloud.admin.post<PriceTrial>(`${site()}/price-sources/import/try`, json);
  expect([trial.status, trial.body]).toMatchObject([200, { problems: [], prices: [{ price: 0.08 }] }]);
  const put = await cloud.admin.call("PUT", `${site()}/price-sources/import`, { json });
  expect([put.status, put.text.includes(SECRET)]).toEqual([200, false]);
  await eventually(async () => {
    expect(await read(cloud, "/price-sources")).toMatch(/"rows":1/);
    expect(await read(cloud, "/price-sources")).toBe(await read(gateway, "/price-sources"));
    expect(await read(cloud, PRICES)).toContain("0.08");
  });
  expect(server.received.every(({ headers }) => headers["x-key"] === SECRET)).toBe(true);
  expect(server.received).toHaveLength(2);
  for (const { log, admin } of [cloud, gateway]) {
    expect(log).not.toContain(SECRET);
    expect((await admin.get("/v3/audit?limit=200")).text).not.toContain(SECRET);
  }
  expect((await cloud.admin.call("DELETE", `${site()}/tariff`)).status).toBe(200);
  expect((await cloud.admin.call("DELETE", `${site()}/price-sources/import`)).status).toBe(200);
  await eventually(async () => {
    expect(await read(cloud, "/tariff")).toBe('{"tariff":null}');
    expect(await read(gateway, "/tariff")).toBe('{"tariff":null}');
    expect(await read(cloud, "/price-sources")).toBe('{"price_sources":[]}');
  });
});
