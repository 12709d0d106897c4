import { expect, test } from "vitest";
import type { Drivers } from "#drivers/drivers.ts";
import type { RuleAsks } from "./rule-asks.ts";
import { createRuleDrivers } from "./rule-drivers.ts";

function setUp(isFree = true) {
  const done: string[] = [];
  const asks: RuleAsks = {
    call: async (name) => [`asked ${name}`],
    sends: ({ what }) => {
      done.push(what);
      return (result) => void done.push(result.replace(/\d+ ms/, "n ms"));
    },
    spend: async (cost) => void done.push(`spent ${cost}`),
    answered: () => {},
    hasAsked: () => false,
    close: () => void done.push("closed"),
  };
  const http: Drivers = { call: async (name) => [`sent ${name}`], close: () => void done.push("http closed") };
  const requests = { take: async () => (isFree ? () => void done.push("gave back") : undefined) };
  const openHttp = () => {
    done.push("opened");
    return http;
  };
  return { drivers: createRuleDrivers({ siteId: "s", asks, requests, openHttp }), done };
}

test("a request costs twenty questions and a place, and everything else is asked of the site", async () => {
  const { drivers, done } = setUp();
  expect(await drivers.call("rule.now", [])).toEqual(["asked rule.now"]);
  expect(await drivers.call("modbus.open", [])).toEqual(["asked modbus.open"]);
  expect(await drivers.call("coded", ["http.send"])).toEqual(["asked coded"]);
  expect(done).toEqual([]);
  const sending = ["GET", "http://u:p@x/a?key=1"];
  expect(await drivers.call("http.send", sending)).toEqual(["sent http.send"]);
  expect(await drivers.call("http.send", sending)).toEqual(["sent http.send"]);
  const told = ["ask GET x/a", ", after n ms", "gave back"];
  expect(done).toEqual(["spent 20", "opened", ...told, "spent 20", ...told]);
  drivers.close();
  expect(done.slice(-2)).toEqual(["closed", "http closed"]);
});

test("a rule that has stopped sends nothing, and one without a place is told", async () => {
  const stopped = setUp();
  stopped.drivers.close();
  expect(await stopped.drivers.call("http.send", [])).toEqual([undefined, "the rule has stopped"]);
  expect(stopped.done).toEqual(["closed", "spent 20", "gave back"]);
  const crowded = setUp(false);
  expect(await crowded.drivers.call("http.send", [])).toEqual([
    undefined,
    "too many requests of the site's rules wait for answers",
  ]);
  expect(crowded.done).toEqual(["spent 20"]);
});
