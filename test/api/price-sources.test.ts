// /v3/sites/{site_id}/price-sources: prices that are fetched from a real HTTP server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { PriceSource, PriceTrial } from "#client/resources.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const busbar = useServer(["--webhooks-allow-private"]);

const HOUR = 3_600_000;
const SECRET = "canary-of-a-price-key";
const START = Math.floor(Date.now() / HOUR) * HOUR;
const rowsFrom = (prices: readonly number[]) => ({
  data: prices.map((marketprice, n) => ({ start_timestamp: START + n * HOUR, marketprice, unit: "Eur/MWh" })),
});

let server: Receiver;
let siteId = "";
let source: Record<string, unknown> = {};
beforeAll(async () => {
  server = await startReceiver();
  const wanted = { name: "Farm", timezone: "Europe/Berlin" };
  siteId = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", wanted)).body.site.id;
  source = {
    url: `${server.url}/v1/marketdata?day={today}`,
    header: { name: "X-Key", value: SECRET },
    time: "/data/*/start_timestamp",
    time_format: "ms",
    price: "/data/*/marketprice",
    scale: 0.001,
  };
});
afterEach(() => {
  expect(busbar.log).not.toContain(SECRET);
});
afterAll(() => server.stop());

const answerWith = (json: unknown, status = 200) => {
  server.answer = (response) =>
    void response.writeHead(status).end(typeof json === "string" ? json : JSON.stringify(json));
};
const call = async (method: string, more: string, json?: unknown) =>
  await busbar.admin.call<{ price_source: PriceSource }>(method, `/v3/sites/${siteId}/price-sources/import${more}`, {
    ...(json !== undefined && { json }),
  });
const tried = async (more: object) =>
  (await busbar.admin.post<PriceTrial>(`/v3/sites/${siteId}/price-sources/import/try`, { ...source, ...more })).body;
const state = async () => {
  const { body, text } = await busbar.admin.get<{ price_sources: PriceSource[] }>(`/v3/sites/${siteId}/price-sources`);
  expect(text).not.toContain(SECRET);
  return body.price_sources[0];
};
const stored = async () =>
  (await busbar.admin.get<{ prices: { prices: { price: number }[] } }>(`/v3/sites/${siteId}/prices/import`)).body.prices
    .prices;

test("trying shows the first rows as they would be stored and paid, and stores nothing", async () => {
  const rule = { type: "prices", add: 0.1, factor: 2 };
  const tariff = { currency: "EUR", versions: [{ import: rule }] };
  await busbar.admin.call("PUT", `/v3/sites/${siteId}/tariff`, { json: tariff });
  answerWith(rowsFrom([91.5, -20]));
  const { prices, ...rest } = await tried({});
  expect(rest).toEqual({ problems: [], total: 2 });
  expect(prices).toMatchObject([
    { from: new Date(START).toISOString(), price: 0.0915, paid: 0.383 },
    { to: new Date(START + 2 * HOUR).toISOString(), price: -0.02, paid: 0.16 },
  ]);
  const { path, headers } = await server.next();
  expect([path, headers["x-key"]]).toEqual([expect.stringMatching(/^\/v1\/marketdata\?day=20\d\d-\d\d-\d\d$/), SECRET]);
  expect([await stored(), await state()]).toEqual([[], undefined]);
});

test("what is wrong with an answer is said in words, whatever comes", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  for (const [answer, problem] of [
    ["<html>", "the answer is not JSON"],
    ['{"data":[{"start_timestamp":NaN}]}', "the answer is not JSON"],
    [deep, "the answer is nested more than 32 levels deep"],
    [JSON.stringify({ data: Array.from({ length: 70_000 }, () => 1) }), "the answer is of more than 60000 values"],
    ["x".repeat(10_000_000), "the answer has more than 1 MiB"],
    [{ error: SECRET, [SECRET]: 1 }, "it has error, (hidden)"],
    [{ data: [{ start_timestamp: START, marketprice: SECRET }] }, 'the price "(hidden)" is no number'],
  ] as const) {
    answerWith(answer);
    const { problems, total } = await tried({});
    expect([problems[0], total]).toEqual([expect.stringContaining(problem), 0]);
  }
  answerWith({}, 503);
  expect((await tried({})).problems).toEqual(["answered 503"]);
});

