import { expect, test } from "vitest";
import { pushContact } from "./push-contact.ts";

const NOBODY = "mailto:web-push@busbar.example";

test.each([
  ["mailto:energy@plant.org", ["plant.org"], "mailto:energy@plant.org"],
  [undefined, ["Energy.Plant.org", "other.org"], "https://energy.plant.org"],
  [undefined, ["gateway", "192.168.1.4", "gateway.local", "gateway.home.arpa", "plant.org"], "https://plant.org"],
  [undefined, ["gateway.lan", "fd00::1", "gateway.internal"], NOBODY],
  [undefined, [], NOBODY],
])("with the contact %s and the names %s, %s is who sends", (configured, names, expected) => {
  expect(pushContact(configured, names)).toBe(expected);
});
