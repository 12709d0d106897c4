import { expect, test } from "vitest";
import { describeReach, reachOf } from "./reach.ts";

const STATUSES = { "+": "ONLINE", "-": "OFFLINE", "?": "UNKNOWN" } as const;
const WORDS = {
  gatewayAway: "gateway away",
  stateUnknown: (count: number) => `state of ${count} unknown`,
  noneHere: "no devices",
  devicesOnline: (count: number) => `${count} online`,
  onlineOf: (count: number, all: number) => `${count} of ${all} online`,
  offlineOf: (count: number, all: number) => `${count} of ${all} offline`,
  unknownCount: (count: number) => `${count} unknown`,
};
/** `G+ + - ?`: a gateway that is there, and devices that are online, offline and unknown. */
const site = (text: string) =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({
      resource: { type: word.startsWith("G") ? "GATEWAY" : "LUA" },
      connectivity: STATUSES[word.slice(-1) as keyof typeof STATUSES],
    }));

test.each([
  ["", "neutral", "no devices"],
  ["G+", "neutral", "no devices"],
  ["G+ + +", "ok", "2 online"],
  ["+ +", "ok", "2 online"],
  ["G+ + - ?", "warning", "1 of 3 offline, 1 unknown"],
  ["G+ - +", "warning", "1 of 2 offline"],
  // The line is cut: nobody knows how the devices are.
  ["G- ? ? ?", "warning", "gateway away, state of 3 unknown"],
  ["G- - ?", "warning", "gateway away, 1 of 2 offline, state of 1 unknown"],
  ["G-", "warning", "gateway away"],
  // Never heard from.
  ["G+ ? ?", "neutral", "state of 2 unknown"],
  ["? ?", "neutral", "state of 2 unknown"],
  ["G+ + ?", "neutral", "1 of 2 online, 1 unknown"],
])("a site with [%s] is described in the tone %s as: %s", (given, tone, text) => {
  expect(describeReach(reachOf(site(given)), WORDS)).toEqual({ tone, text });
});
