import { expect, test } from "vitest";
import { parseBrokerAddress } from "./broker-address.ts";

test.each([
  ["mqtt://broker", "mqtt broker:1883", "mqtt://broker"],
  ["mqtts://me:secret@broker", "mqtt secure broker:8883", "mqtts://***@broker"],
  ["mqtt://me:s@a,b:1884,[::1]", "mqtt a:1883 b:1884 ::1:1883", "mqtt://***@a,b:1884,[::1]"],
  ["amqp://me:s@a,b/site?heartbeat=5", "amqp a:5672 b:5672", "amqp://***@a,b/site?***"],
  ["amqps://a:1", "amqp secure a:1", "amqps://a:1"],
])("%s means %s, and is shown as %s", (text, meaning, shown) => {
  const parsed = parseBrokerAddress(text);
  if (!("value" in parsed)) throw new Error(parsed.problem);
  const { protocol, isSecure, servers } = parsed.value;
  const places = servers.map(({ host, port }) => `${host}:${port}`);
  expect([protocol, ...(isSecure ? ["secure"] : []), ...places].join(" ")).toBe(meaning);
  expect(parsed.value.shown).toBe(shown);
});

test("each server has an address of its own, with the name, the path and the parameters of all", () => {
  const parsed = parseBrokerAddress("amqp://me:s@a,b:1/site?heartbeat=5");
  expect("value" in parsed && parsed.value.servers.map(({ url }) => url)).toEqual([
    "amqp://me:s@a/site?heartbeat=5",
    "amqp://me:s@b:1/site?heartbeat=5",
  ]);
});

test.each([
  ["http://secret@broker", "must be an address that starts with mqtt://, mqtts://, amqp:// or amqps://"],
  ["mqtt://secret@", "must be an address that starts with"],
  ["mqtt://secret@a,,b", "has a server that is no address"],
  ["mqtt://secret@a:x", "has a server that is no address"],
  ["amqp://secret@a,a:5672", "names a server twice"],
  [`mqtt://secret@${Array.from({ length: 17 }, (_, n) => `h${n}`)}`, "names 17 servers, and at most 16 are possible"],
])("%s is refused, and the problem names no secret", (text, problem) => {
  const parsed = parseBrokerAddress(text);
  expect("problem" in parsed && parsed.problem).toContain(problem);
  expect(JSON.stringify(parsed)).not.toContain("secret");
});
