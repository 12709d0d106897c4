import { expect, test } from "vitest";
import type { Carrier } from "#service/ports/carrier.ts";
import { createChannelRouter } from "./channel-router.ts";

function carrier(name: string, devices: readonly string[], sent: string[]): Carrier {
  return {
    isReady: (deviceId) => devices.includes(deviceId),
    async send(deviceId, { id }) {
      sent.push(`${name} ${deviceId} ${id}`);
      return name === "lua" ? "unknown" : "handed_over";
    },
    sendConfiguration: async (deviceId) => void sent.push(`${name} ${deviceId} configuration`),
    disconnect: (deviceId) => void sent.push(`${name} ${deviceId} disconnect`),
  };
}

test("a command goes over one carrier, the first that reaches the device", async () => {
  const sent: string[] = [];
  const all = createChannelRouter();
  for (const one of [carrier("mqtt", ["a"], sent), carrier("lua", ["a", "b"], sent)]) all.add(one);
  expect(["a", "b", "c"].map((id) => all.isReady(id))).toEqual([true, true, false]);
  const command = { id: "e", name: "start", arguments: {} };
  expect([await all.send("a", command), await all.send("b", command)]).toEqual(["handed_over", "unknown"]);
  await all.sendConfiguration("b", new Map(), []);
  expect(sent).toEqual(["mqtt a e", "lua b e", "lua b configuration"]);
});

test("a command to a device that nobody reaches is not sent, and the device gets its configuration when it returns", async () => {
  const all = createChannelRouter();
  expect(await all.send("c", { id: "e", name: "start", arguments: {} })).toBe("not_sent");
  await all.sendConfiguration("c", new Map(), []);
});

test("every carrier ends the connections of a device", () => {
  const sent: string[] = [];
  const all = createChannelRouter();
  for (const one of [carrier("mqtt", [], sent), carrier("lua", [], sent)]) all.add(one);
  all.disconnect("a");
  expect(sent).toEqual(["mqtt a disconnect", "lua a disconnect"]);
});
