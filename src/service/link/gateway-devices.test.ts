import { expect, test } from "vitest";
import { createGatewayDevices, type GatewayDeviceNeeds } from "./gateway-devices.ts";

test("a gateway that comes back takes one read, however many devices it has", async () => {
  const stored = Array.from({ length: 1_000 }, (_, n) => ({
    id: `device ${n}`,
    siteId: "s",
    type: n === 7 ? "GATEWAY" : "STANDALONE",
  }));
  let reads = 0;
  const gateways = {
    devices: async () => {
      reads++;
      return stored;
    },
  };
  const devices = createGatewayDevices({ gateways } as unknown as GatewayDeviceNeeds, "g");
  await devices.read();
  expect([reads, devices.sites.size, devices.sites.get("device 999"), [...devices.own]]).toEqual([
    1,
    1_000,
    "s",
    ["device 7"],
  ]);
});
