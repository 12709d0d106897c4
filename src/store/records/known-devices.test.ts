import { expect, test } from "vitest";
import { makeDevice } from "../../../test/support/records.ts";
import { createKnownDevices } from "./known-devices.ts";

/** Devices that are needed in turns, again and again; of the last rounds, the share that was known. */
function shareKnown(most: number, devices: number): number {
  const known = createKnownDevices(most);
  const device = { ...makeDevice("site"), slug: "device" };
  let found = 0;
  for (let round = 0; round < 40; round++) {
    for (let n = 0; n < devices; n++) {
      if (known.get(`device ${n}`) === undefined) known.offer(`device ${n}`, device);
      else if (round >= 20) found++;
    }
  }
  return found / (20 * devices);
}

test.each([
  [100, 100, 1],
  [100, 110, 0.8],
  [100, 200, 0.4],
  [100, 400, 0.2],
])("with room for %i, of %i devices in turns a share of %d is known", (most, devices, least) => {
  expect(shareKnown(most, devices)).toBeGreaterThanOrEqual(least);
});

test("devices that are needed now take the place of those that no longer are", () => {
  const known = createKnownDevices(10);
  const device = { ...makeDevice("site"), slug: "device" };
  for (let n = 0; n < 10; n++) known.offer(`old ${n}`, device);
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 10; n++) if (known.get(`new ${n}`) === undefined) known.offer(`new ${n}`, device);
  }
  const isKnown = Array.from({ length: 10 }, (_, n) => known.get(`new ${n}`) !== undefined);
  expect(isKnown.filter(Boolean).length).toBeGreaterThanOrEqual(9);
});
