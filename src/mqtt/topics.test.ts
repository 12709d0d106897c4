import { expect, test } from "vitest";
import { filterChannel, filterMatches, isTopicLevel, kindOfTopic, ownPart, parseDeviceTopic } from "./topics.ts";

const HW1 = { hardwareId: "HW1", channelId: "main" };

test.each([
  ["v1/from/HW1/main/v1/telemetry", "HW1 main v1/telemetry"],
  ["v1/from/HW1/main/a/b/c", "HW1 main a/b/c"],
  ["v1/from/HW1/main/", "HW1 main "],
  ["v1/from/HW1/main", "-"],
  ["v1/from//main/v1/telemetry", "-"],
  ["v1/from/HW1//v1/telemetry", "-"],
  ["v1/to/HW1/main/v1/telemetry", "-"],
  ["v2/from/HW1/main/v1/telemetry", "-"],
  ["", "-"],
])("the topic %j is read as %s", (topic, expected) => {
  const found = parseDeviceTopic(topic);
  expect(found === undefined ? "-" : `${found.hardwareId} ${found.channelId} ${found.rest}`).toBe(expected);
});

test.each([
  ["v1/telemetry", "telemetry"],
  ["v1/register", "register"],
  ["v1/properties", "properties"],
  ["v3/logs", "log"],
  ["v1/command/responses", "response"],
  ["v1/logs", undefined],
  ["v3/telemetry", undefined],
  ["constructor", undefined],
])("below a device's prefix %s is %s", (rest, kind) => {
  expect(kindOfTopic(rest)).toBe(kind);
});

test("a device's own part does not reach into an id that begins alike", () => {
  expect(ownPart(HW1, "v1/from/HW1/main/x/y")).toEqual({ channelId: "main", rest: "x/y" });
  expect(ownPart(HW1, "v1/from/HW1/mainx/x")).toEqual({ channelId: "mainx", rest: "x" });
  for (const topic of ["v1/from/HW11/main/x", "v1/from/HW1//x", "v1/from/HW1/main", "v1/to/HW1/main/x"]) {
    expect(ownPart(HW1, topic)).toBeUndefined();
  }
});

test.each([
  ["a/b", "a/b", true],
  ["a/b", "a/c", false],
  ["a/b", "a/b/c", false],
  ["a/b/c", "a/b", false],
  ["a/+", "a/b", true],
  ["a/+", "a", false],
  ["a/+", "a/b/c", false],
  ["a/+", "a/", true],
  ["a/#", "a/b/c", true],
  ["a/#", "a", true],
  ["a/#", "b", false],
  ["a/+/c", "a/b/c", true],
  ["a/+/#", "a/b", true],
  ["+", "a", true],
  ["#", "a/b", true],
  ["A", "a", false],
])("the filter %s takes %s: %s", (filter, topic, expected) => {
  expect(filterMatches(filter, topic)).toBe(expected);
});

test.each([
  ["v1/to/HW1/main/#", "main"],
  ["v1/to/HW1/child/v1/command/requests", "child"],
  ["v1/to/HW1/+/v1/command/requests", "+"],
  ["v1/to/HW1/#", "#"],
  ["v1/to/HW2/main/#", undefined],
  ["v1/to/HW11/main/#", undefined],
  ["v1/to/+/main/#", undefined],
  ["#", undefined],
  ["v1/to/HW1/main/", undefined],
  ["v1/to/HW1/main", undefined],
  ["v1/to/HW1/+", undefined],
  ["v1/to/HW1//x", undefined],
  ["v1/to/HW1/#/x", undefined],
])("of HW1's channels the filter %s means %s", (filter, channel) => {
  expect(filterChannel(HW1, filter)).toBe(channel);
});

test.each([
  ["HW1", true],
  ["a b", true],
  ["ünï", true],
  ["", false],
  ["a/b", false],
  ["+", false],
  ["a#", false],
  ["a\nb", false],
  ["a\u0000", false],
  ["x".repeat(129), false],
])("%j is one level of a topic: %s", (id, expected) => {
  expect(isTopicLevel(id)).toBe(expected);
});
