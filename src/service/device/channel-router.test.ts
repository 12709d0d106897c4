import { expect, test } from "vitest";
import type { Carrier } from "#service/ports/carrier.ts";
import { createChannelRouter } from "./channel-router.ts";

function carrier(name: string, devices: readonly string[], told: string[]): Carrier {
  return {
    isReady: (deviceId) => devices.includes(deviceId),
    async send(deviceId, { id }) {
      told.push(`${name} ${deviceId} ${id}`);
      return name === "lua" ? "unknown" : "handed_over";
    },
    sendConfiguration: async (deviceId) => void told.push(`${name} ${deviceId} configuration`),
    disconnect: (deviceId) => void told.push(`${name} ${deviceId} disconnect`),
  };
}

test("a command goes over one carrier, the first that reaches the device", async () => {
  const told: string[] = [];
  const all = createChannelRouter();
  for (const one of [carrier("mqtt", ["a"], told), carrier("lua", ["a", "b"], told)]) all.add(one);
  expect(["a", "b", "c"].map((id) => all.isReady(id))).toEqual([true, true, false]);
  const command = { id: "e", name: "start", arguments: {} };
  expect([await all.send("a", command), await all.send("b", command)]).toEqual(["handed_over", "unknown"]);
  await all.sendConfiguration("b", new Map(), []);
  expect(told).toEqual(["mqtt a e", "lua b e", "lua b configuration"]);
});

test("a command to a device that nobody reaches is not sent, and the device is told its configuration when it returns", async () => {
  const all = createChannelRouter();
  expect(await all.send("c", { id: "e", name: "start", arguments: {} })).toBe("not_sent");
  await all.sendConfiguration("c", new Map(), []);
});

test("every carrier ends the connections of a device", () => {
  const told: string[] = [];
  const all = createChannelRouter();
  for (const one of [carrier("mqtt", [], told), carrier("lua", [], told)]) all.add(one);
  all.disconnect("a");
  expect(told).toEqual(["mqtt a disconnect", "lua a disconnect"]);
});
