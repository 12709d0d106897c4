// The device protocol over MQTT, at the embedded broker.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { connected } from "../support/command-site.ts";
import { connectPacket, connectRaw, publishPacket, subscribePacket } from "../support/raw-mqtt.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite(["--mqtt-tls-port", "0"]);
const { busbar } = site;

const DEVICE = manifestWith(`telemetry: {power: {type: float, display_name: P}}
properties: {model: {type: string, display_name: M}}
command_groups: {g: {display_name: G}}
commands: {run: {group: g, display_name: Run, aliases: [go], arguments: {power: {type: float, display_name: P}}}}`);

/** A device that speaks MQTT by hand. */
async function byHand(options: Parameters<typeof connectPacket>[0] = {}) {
  const device = await site.device(DEVICE);
  const config = await device.config();
  const { username = "", password = "" } = config.mqtt_credentials;
  const dial = async () => {
    const raw = await connectRaw(config.mqtt_port, connectPacket({ username, password, ...options }));
    return raw;
  };
  const from = `v1/from/${config.hardware_id}/${config.channel_id}`;
  const to = `v1/to/${config.hardware_id}/${config.channel_id}`;
  return { ...device, config, dial, from, to };
}

check("mqtt.version-3-1-1", async () => {
  const four = await byHand({ level: 4 });
  const raw = await four.dial();
  expect(await raw.seen("connack")).toBe("connack 0");
  await raw.end();
  const five = await (await byHand({ level: 5 })).dial();
  await five.closed;
  expect(five.received).not.toContain("connack 0");
});

check("mqtt.empty-client-id", async () => {
  const { dial } = await byHand({ clientId: "" });
  const raw = await dial();
  expect(await raw.seen("connack")).toBe("connack 0");
  await raw.end();
});

check("mqtt.qos-0-or-1", async () => {
  const { dial, from, now } = await byHand();
  const raw = await dial();
  await raw.seen("connack 0");
  raw.send(publishPacket(`${from}/v1/telemetry`, '{"timestamp":1,"power":1}', { qos: 0 }));
  await expect.poll(() => now("power")).toEqual({ power: { value: 1, timestamp: 1 } });
  raw.send(publishPacket(`${from}/v1/telemetry`, '{"timestamp":2,"power":2}', { qos: 1, id: 7 }));
  await raw.seen("puback 7");
  expect(await now("power")).toEqual({ power: { value: 2, timestamp: 2 } });
  await raw.end();
});

check("mqtt.two-connections", async () => {
  const device = await site.device(DEVICE);
  const config = await device.config();
  const [one, two] = [await connected(config), await connected(config)];
  await one.sendTelemetry({ timestamp: 1, power: 1 });
  await two.sendTelemetry({ timestamp: 2, power: 2 });
  await one.sendTelemetry({ timestamp: 3, power: 3 });
  expect(await device.now("power")).toEqual({ power: { value: 3, timestamp: 3 } });
  expect([one.client.connected, two.client.connected]).toEqual([true, true]);
});

check("mqtt.telemetry", async () => {
  const { dial, from, now } = await byHand();
  const raw = await dial();
  await raw.seen("connack 0");
  raw.send(publishPacket(`${from}/v1/telemetry`, '{"timestamp":1700000000,"power":5}', { qos: 1, id: 1 }));
  await raw.seen("puback 1");
  expect(await now("power")).toEqual({ power: { value: 5, timestamp: 1_700_000_000 } });
  const before = Math.floor(site.now() / 1000);
  raw.send(publishPacket(`${from}/v1/telemetry`, '{"power":6}', { qos: 1, id: 2 }));
  await raw.seen("puback 2");
  const { power } = await now("power");
  expect(power?.value).toBe(6);
  expect(power?.timestamp).toBeGreaterThanOrEqual(before);
  await raw.end();
});

check("mqtt.properties", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  for (const topic of ["v1/register", "v1/properties"]) {
    await mqtt.publish(topic, JSON.stringify({ model: topic }));
    expect((await busbar.admin.get(`${device.path}/properties`)).body).toEqual({ properties: { model: topic } });
  }
});

check("mqtt.logs", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  for (const [index, severity] of ["debug", "info", "warning", "error"].entries()) {
    const line = { timestamp: 1_700_000_000, message: severity, severity, persist: index % 2 === 0 };
    await mqtt.publish("v3/logs", JSON.stringify(line));
  }
  const { body } = await busbar.admin.get<{ logs: readonly object[] }>(`${device.path}/logs`);
  expect(body.logs).toMatchObject([
    { message: "debug", severity: "debug", persist: true },
    { message: "info", severity: "info", persist: false },
    { message: "warning", severity: "warning", persist: true },
    { message: "error", severity: "error", persist: false },
  ]);
});

