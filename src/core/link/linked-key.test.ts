import { expect, test } from "vitest";
import { instant, renderInstant } from "#core/time/instant.ts";
import { alertKey, parseAlertKey, parseLogKey } from "./linked-key.ts";

const name = { deviceId: "d", source: "s", alertId: "a", raisedAt: instant(1) };

test("an alert is named by a time that can be shown: whoever lists alerts sees those of all gateways", () => {
  expect(parseAlertKey(alertKey(name))).toEqual(name);
  for (const raisedAt of [8.7e15, 1e300, 0.5]) {
    const key = alertKey({ ...name, raisedAt: raisedAt as ReturnType<typeof instant> });
    expect(parseAlertKey(key), key).toBeUndefined();
  }
  expect(() => renderInstant(instant(8.7e15))).toThrow(RangeError);
});

test("a log entry is named by a time that is a number", () => {
  expect(parseLogKey("d 1700000000000000")).toEqual({ deviceId: "d", receivedAt: 1_700_000_000_000_000 });
  expect(parseLogKey("d 9999999999999999")).toBeUndefined();
});

test.each(["", "{}", "[]", '[1,1,"s","a"]', '["d",1,2,"a"]', '["d",1,"s",3]', '["d","1","s","a"]'])(
  "%s names no alert",
  (key) => {
    expect(parseAlertKey(key)).toBeUndefined();
  },
);