test("mistakes of a source are reported all at once, and its secret goes to no other server", async () => {
  const wrong = {
    url: "ftp://x",
    time: "data",
    price: "/a/*/*",
    scale: 0,
    every: "1m",
    header: { name: "Host", value: "a\u0001" },
  };
  const { status, errors } = await call("PUT", "", { ...source, ...wrong });
  expect([status, errors.map(({ details }) => details?.["pointer"])]).toEqual([
    400,
    ["/url", "/time", "/price", "/scale", "/every", "/header/name", "/header/value"],
  ]);
  answerWith(rowsFrom([1]));
  await call("PUT", "", source);
  const kept = { ...source, header: { name: "x-key" } };
  expect((await call("POST", "/try", kept)).body).toMatchObject({ problems: [] });
  for (const other of [
    { ...kept, url: server.url.replace("127.0.0.1", "127.0.0.2") },
    { ...kept, header: { name: "X-Other" } },
  ]) {
    expect((await call("PUT", "", other)).errors).toMatchObject([{ details: { pointer: "/header/value" } }]);
  }
  expect((await call("DELETE", "")).status).toBe(200);
  expect(await state()).toBeUndefined();
});

test("prices are fetched, stored once, and a failure waits longer, also after a restart", {
  timeout: 60_000,
}, async () => {
  answerWith(rowsFrom([100, 200]));
  const put = await call("PUT", "", source);
  expect([put.status, put.text.includes(SECRET)]).toEqual([200, false]);
  const waited = { timeout: 30_000, interval: 200 };
  await vi.waitFor(async () => expect(await state()).toMatchObject({ failures: 0, rows: 2, error: null }), waited);
  expect((await stored()).map(({ price }) => price)).toEqual([0.1, 0.2]);
  const { next_at, succeeded_at } = (await state()) as PriceSource;
  expect(Date.parse(next_at) - Date.parse(succeeded_at ?? "")).toBeGreaterThanOrEqual(HOUR);

  answerWith({}, 500);
  await call("PUT", "", { ...source, header: { name: "X-Key" } });
  await vi.waitFor(async () => expect(await state()).toMatchObject({ failures: 1, error: "answered 500" }), waited);
  const before = await state();
  const requests = server.received.length;
  await busbar.restart();
  expect(await state()).toEqual(before);
  expect(server.received.length).toBe(requests);
  expect((await stored()).map(({ price }) => price)).toEqual([0.1, 0.2]);
  expect(busbar.log).toContain("prices cannot be fetched");
  const { text } = await busbar.admin.get("/v3/audit?limit=100");
  expect([text.includes("fetchPrices"), text.includes(SECRET), text.includes("marketdata")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("busbar tariff source sets, tries, shows and removes", async () => {
  const file = join(tempFolder(), "source.yml");
  writeFileSync(file, JSON.stringify({ ...source, header: undefined }));
  const run = async (...args: string[]) =>
    await runBusbar(["tariff", "source", ...args], {
      env: { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken },
    });
  answerWith({ data: 1 });
  expect(await run("try", "Farm", file)).toMatchObject({ code: 1, out: expect.stringContaining("/data is no list") });
  answerWith(rowsFrom([50]));
  expect(await run("try", "Farm", file)).toMatchObject({ code: 0, out: expect.stringContaining("0.05") });
  expect((await run("set", "Farm", file, "--kind", "export")).code).toBe(0);
  expect((await run("show", "Farm")).out).toMatch(/export\s+http/);
  expect((await run("remove", "Farm", "--kind", "export", "--yes")).code).toBe(0);
});