check("mqtt.requests", async () => {
  const { dial, to, started } = await byHand();
  const raw = await dial();
  raw.send(subscribePacket(1, [`${to}/v1/command/requests`]));
  await raw.seen("suback 1");
  const id = await started({ name: "go", arguments: { power: 3 } });
  const topic = `publish ${to}/v1/command/requests `;
  const request = JSON.parse((await raw.seen(topic)).slice(topic.length)) as object;
  expect(request).toEqual({ id, name: "run", arguments: { power: 3 } });
  await raw.end();
});

/** An execution whose device answers by hand. */
async function answered(...states: readonly (readonly [state: string, payload?: object])[]) {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  const id = await device.started({ name: "run" });
  await mqtt.nextCommand();
  await expect.poll(() => device.state(id)).toBe("IN_PROGRESS");
  for (const [state, payload] of states) {
    await mqtt.publish("v1/command/responses", JSON.stringify({ id, state, payload }));
  }
  const { log = [], state } = (await device.get(id, "?expand=log")).body.execution;
  return { state, log: log.map((response) => [response.state, response.payload]).toReversed() };
}

check("mqtt.responses", async () => {
  expect(await answered(["log", { percent: 5 }], ["completed", { done: 1 }])).toEqual({
    state: "SUCCESS",
    log: [
      ["STARTED", undefined],
      ["IN_PROGRESS", { percent: 5 }],
      ["SUCCEEDED", { done: 1 }],
    ],
  });
  expect((await answered(["error", { message: "no" }])).state).toBe("ERROR");
  expect((await answered(["completed"])).log.at(-1)).toEqual(["SUCCEEDED", undefined]);
});

check("mqtt.response-words", async () => {
  const { state, log } = await answered(["STARTED"], ["IN_PROGRESS", { a: 1 }], ["SUCCEEDED"]);
  expect([state, log.map(([word]) => word)]).toEqual(["SUCCESS", ["STARTED", "STARTED", "IN_PROGRESS", "SUCCEEDED"]]);
  expect((await answered(["ERROR", { message: "no" }])).state).toBe("ERROR");
});

check("mqtt.started-by-service", async () => {
  expect(await answered()).toEqual({ state: "IN_PROGRESS", log: [["STARTED", undefined]] });
});

check("mqtt.login-secret", async () => {
  const { dial, config } = await byHand();
  const right = await dial();
  expect(await right.seen("connack")).toBe("connack 0");
  await right.end();
  const username = config.hardware_id;
  for (const wrong of [
    { username, password: "guess" },
    { username: "V00", password: config.mqtt_credentials["password"] ?? "" },
    {},
  ]) {
    const raw = await connectRaw(config.mqtt_port, connectPacket(wrong));
    await raw.closed;
    expect(raw.received).not.toContain("connack 0");
  }
});

check("mqtt.login-certificate", async () => {
  const device = await site.device(DEVICE);
  const config = await device.config("MQTTS");
  expect(config.mqtt_credentials["certificate"]).toContain("BEGIN CERTIFICATE");
  const mqtt = await connected(config);
  await mqtt.sendTelemetry({ timestamp: 9, power: 9 });
  expect(await device.now("power")).toEqual({ power: { value: 9, timestamp: 9 } });
  const { certificate: _, private_key: __, ...noKey } = config.mqtt_credentials;
  await expect(connected({ ...config, mqtt_credentials: noKey })).rejects.toThrow();
});

check("mqtt.own-topics-only", async () => {
  const [one, other] = [await byHand(), await byHand()];
  const raw = await one.dial();
  await raw.seen("connack 0");
  raw.send(publishPacket(`${other.from}/v1/telemetry`, '{"power":1}', { qos: 1, id: 3 }));
  raw.send(subscribePacket(4, [`${other.to}/v1/command/requests`, "#", `${one.to}/v1/command/requests`]));
  expect(await raw.seen("suback 4")).toBe("suback 4 128,128,1");
  expect(await other.now("power")).toEqual({});
  await other.started({ name: "run" });
  const own = await one.started({ name: "run" });
  expect(await raw.seen("publish")).toContain(own);
  await raw.end();
});

check("mqtt.duplicate-request", async () => {
  const device = await site.device(DEVICE);
  const config = await device.config();
  const first = await connected(config);
  const id = await device.started({ name: "run" });
  const command = await first.nextCommand();
  first.drop();
  const second = await connected(config);
  const next = await device.started({ name: "run" });
  expect((await second.nextCommand()).id).toBe(next);
  expect(second.commands.map((one) => one.id)).not.toContain(id);
  expect(command.id).toBe(id);
});
