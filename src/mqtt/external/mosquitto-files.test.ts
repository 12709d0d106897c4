import { expect, test } from "vitest";
import { renderMosquittoAcl, renderMosquittoPassword } from "./mosquitto-files.ts";

test("the service reads from all devices and writes to all, a device touches its own topics", () => {
  const devices = [{ hardwareId: "HW1" }, { hardwareId: "HW2" }];
  expect(renderMosquittoAcl("busbar", devices)).toBe(`user busbar
topic read v1/from/#
topic write v1/to/#

user HW1
topic write v1/from/HW1/#
topic read v1/to/HW1/#

user HW2
topic write v1/from/HW2/#
topic read v1/to/HW2/#
`);
});

test.each(["+", "a/b", "#x", "a\nuser busbar", " a", "a:b", ""])("the name %j is refused", (name) => {
  expect(() => renderMosquittoAcl("busbar", [{ hardwareId: name }])).toThrow(/cannot stand/);
  expect(() => renderMosquittoPassword(name, "secret", Buffer.alloc(12))).toThrow(/cannot stand/);
});

test("a line of the password file holds no secret", () => {
  const line = renderMosquittoPassword("HW1", "hunter2", Buffer.alloc(12, 1));
  expect(line).toMatch(/^HW1:\$7\$1000\$AQEBAQEBAQEBAQEB\$[A-Za-z0-9+/]{86}==\n$/);
  expect(line).not.toContain("hunter2");
});
