import { createRequire } from "node:module";
import { writeToStream } from "mqtt-packet";
import { expect, test } from "vitest";
import "./create-embedded-broker.ts";

test("the library that writes aedes's packets keeps no table of numbers", () => {
  const ours = createRequire(import.meta.url);
  expect(createRequire(ours.resolve("aedes")).resolve("mqtt-packet")).toBe(ours.resolve("mqtt-packet"));
  expect(writeToStream.cacheNumbers).toBe(false);
});
