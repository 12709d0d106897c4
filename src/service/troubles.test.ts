import { expect, test } from "vitest";
import { createTroubles } from "#service/troubles.ts";

function recorded() {
  const told: string[] = [];
  const troubles = createTroubles(
    ({ part, message }, { place }) => told.push(`${part}: ${message} ${String(place ?? "")}`.trim()),
    (part) => told.push(`${part} is well`),
  );
  return { told, troubles };
}

test("a trouble is listed until its part is well again, and told once", () => {
  const { told, troubles } = recorded();
  troubles.report({ part: "disk", message: "is full" });
  troubles.report({ part: "disk", message: "is full" });
  troubles.report({ part: "demo", message: "does not run" });
  expect(troubles.list()).toEqual([
    { part: "disk", message: "is full" },
    { part: "demo", message: "does not run" },
  ]);
  troubles.clear("disk");
  troubles.clear("disk");
  expect(troubles.list()).toEqual([{ part: "demo", message: "does not run" }]);
  expect(told).toEqual(["disk: is full", "demo: does not run", "disk is well"]);
  expect(Object.fromEntries(troubles.counts())).toEqual({ disk: 2, demo: 1 });
});

test("a trouble that comes back is told again", () => {
  const { told, troubles } = recorded();
  troubles.report({ part: "disk", message: "is full" });
  troubles.clear("disk");
  troubles.report({ part: "disk", message: "is full" });
  expect(told).toEqual(["disk: is full", "disk is well", "disk: is full"]);
});

test("the same trouble in another place is told too, but listed once", () => {
  const { told, troubles } = recorded();
  for (const place of ["a", "b", "a"]) troubles.report({ part: "records", message: "damaged" }, { place });
  expect(told).toEqual(["records: damaged a", "records: damaged b"]);
  expect(troubles.list()).toHaveLength(1);
});

test("neither the list nor the log grows without end", () => {
  const { told, troubles } = recorded();
  for (let at = 0; at < 5_000; at++) troubles.report({ part: "records", message: `damaged ${at}` });
  expect([troubles.list().length, told.length]).toEqual([100, 1_000]);
});
