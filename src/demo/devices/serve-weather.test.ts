import { afterEach, expect, test } from "vitest";
import { newPlant } from "#demo/plant/plant.ts";
import { listenLocally } from "./listen-locally.ts";
import { createLivePlant } from "./live-plant.ts";
import { createWeatherServer } from "./serve-weather.ts";

const SITE = { seed: 1, latitude: 40, longitude: 0 };
const NOON = Date.parse("2026-06-01T12:00:00Z");
let close = async () => {};
afterEach(() => close());

async function open() {
  const plant = createLivePlant(SITE, newPlant(SITE, NOON));
  const listening = await listenLocally(createWeatherServer(plant), undefined);
  close = listening.close;
  const url = `http://127.0.0.1:${listening.port}`;
  const post = (path: string, body: string) => fetch(url + path, { method: "POST", body });
  return { plant, url, post };
}

test("the station reports what it observes", async () => {
  const { plant, url } = await open();
  const answer = await fetch(`${url}/observation`);
  expect(await answer.json()).toMatchObject({
    station: { vendor: "Wetterhahn" },
    sun: { irradiance: Math.round(plant.now().weather.irradiance * 0.994) },
    rain: { kind: "none" },
  });
});

test("its heater warms the heads", async () => {
  const { plant, post } = await open();
  const before = plant.now().mast.headTemperature;
  expect((await post("/heater", '{"minutes":5}')).status).toBe(200);
  for (let second = 1; second <= 20; second++) plant.advance(NOON + second * 1_000);
  expect(plant.now().mast.headTemperature).toBeGreaterThan(before + 15);
});

test.each([
  ["/heater", "{}", 400],
  ["/heater", "nonsense", 400],
  ["/heater", '{"minutes":90}', 400],
  ["/nothing", "{}", 400],
  ["/cleaned", "{}", 200],
])("POST %s with %s is answered with %d", async (path, body, status) => {
  const { post } = await open();
  expect((await post(path, body)).status).toBe(status);
});

test("there is nothing else", async () => {
  const { url } = await open();
  expect((await fetch(`${url}/secret`)).status).toBe(404);
});
