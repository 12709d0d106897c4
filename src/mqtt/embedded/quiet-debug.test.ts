import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { quietly } from "./quiet-debug.ts";

/** Notes what it writes; a name that begins with "loud" is switched on. */
function fakeDebug() {
  const written: unknown[] = [];
  const create = (namespace: string) => {
    const write = (...words: readonly unknown[]) => void written.push([namespace, ...words]);
    return Object.assign(write, {
      namespace,
      enabled: namespace.startsWith("loud"),
      extend: (name: string) => create(`${namespace}:${name}`),
    });
  };
  return { create: Object.assign(create, { names: ["loud"] }), written };
}

test("what is switched on writes as before, and what is switched off has the same shape and writes nothing", () => {
  const { create, written } = fakeDebug();
  const quiet = quietly(create);
  for (const name of ["loud", "soft"]) {
    const debug = quiet(name);
    debug("one %d", 1);
    debug.extend("part")("two");
    expect({ ...debug }).toMatchObject({ namespace: name, enabled: name === "loud" });
    expect(debug.extend("part").namespace).toBe(`${name}:part`);
  }
  expect(written).toEqual([
    ["loud", "one %d", 1],
    ["loud:part", "two"],
  ]);
  expect({ ...quiet }).toEqual({ names: ["loud"] });
});

test("the packages of MQTT get the quiet one", () => {
  const require = createRequire(createRequire(import.meta.url).resolve("mqtt-packet"));
  const debug = (require("debug") as Parameters<typeof quietly>[0])("mqtt-packet:parser");
  expect(debug.toString()).toBe("() => {}");
});
