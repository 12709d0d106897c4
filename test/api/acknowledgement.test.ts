// Acknowledging alerts, and silence while people work.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Alert, MaintenanceWindow } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { listen } from "../support/listen.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const BLUEPRINT = manifest(
  "Alerting",
  "alerts:\n  hot:\n    severity: warning\n    display_name: Too hot\n  door:\n    severity: info\n    display_name: Door open\n",
).replace(
  "telemetry:\n",
  "telemetry:\n  inside:\n    type: alerts\n    display_name: Inside\n    access_level: vendor\n",
);
const HOUR = 3_600_000;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();

let site: string;
let parent: { readonly id: string; readonly mqtt: FakeDevice };
let child: typeof parent;
beforeAll(async () => {
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Alerts" })).body.site.id;
  const bytes = { bytes: BLUEPRINT };
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", bytes);
  const device = async (fields: object) => {
    const wanted = { name: "Alerting", site_id: site, blueprint_id: made.body.blueprint.id, ...fields };
    const { device_id: id } = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted))
      .body;
    const asked = { protocol: "MQTT" };
    const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(`/v3/devices/${id}/generate_config`, asked);
    return { id, mqtt: await connectFakeDevice(answer.body.config, { listen: false }) };
  };
  parent = await device({ slug: "alerting" });
  child = await device({});
  await busbar.admin.call("PATCH", `/v3/devices/${child.id}`, { json: { parent_id: parent.id } });
});
afterAll(async () => {
  for (const { mqtt } of [parent, child]) await mqtt.close();
});

const raise = async (alerts: readonly string[], at = parent) =>
  await at.mqtt.sendTelemetry({ alerts, timestamp: Date.now() / 1_000 });
const alertsOf = async ({ id } = parent, query = "") =>
  (await busbar.admin.get<{ alerts: readonly Alert[] }>(`/v3/devices/${id}/alerts${query}`)).body.alerts;
const path = (verb: string, alert = "hot") => `/v3/devices/${parent.id}/alerts/${alert}/${verb}`;

test("an acknowledgement has name, time and comment, is an event, lasts into the history, and ends with the raising", async () => {
  await raise(["hot", "door"]);
  const token = await busbar.token({ name: "Anna", level: "user", site_ids: [site] });
  const anna = busbar.as(token);
  const events = await listen(busbar.url, ADMIN_TOKEN, { query: "?kind.in=alert" });
  const comment = "I clean the filter. <b>ß</b>";
  const answer = await anna.post<{ alerts: readonly Alert[] }>(path("acknowledge"), { comment });
  expect([answer.status, answer.body.alerts.map(({ id }) => id)]).toEqual([200, ["hot"]]);
  const acknowledgement = {
    at: expect.any(String),
    by: { token_id: expect.any(String), name: "Anna" },
    comment,
    door: "token",
  };
  const heard = await events.next(({ data }) => data["change"] === "acknowledged");
  expect(heard.data["alert"]).toMatchObject({ id: "hot", acknowledgement });
  events.close();
  const [hot, door] = (await alertsOf()).toSorted((a, b) => (a.id > b.id ? -1 : 1));
  expect([hot?.acknowledgement, door?.acknowledgement]).toEqual([acknowledgement, undefined]);
  await raise(["door"]);
  expect((await alertsOf(parent, "?active=false"))[0]).toMatchObject({ id: "hot", acknowledgement });
  await raise(["hot", "door"]);
  expect((await alertsOf()).map((alert) => alert.acknowledgement)).toEqual([undefined, undefined]);
});

test("an acknowledgement is replaced, taken back, and made on a terminal", async () => {
  await raise(["hot"]);
  const run = async (...words: readonly string[]) =>
    await runBusbar(["alert", "acknowledge", "alerting", "hot", ...words], {
      env: { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: ADMIN_TOKEN },
    });
  expect(await run("--comment", "one")).toMatchObject({ code: 0 });
  expect((await alertsOf())[0]?.acknowledgement?.comment).toBe("one");
  await busbar.admin.post(path("acknowledge"), {});
  expect((await alertsOf())[0]?.acknowledgement?.comment).toBeNull();
  expect(await run("--undo")).toMatchObject({ code: 0 });
  expect((await alertsOf())[0]?.acknowledgement).toBeUndefined();
});

test("what is not active, is listed by a source of a higher level, or has a wrong comment is refused", async () => {
  await raise(["hot"]);
  await parent.mqtt.sendTelemetry({ inside: ["secret"], timestamp: Date.now() / 1_000 });
  const user = busbar.as(await busbar.token({ level: "user", site_ids: [site] }));
  const statusOf = async (alert: string, body: object) => (await user.post(path("acknowledge", alert), body)).status;
  expect(await statusOf("secret", {})).toBe(404);
  expect(await statusOf("none", {})).toBe(404);
  expect(await statusOf(encodeURIComponent("x".repeat(5_000)), {})).not.toBe(200);
  expect(await statusOf("hot", { source: "inside" })).toBe(404);
  expect(await statusOf("hot", { comment: "x".repeat(1_001) })).toBe(400);
  expect(await statusOf("hot", { comment: "line\r\nBcc: x" })).toBe(400);
  expect((await busbar.admin.post(path("acknowledge", "secret"), {})).status).toBe(200);
});

test("a window silences a device and what is connected through it, and hides nothing", async () => {
  for (const one of [parent, child]) await raise(["hot"], one);
  const base = `/v3/sites/${site}/maintenance`;
  const until = after(HOUR);
  const body = { device_id: "alerting", until, reason: "filters" };
  const { window } = (await busbar.admin.post<{ window: MaintenanceWindow }>(base, body)).body;
  expect(window).toMatchObject({ device_id: parent.id, until, reason: "filters", made_by: { name: "admin" } });
  for (const one of [parent, child]) {
    const hot = (await alertsOf(one)).filter(({ id }) => id === "hot");
    expect(hot.map((alert) => alert.silenced_until)).toEqual([until]);
  }
  const listed = await busbar.admin.get<{ windows: readonly MaintenanceWindow[] }>(base);
  expect(listed.body.windows).toEqual([window]);
  expect((await busbar.admin.post(`${base}/${window.id}/end`, undefined)).status).toBe(200);
  expect((await alertsOf()).map((alert) => alert.silenced_until)).not.toContain(until);
  expect((await busbar.admin.post(`${base}/${window.id}/end`, undefined)).status).toBe(404);
});

test.each([
  [{ until: after(-HOUR) }, "until is over already"],
  [{ from: after(2 * HOUR), until: after(HOUR) }, "until must come after from"],
  [{ until: after(93 * 24 * HOUR) }, "92 days"],
  [{ from: after(400 * 24 * HOUR), until: after(401 * 24 * HOUR) }, "a year ahead"],
  [{ until: "2026-02-30T00:00:00Z" }, "/until"],
  [{}, "until"],
])("the window %j is refused: %s", async (body, words) => {
  const answer = await busbar.admin.post(`/v3/sites/${site}/maintenance`, body);
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain(words);
});
