// A cloud with the simulated gateways of bench/fleet, so that they go on speaking the protocol as gateways do today.
import { expect, onTestFinished, test, vi } from "vitest";
import type { Fleet } from "#client/resources.ts";
import { eventually } from "../support/linked-pair.ts";
import { useServer } from "../support/server.ts";
import { joinSimulated, type SimulatedGateway } from "../support/simulated-gateway.ts";

vi.setConfig({ testTimeout: 180_000 });

const COUNT = 10;
const cloud = useServer(["--role", "cloud", "--mqtt-port", "off"]);

async function join(): Promise<SimulatedGateway> {
  const { body } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", {});
  const gateway = await joinSimulated(cloud.url, body.code);
  onTestFinished(() => gateway.uplink.stop());
  await gateway.uplink.restart();
  return gateway;
}

const areConnected = () =>
  eventually(async () => expect((await cloud.admin.get<Fleet>("/v3/gateways/overview")).body.connected).toBe(COUNT));

async function execute(deviceId: string): Promise<unknown> {
  const { body } = await cloud.admin.post<{ execution: { state: string } }>(
    `/v3/devices/${deviceId}/commands/execute`,
    {
      name: "start",
    },
  );
  return body.execution?.state;
}

/** The first may come before the gateway has reported its devices. */
async function commandsSucceed(gateways: readonly SimulatedGateway[]): Promise<void> {
  for (const { deviceId } of gateways) {
    await eventually(async () => expect(await execute(deviceId)).toBe("SUCCESS"));
  }
}

test("commands go through each of many gateways, also after all of them have connected anew at once", async () => {
  const gateways = await Promise.all(Array.from({ length: COUNT }, join));
  await areConnected();
  await commandsSucceed(gateways);
  await Promise.all(gateways.map(({ uplink }) => uplink.restart()));
  await areConnected();
  await commandsSucceed(gateways);
  const [first] = gateways;
  if (first === undefined) throw new Error("there are gateways");
  await first.report();
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ telemetry: Record<string, object> }>(
      `/v3/telemetry/latest?devices[${first.deviceId}]=value_0,value_9`,
    );
    expect(Object.keys(body.telemetry[first.deviceId] ?? {}).sort()).toEqual(["value_0", "value_9"]);
  });
});
