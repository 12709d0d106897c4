// What holds for devices over MQTT, whoever runs the broker.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ChildChannel, CommandChannel, DeviceConfiguration } from "#service/ports/carrier.ts";
import {
  connectFakeDevice,
  type FakeDevice,
  type FakeDeviceConfig,
  type FakeDeviceOptions,
} from "../support/fake-device.ts";
import type { FakeInbox } from "../support/fake-inbox.ts";
import { createInbox } from "../support/topic-inbox.ts";

/** A broker with the devices d1, d2, d3 behind it. */
export interface CarrierRig {
  readonly inbox: FakeInbox;
  readonly channel: CommandChannel & { readonly children: ChildChannel };
  readonly configurations: Map<string, DeviceConfiguration>;
  configFor(deviceId: string): FakeDeviceConfig;
  stop(): Promise<void>;
}

const MALFORMED: readonly (readonly [string, string, string])[] = [
  ["v1/telemetry", "{", "is not JSON"],
  ["v1/telemetry", "", "is empty"],
  ["v1/telemetry", "[1]", "is not a JSON object"],
  ["v1/telemetry", '{"timestamp":"now"}', "timestamp must be Unix seconds"],
  ["v1/telemetry", '{"timestamp":1700000000000,"a":1}', "looks like milliseconds"],
  ["v1/telemetry", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`, "is nested more than 32 levels deep"],
  ["v1/telemetry", `{"a":"${"x".repeat(300_000)}"}`, "is larger than 256 KiB"],
  ["v1/register", "7", "is not a JSON object"],
  ["v3/logs", '{"message":5,"severity":"loud"}', "message must be text"],
  ["v1/command/responses", '{"state":"done"}', "id must be the id of the request"],
  ["v1/command/responses", '{"id":"e1","state":"done"}', "state must be log, completed or error"],
  ["v1/nothing", "{}", "is not a topic that is known"],
  ["v1/command/requests", "{}", "is not a topic that is known"],
];

export function deviceCarrierContract(open: () => Promise<CarrierRig>): void {
  let rig: CarrierRig;
  const devices: FakeDevice[] = [];
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(async () => {
    for (const device of devices.splice(0)) await device.close();
    await rig.stop();
  });

  /** A device that listens and that the service knows to be there. */
  const connect = async (deviceId: string, options: FakeDeviceOptions = {}): Promise<FakeDevice> => {
    const device = await connectFakeDevice(rig.configFor(deviceId), options);
    devices.push(device);
    await device.sendProperties({ hello: true });
    await rig.inbox.seen(`properties ${deviceId}`);
    if (options.listen !== false) await rig.inbox.seen(`reachable ${deviceId}`);
    return device;
  };

  test("what a device sends arrives parsed, in the order it was sent", async () => {
    const device = await connect("d1");
    await Promise.all([
      device.sendTelemetry({ timestamp: 1_700_000_000.25, power: 1.5, alerts: ["hot"] }),
      device.publish("v1/register", '{"serial":"A1"}'),
      device.sendProperties({ serial: "A2" }),
      device.log("hello", { severity: "Warning", persist: true, timestamp: 1_700_000_001 }),
      device.publish("v1/command/responses", '{"id":"e1","state":"started"}'),
      device.publish("v1/command/responses", '{"id":"e1","state":"LOG","payload":{"percent":5}}'),
      device.publish("v1/command/responses", '{"id":"e1","state":"Error","payload":null}'),
    ]);
    await rig.inbox.seen('response d1 {"executionId":"e1","state":"ERROR"');
    expect(rig.inbox.calls.filter((call) => !call.includes('hello":true') && !call.startsWith("reach"))).toEqual([
      'telemetry d1 {"takenAt":1700000000250,"values":{"power":1.5,"alerts":["hot"]}}',
      'properties d1 {"values":{"serial":"A1"}}',
      'properties d1 {"values":{"serial":"A2"}}',
      'log d1 {"takenAt":1700000001000,"severity":"warning","text":"hello","persist":true}',
      'response d1 {"executionId":"e1","state":"STARTED","repeated":false}',
      'response d1 {"executionId":"e1","state":"IN_PROGRESS","payload":{"percent":5},"repeated":false}',
      'response d1 {"executionId":"e1","state":"ERROR","repeated":false}',
    ]);
  });

  test("a thousand messages at QoS 1 arrive in order, each once", async () => {
    const device = await connect("d1");
    const sent = Array.from({ length: 1_000 }, (_, index) => index);
    await Promise.all(sent.map((index) => device.sendTelemetry({ index })));
    await rig.inbox.seen('telemetry d1 {"values":{"index":999}}');
    const arrived = rig.inbox.calls.filter((call) => call.startsWith("telemetry"));
    expect(arrived).toEqual(sent.map((index) => `telemetry d1 {"values":{"index":${index}}}`));
  });

  test("a message at QoS 0 arrives too", async () => {
    const device = await connect("d1", { sendQos: 0 });
    await device.sendTelemetry({ power: 2 });
    expect(await rig.inbox.seen("telemetry d1")).toBe('telemetry d1 {"values":{"power":2}}');
  });

  test.each(MALFORMED)(
    "on %s a wrong message is acknowledged and reported as malformed, case %#",
    async (topic, payload, problem) => {
      const device = await connect("d1");
      await device.publish(topic, payload);
      const reported = await rig.inbox.seen("malformed d1");
      expect(reported).toContain(problem);
      expect(reported.length).toBeLessThan(600);
      await device.sendTelemetry({ power: 3 });
      await rig.inbox.seen("telemetry d1");
    },
  );

  test("bytes that are no text are reported as malformed", async () => {
    const device = await connect("d1");
    await device.publish("v1/telemetry", Buffer.from([0xff, 0xfe, 0x00]));
    expect(await rig.inbox.seen("malformed d1")).toContain("is not UTF-8 text");
  });

  test("names that mean something to JavaScript are ordinary names", async () => {
    const device = await connect("d1");
    await device.publish("v1/telemetry", '{"__proto__":1,"constructor":2,"toString":{"__proto__":{"x":3}}}');
    expect(await rig.inbox.seen("telemetry d1")).toContain('"constructor":2');
    expect(Object.prototype).not.toHaveProperty("x");
  });

  test("a bad number does not cost the rest of the message", async () => {
    const device = await connect("d1");
    await device.publish("v1/telemetry", '{"a":NaN,"b":1,"c":-Infinity,"d":"NaN"}');
    expect(await rig.inbox.seen("telemetry d1")).toBe(
      'telemetry d1 {"values":{"a":"NaN","b":1,"c":"-Infinity","d":"NaN"}}',
    );
  });

  test("a command reaches its device only, arguments as they are", async () => {
    const [one, two] = [await connect("d1"), await connect("d2")];
    expect(rig.channel.isReady("d1")).toBe(true);
    const given = { text: 'ünï "quoted" \u0000', list: [1, { deep: null }], ["__proto__"]: 5 };
    expect(await rig.channel.send("d1", { id: "e1", name: "start", arguments: given })).toBe("handed_over");
    await rig.channel.send("d2", { id: "e2", name: "stop", arguments: {} });
    const command = await one.nextCommand();
    expect([command.id, command.name, JSON.stringify(command.arguments)]).toEqual([
      "e1",
      "start",
      JSON.stringify(given),
    ]);
    expect((await two.nextCommand()).id).toBe("e2");
    await command.completed();
    await rig.inbox.seen("response d1");
    expect([one.commands.length, two.commands.length]).toEqual([1, 1]);
  });

  test("a child is heard and reached over its parent's connection, on its own channel", async () => {
    const parent = await connect("d1");
    await connect("d2");
    const inbox = createInbox(parent.client);
    const child = { childId: "d1/child-1", carrierId: "d1", channelId: "child-1" };
    const { hardware_id } = rig.configFor("d1");
    await parent.client.subscribeAsync(`v1/to/${hardware_id}/+/v1/#`, { qos: 1 });
    expect(rig.channel.children.isReady(child)).toBe(true);
    expect(rig.channel.children.isReady({ ...child, carrierId: "d3" })).toBe(false);
    const command = { id: "e1", name: "start", arguments: {} };
    expect(await rig.channel.children.send({ ...child, carrierId: "d3" }, command)).toBe("not_sent");
    expect(await rig.channel.children.send(child, command)).toBe("handed_over");
    expect(await inbox.next()).toEqual({ topic: `v1/to/${hardware_id}/child-1/v1/command/requests`, body: command });
    await rig.channel.children.sendConfiguration(child, new Map([["limits", { max: 5 }]]), []);
    const configuration = { topic: `v1/to/${hardware_id}/child-1/v1/configuration`, body: { limits: { max: 5 } } };
    expect(await inbox.next()).toEqual(configuration);
    const publish = (channel: string, rest: string) =>
      parent.client.publishAsync(`v1/from/${hardware_id}/${channel}/${rest}`, '{"a":1,"id":"e1","state":"log"}', {
        qos: 1,
      });
    await publish("child-1", "v1/telemetry");
    expect(await rig.inbox.seen("telemetry d1/child-1")).toContain('"a":1');
    await publish("child-1", "v1/command/responses");
    await rig.inbox.seen("response d1/child-1");
    await publish("child-2", "v1/register");
    await rig.inbox.seen("child d1 child-2");
    await publish("stranger", "v1/telemetry");
    expect(await rig.inbox.seen("malformed d1")).toContain("or one of its children");
  });

  test("a device that was never there is not ready, and a command to it is refused", async () => {
    expect(rig.channel.isReady("d1")).toBe(false);
    expect(rig.channel.isReady("unknown")).toBe(false);
    expect(await rig.channel.send("d1", { id: "e1", name: "start", arguments: {} })).toBe("not_sent");
  });

  test("a command for a device that is away is not delivered when it returns, even to a session that is kept", async () => {
    const session = { clientId: "kept", clean: false };
    const before = await connect("d1", session);
    before.drop();
    await rig.inbox.seen("unreachable d1");
    expect(await rig.channel.send("d1", { id: "late", name: "start", arguments: {} })).toBe("not_sent");
    const after = await connect("d1", session);
    await rig.channel.send("d1", { id: "fresh", name: "start", arguments: {} });
    expect((await after.nextCommand()).id).toBe("fresh");
    expect(after.commands.map(({ id }) => id)).toEqual(["fresh"]);
  });

  test("a device learns its configuration when it comes and when it changes", async () => {
    rig.configurations.set("d1", new Map([["network", { host: "a", secret: "s" }]]));
    const device = await connect("d1");
    expect(await device.nextConfiguration()).toEqual({ network: { host: "a", secret: "s" } });
    await rig.channel.sendConfiguration("d1", new Map([["network", { host: "b" }]]), ["network"]);
    expect(await device.nextConfiguration()).toEqual({ network: { host: "b" } });
  });

  test("sending a configuration to a device that is away does nothing", async () => {
    await rig.channel.sendConfiguration("d1", new Map([["network", { host: "b" }]]), ["network"]);
    const device = await connect("d1");
    await rig.channel.send("d1", { id: "e1", name: "start", arguments: {} });
    await device.nextCommand();
    expect(device.configurations).toEqual([]);
  });

  test("two connections with one login both count, and the device is there until the last has gone", async () => {
    const first = await connect("d1", { listen: false });
    const second = await connectFakeDevice(rig.configFor("d1"));
    devices.push(second);
    await first.sendTelemetry({ power: 1 });
    await second.sendTelemetry({ power: 2 });
    await rig.inbox.seen('telemetry d1 {"values":{"power":2}}');
    await first.close();
    await second.sendTelemetry({ power: 3 });
    await rig.inbox.seen('telemetry d1 {"values":{"power":3}}');
    expect(rig.inbox.calls).not.toContain("unreachable d1");
    expect(rig.channel.isReady("d1")).toBe(true);
  });

  test("what could not be stored comes again", async () => {
    const device = await connect("d1", { reconnectPeriod: 20 });
    const held = rig.inbox.hold();
    const sent = device.publish("v1/command/responses", '{"id":"e1","state":"completed"}');
    await rig.inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
    rig.inbox.release(false);
    held[0]?.reject(new Error("disk full"));
    await rig.inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
    await sent;
  });

  test("a device cannot speak for another, nor listen to it", async () => {
    const [one, two] = [await connect("d1"), await connect("d2")];
    for (const topic of [
      "v1/from/HW2/main/v1/telemetry",
      "v1/to/HW2/main/v1/command/requests",
      "v1/from/HW1/../HW2/x",
    ]) {
      await two.client.publishAsync("v1/from/HW2/main/v1/telemetry", '{"by":2}', { qos: 1 });
      await one.client
        .publishAsync(topic, '{"id":"x","name":"start","by":1}', { qos: 1, retain: true })
        .catch(() => {});
    }
    await one.client
      .subscribeAsync(["v1/to/HW2/main/#", "#", "v1/to/+/main/v1/command/requests"], { qos: 1 })
      .catch(() => {});
    await rig.channel.send("d2", { id: "e2", name: "stop", arguments: {} });
    await two.nextCommand();
    await rig.channel.send("d1", { id: "e1", name: "stop", arguments: {} });
    await one.nextCommand();
    expect(two.commands.map(({ id }) => id)).toEqual(["e2"]);
    expect(one.commands.map(({ id }) => id)).toEqual(["e1"]);
    expect(rig.inbox.calls.filter((call) => call.startsWith("telemetry d2") && call.includes('"by":1'))).toEqual([]);
  });
}
