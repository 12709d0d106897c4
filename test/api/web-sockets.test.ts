// The log and the telemetry of a device, live at their own paths.
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import type { FakeDevice } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";
import { useTelemetry } from "../support/telemetry.ts";
import { openSocket, refusedSocket } from "../support/web-socket.ts";

const busbar = useServer(["--mqtt-port", "0", "--http-streams-per-token", "3"]);
const kit = useTelemetry(busbar);

let id: string;
let device: FakeDevice;
beforeAll(async () => {
  ({ id, device } = await kit.connect("meter"));
});

const as = (token: string) => ({ "X-Enapter-Auth-Token": token });
const newToken = (grant: object = {}) => busbar.token(grant);
const log = (message: string, severity: string, persist: boolean) =>
  device.log(message, { timestamp: 1_763_121_600, severity, persist });

const PATHS = [
  () => `/v3/devices/${id}/`,
  () => "/v3/devices/meter/",
  () => `/v3/sites/${kit.siteId}/devices/${id}/`,
  () => `/api/v3/sites/${kit.siteId}/devices/meter/`,
];

test.each(PATHS.map((path, at) => [at, path] as const))(
  "a log is followed at its own path (%i): each message is an entry as the list has it",
  async (_, path) => {
    const live = await openSocket(`${busbar.url}${path()}logs`, as(await newToken()));
    await log("hello", "info", true);
    const entry = await live.next();
    expect(entry).toEqual({
      received_at: expect.stringMatching(/^\d{4}-.*Z$/),
      timestamp: "2025-11-14T12:00:00.000Z",
      severity: "info",
      message: "hello",
      persist: true,
    });
    const stored = await busbar.admin.get<{ logs: object[] }>(`${path()}logs?order=RECEIVED_AT_DESC&limit=1`);
    expect(stored.body.logs).toEqual([entry]);
  },
);

test("a live log is chosen by severity and by what is kept, and holds one device only", async () => {
  const { device: other } = await kit.connect("other");
  const url = `${busbar.url}/v3/devices/meter/logs`;
  const token = await newToken();
  const errors = await openSocket(`${url}?severity=error,warning&show=`, as(token));
  const kept = await openSocket(`${url}?show=PERSISTED_ONLY`, as(token));
  const passing = await openSocket(`${url}?show=TEMPORARY_ONLY`, as(token));
  await other.log("of another", { severity: "error", persist: true });
  await log("one", "info", true);
  await log("two", "error", false);
  await log("three", "warning", true);
  await log("four", "debug", false);
  const messages = async ({ next }: typeof errors) => [(await next())["message"], (await next())["message"]];
  expect(await Promise.all([errors, kept, passing].map(messages))).toEqual([
    ["two", "three"],
    ["one", "three"],
    ["two", "four"],
  ]);
});

test("telemetry is followed at its own path, as far as the token may read it", async () => {
  const [owner, reader] = await Promise.all(
    ["owner", "readonly"].map(async (level) =>
      openSocket(`${busbar.url}/v3/devices/meter/telemetry`, as(await newToken({ level }))),
    ),
  );
  const at = Math.floor(Date.now() / 1000);
  await device.sendTelemetry({ timestamp: at, power: 1.5, internal: 2 });
  const site_id = kit.siteId;
  const power = { value: 1.5, timestamp: at };
  const internal = { value: 2, timestamp: at };
  expect(await owner?.next()).toEqual({ site_id, device_id: id, telemetry: { power, internal } });
  expect(await reader?.next()).toEqual({ site_id, device_id: id, telemetry: { power } });
});

test("a WebSocket is refused like any other call, with the same answer", async () => {
  const elsewhere = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site;
  const stranger = as(await newToken({ site_ids: [elsewhere.id] }));
  const admin = as(busbar.adminToken);
  const cases: [string, Readonly<Record<string, string>>, number, string][] = [
    ["/v3/devices/meter/logs", {}, 401, "unauthorized"],
    ["/v3/devices/meter/logs", as("wrong"), 401, "unauthorized"],
    ["/v3/devices/meter/logs", stranger, 404, "not_found"],
    ["/v3/devices/meter/telemetry", stranger, 404, "not_found"],
    [`/v3/sites/${elsewhere.id}/devices/meter/logs`, admin, 404, "not_found"],
    ["/v3/devices/nobody/telemetry", admin, 404, "not_found"],
    ["/v3/devices/meter/logs?severity=loud", admin, 400, "invalid_query"],
    ["/v3/devices/meter/logs?limit=5", admin, 400, "invalid_query"],
    ["/v3/devices/meter/telemetry?severity=error", admin, 400, "invalid_query"],
    ["/v3/nothing", admin, 404, "route_not_found"],
  ];
  for (const [path, headers, status, code] of cases) {
    const refused = await refusedSocket(busbar.url + path, headers);
    expect([path, refused]).toMatchObject([
      path,
      { status, body: { errors: [{ code }] }, requestId: expect.any(String) },
    ]);
  }
});

