// What holds only where somebody else runs the broker.
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestExternalBroker, type TestExternalBroker } from "../support/external-broker.ts";
import { connectFakeDevice } from "../support/fake-device.ts";

export function externalBrokerSuite(): void {
  let rig: TestExternalBroker;
  beforeEach(async () => {
    rig = await startTestExternalBroker();
  });
  afterEach(() => rig.stop());

  test("is found again after it was gone", async () => {
    await rig.mosquitto.restart();
    await rig.connected();
    const device = await connectFakeDevice(rig.configFor("d1"));
    await device.sendTelemetry({ a: 1 });
    await rig.inbox.seen("telemetry d1");
    await rig.inbox.seen("reachable d1");
    await rig.channel.send("d1", { id: "e1", name: "start", arguments: {} });
    expect((await device.nextCommand()).id).toBe("e1");
    await device.close();
  });

  test("falls silent for a device that says nothing, and the device counts as gone", async () => {
    const device = await connectFakeDevice(rig.configFor("d1"));
    await device.sendTelemetry({ a: 1 });
    await rig.inbox.seen("reachable d1");
    await rig.inbox.seen("unreachable d1");
    expect(rig.channel.isReady("d1")).toBe(false);
    await device.sendTelemetry({ a: 2 });
    await rig.inbox.seen("reachable d1");
    expect(rig.channel.isReady("d1")).toBe(true);
    await device.close();
  });

  test("has messages of hardware that the service does not know, which are taken and left", async () => {
    const [unknown, known] = [
      await connectFakeDevice(rig.configFor("d3")),
      await connectFakeDevice(rig.configFor("d1")),
    ];
    await unknown.sendTelemetry({ a: 1 });
    await known.sendTelemetry({ a: 2 });
    await rig.inbox.seen("telemetry d1");
    expect(rig.inbox.calls.filter((call) => call.includes("d3"))).toEqual([]);
    await Promise.all([unknown.close(), known.close()]);
  });

  test("keeps what devices send at QoS 1 while the service is away", async () => {
    const device = await connectFakeDevice(rig.configFor("d1"));
    await rig.closeService();
    await device.sendTelemetry({ missed: 1 });
    await device.sendTelemetry({ missed: 2 });
    await rig.reopenService();
    await rig.inbox.seen('telemetry d1 {"values":{"missed":2}}');
    expect(rig.inbox.calls.filter((call) => call.startsWith("telemetry"))).toHaveLength(2);
    await device.close();
  });

  test("delivers again what could not be stored and what came after it", async () => {
    const device = await connectFakeDevice(rig.configFor("d1"));
    const held = rig.inbox.hold();
    await Promise.all([1, 2, 3].map((index) => device.sendTelemetry({ index })));
    const third = 'telemetry d1 {"values":{"index":3}}';
    await rig.inbox.seen(third);
    rig.inbox.release(false);
    held[2]?.resolve();
    held[0]?.resolve();
    held[1]?.reject(new Error("disk full"));
    // The third was durable, but what comes after a failure is not acknowledged.
    await rig.inbox.seen(third);
    const counts = [1, 2, 3].map(
      (index) => rig.inbox.calls.filter((call) => call.includes(`"index":${index}}`)).length,
    );
    expect(counts).toEqual([1, 2, 2]);
    await device.close();
  });

  test("acknowledges to us in order while many messages wait for the disk", async () => {
    const held = rig.inbox.hold();
    const device = await connectFakeDevice(rig.configFor("d1"));
    await Promise.all(Array.from({ length: 10 }, (_, index) => device.sendTelemetry({ index })));
    await rig.inbox.seen('telemetry d1 {"values":{"index":9}}');
    expect(held).toHaveLength(10);
    for (const { resolve } of held.toReversed()) resolve();
    rig.inbox.release();
    await device.sendTelemetry({ last: true });
    await rig.inbox.seen('telemetry d1 {"values":{"last":true}}');
    await device.close();
  });
}
