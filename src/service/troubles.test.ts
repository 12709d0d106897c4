import { expect, test } from "vitest";
import { createTroubles } from "#service/troubles.ts";

function recorded() {
  const logged: string[] = [];
  const troubles = createTroubles(
    ({ part, message }, { place }) => logged.push(`${part}: ${message} ${String(place ?? "")}`.trim()),
    (part) => logged.push(`${part} is well`),
  );
  return { logged, troubles };
}

test("a trouble is listed until its part is well again, and logged once", () => {
  const { logged, troubles } = recorded();
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
  expect(logged).toEqual(["disk: is full", "demo: does not run", "disk is well"]);
  expect(Object.fromEntries(troubles.counts())).toEqual({ disk: 2, demo: 1 });
});

test("a trouble that comes back is logged again", () => {
  const { logged, troubles } = recorded();
  troubles.report({ part: "disk", message: "is full" });
  troubles.clear("disk");
  troubles.report({ part: "disk", message: "is full" });
  expect(logged).toEqual(["disk: is full", "disk is well", "disk: is full"]);
});

test("the same trouble in another place is logged too, but listed once", () => {
  const { logged, troubles } = recorded();
  for (const place of ["a", "b", "a"]) troubles.report({ part: "records", message: "damaged" }, { place });
  expect(logged).toEqual(["records: damaged a", "records: damaged b"]);
  expect(troubles.list()).toHaveLength(1);
});

test("neither the list nor the log grows without end", () => {
  const { logged, troubles } = recorded();
  for (let at = 0; at < 5_000; at++) troubles.report({ part: "records", message: `damaged ${at}` });
  expect([troubles.list().length, logged.length]).toEqual([100, 1_000]);
});
