import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { sharedBuckets, sharedCommands } from "./shared-actions.ts";

const manifest = (commands: object, configuration: object = {}) => readManifest({ commands, configuration });
const power = (more: object = {}) => ({ arguments: { power: { type: "float", unit: "kW", max: 10, ...more } } });
const names = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id).join(" ");

test("a command is offered when every device takes the same arguments, whatever it calls them", () => {
  const one = manifest({ start: { display_name: "Start" }, set: power(), stop: {} });
  expect(names(sharedCommands([one]))).toBe("start set stop");
  expect(names(sharedCommands([one, manifest({ set: power({ display_name: "Power" }), start: {} })]))).toBe(
    "start set",
  );
  expect(names(sharedCommands([one, manifest({ set: power({ max: 5 }), start: {} })]))).toBe("start");
  expect(names(sharedCommands([one, manifest({ set: power({ unit: "W" }) })]))).toBe("");
  expect(names(sharedCommands([one, manifest({ start: { access_level: "installer" } })]))).toBe("");
  expect(names(sharedCommands([one, manifest({})]))).toBe("");
  expect(sharedCommands([])).toEqual([]);
});

test("so is a bucket of the configuration", () => {
  const link = (type: string) => ({ link: { parameters: { address: { type } } } });
  expect(names(sharedBuckets([manifest({}, link("string")), manifest({}, link("string"))]))).toBe("link");
  expect(names(sharedBuckets([manifest({}, link("string")), manifest({}, link("integer"))]))).toBe("");
});
