import { expect, test } from "vitest";
import { renderMosquittoAcl, renderMosquittoPassword } from "./mosquitto-files.ts";

test("the service reads from all devices and writes to all, a device touches its own topics", () => {
  expect(
    renderMosquittoAcl("busbar")
      .split("\n")
      .filter((line) => !line.startsWith("#")),
  ).toEqual([
    "user busbar",
    "topic read v1/from/#",
    "topic write v1/to/#",
    "",
    "pattern write v1/from/%u/#",
    "pattern read v1/to/%u/#",
    "",
  ]);
});

test.each(["+", "a/b", "#x", "a\nuser busbar", " a", "a:b", ""])("the name %j is refused", (name) => {
  expect(() => renderMosquittoAcl(name)).toThrow(/cannot stand/);
  expect(() => renderMosquittoPassword(name, "$7$1$c2FsdA==$aGFzaA==")).toThrow(/cannot stand/);
});

test("a line of the password file is a name and what is stored of its password", () => {
  expect(renderMosquittoPassword("HW1", "$7$1$c2FsdA==$aGFzaA==")).toBe("HW1:$7$1$c2FsdA==$aGFzaA==\n");
});
