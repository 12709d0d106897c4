import { expect, test } from "vitest";
import { createDeviceWays } from "./device-ways.ts";

test("a way that ends leaves the devices that have another way by now", () => {
  const ways = createDeviceWays<{ name: string }>();
  const [old, other] = [{ name: "old" }, { name: "other" }];
  for (const id of ["stays", "moves"]) ways.set(id, old);
  ways.set("moves", other);
  ways.end(old);
  expect([ways.of("stays"), ways.of("moves")]).toEqual([undefined, other]);
  ways.end(old);
  ways.set("stays", old);
  expect(ways.of("stays")).toBe(old);
});

test("a way that ends looks only at its own devices", () => {
  let looks = 0;
  class Watched extends Map<string, object> {
    override get(deviceId: string) {
      looks++;
      return super.get(deviceId);
    }
    override *[Symbol.iterator](): MapIterator<[string, object]> {
      for (const entry of super.entries()) {
        looks++;
        yield entry;
      }
    }
  }
  const ways = createDeviceWays(new Watched());
  const gateways = Array.from({ length: 100 }, () => ({}));
  for (const [n, gateway] of gateways.entries()) for (const at of [1, 2, 3]) ways.set(`${n} ${at}`, gateway);
  looks = 0;
  for (const gateway of gateways) ways.end(gateway);
  expect(looks).toBe(300);
});
