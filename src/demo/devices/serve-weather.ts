import type { IncomingMessage, Server } from "node:http";
import type { LivePlant } from "#demo/devices/live-plant.ts";
import { orderWeather, renderObservation } from "#demo/devices/weather-api.ts";
import type { Plant } from "#demo/plant/plant.ts";
import { createServer } from "#tuning/plain-http.ts";

const MAX_BODY = 4_096;

/** The weather station's JSON interface over HTTP. */
export function createWeatherServer(plant: LivePlant): Server {
  const server = createServer((request, response) => {
    handle(plant, request).then(
      ({ status, body }) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  server.maxConnections = 16;
  server.requestTimeout = 10_000;
  return server;
}

async function handle(
  plant: LivePlant,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: object }> {
  const { pathname } = new URL(request.url ?? "/", "http://station");
  if (request.method === "GET" && pathname === "/observation") {
    return { status: 200, body: renderObservation(plant.now()) };
  }
  if (request.method !== "POST") return { status: 404, body: { error: "there is nothing here" } };
  const body = await readJson(request);
  const order = (now: Plant) => orderWeather(now, pathname, body);
  return plant.change(order)
    ? { status: 200, body: { ok: true } }
    : { status: 400, body: { error: "the station does not understand" } };
}

/** Undefined for anything that is no JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += String(piece);
    if (text.length > MAX_BODY) throw new Error("the body is too large");
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
