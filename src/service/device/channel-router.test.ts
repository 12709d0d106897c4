import { expect, test } from "vitest";
import type { Carrier } from "#service/ports/carrier.ts";
import { createChannelRouter } from "./channel-router.ts";

function carrier(name: string, devices: readonly string[], told: string[]): Carrier {
  return {
    isReady: (deviceId) => devices.includes(deviceId),
    send: async (deviceId, { id }) => void told.push(`${name} ${deviceId} ${id}`),
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
  for (const id of ["a", "b"]) await all.send(id, command);
  await all.sendConfiguration("b", new Map(), []);
  expect(told).toEqual(["mqtt a e", "lua b e", "lua b configuration"]);
});

test("a device that nobody reaches is refused a command, and told its configuration when it returns", async () => {
  const all = createChannelRouter();
  await expect(all.send("c", { id: "e", name: "start", arguments: {} })).rejects.toMatchObject({
    code: "not_available",
  });
  await all.sendConfiguration("c", new Map(), []);
});

test("every carrier ends the connections of a device", () => {
  const told: string[] = [];
  const all = createChannelRouter();
  for (const one of [carrier("mqtt", [], told), carrier("lua", [], told)]) all.add(one);
  all.disconnect("a");
  expect(told).toEqual(["mqtt a disconnect", "lua a disconnect"]);
});