test("a path with nothing live gives its plain answer", async () => {
  const plain = await busbar.admin.get("/v3/sites");
  const answer = await refusedSocket(`${busbar.url}/v3/sites`, as(busbar.adminToken));
  expect([answer.status, answer.body]).toEqual([200, plain.body]);
});

test.each([
  [{ "Sec-WebSocket-Version": "13" }, "Sec-WebSocket-Key"],
  [{ "Sec-WebSocket-Version": "7", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" }, "Sec-WebSocket-Version"],
])("a handshake that is not one is refused in words (%j)", async (headers, named) => {
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(`${busbar.url}/v3/devices/meter/logs`, {
      headers: { ...as(busbar.adminToken), Connection: "Upgrade", Upgrade: "websocket", ...headers },
    });
    call.on("response", (answer) => {
      let seen = `${answer.statusCode} `;
      answer.on("data", (piece) => (seen += String(piece))).on("end", () => resolve(seen));
    });
    call.on("error", reject).end();
  });
  expect(text).toMatch(/^400 \{"errors":\[\{"code":"invalid_request"/);
  expect(text).toContain(named);
});

test("other protocols are not offered: the request is a plain one, with its body", async () => {
  const headers = { Connection: "Upgrade", Upgrade: "h2c", "X-Service-Auth-Token": busbar.adminToken };
  const status = await new Promise((resolve, reject) => {
    const call = request(`${busbar.url}/v3/sites`, { method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.on("error", reject).end(JSON.stringify({ name: "Plain" }));
  });
  expect(status).toBe(200);
});

test("WebSockets take places of event streams, and give them back", async () => {
  const token = await newToken();
  const url = `${busbar.url}/v3/devices/meter/logs`;
  const [first] = await Promise.all([1, 2, 3].map(() => openSocket(url, as(token))));
  const refused = await refusedSocket(url, as(token));
  expect(refused).toMatchObject({ status: 429, body: { errors: [{ code: "too_many_streams" }] } });
  first?.socket.close();
  await first?.closed;
  await expect
    .poll(() =>
      openSocket(url, as(token))
        .then(() => "open")
        .catch(() => "refused"),
    )
    .toBe("open");
});

test("a client that sends a message learns that nobody listens", async () => {
  const { socket, closed } = await openSocket(`${busbar.url}/v3/devices/meter/logs`, as(await newToken()));
  socket.send("hello?");
  expect(await closed).toEqual({ code: 1008, reason: "this stream takes no messages" });
});

test.each([
  ["a message that is too long", (socket: { send(data: string): void }) => socket.send("x".repeat(10_000)), 1009],
  [
    "a flood of pings",
    (socket: { ping(): void }) => {
      for (let n = 0; n < 1_000; n++) socket.ping();
    },
    1006,
  ],
])("%s ends the connection", async (_, send, code) => {
  const { socket, closed } = await openSocket(`${busbar.url}/v3/devices/meter/logs`, as(await newToken()));
  send(socket);
  expect((await closed).code).toBe(code);
});

test("a ping is answered", async () => {
  const { socket } = await openSocket(`${busbar.url}/v3/devices/meter/logs`, as(await newToken()));
  const pong = new Promise((resolve) => socket.once("pong", (data) => resolve(data.toString())));
  socket.ping("anybody?");
  expect(await pong).toBe("anybody?");
});

test("the stream ends with its token, and with the service", async () => {
  const { body } = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "t", level: "user" });
  const ofToken = await openSocket(`${busbar.url}/v3/devices/meter/logs`, as(body.token));
  await busbar.admin.delete(`/v3/tokens/${body.id}`);
  expect((await ofToken.closed).code).toBe(1001);
  const ofService = await openSocket(`${busbar.url}/v3/devices/meter/telemetry`, as(await newToken()));
  await busbar.restart();
  expect((await ofService.closed).code).toBe(1001);
});
