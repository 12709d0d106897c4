import { describe, expect, test } from "vitest";
import { ApiError } from "#client/errors.ts";
import type { CatalogueEntry, CommunicationConfig } from "#client/resources.ts";
import { readManifest } from "#web/data/manifest.ts";
import { parseQuery } from "#web/router/query.ts";
import { bucketProblemsOf, bucketsOf, firstDrafts, readBuckets } from "./buckets.ts";
import { exampleMessage, LANGUAGES, snippetOf } from "./snippets.ts";
import { findEntries, fits, placeOf, problemsOf, stepsOf } from "./wizard.ts";

describe("the address", () => {
  test.each([
    ["", "kind"],
    ["?blueprint=b", "kind"],
    ["?kind=nonsense", "kind"],
    ["?kind=mqtt", "details"],
    ["?kind=mqtt&blueprint=b", "details"],
    ["?kind=mqtt&step=blueprint", "blueprint"],
    ["?kind=lua", "blueprint"],
    ["?kind=lua&blueprint=b", "details"],
    ["?kind=lua&blueprint=b&step=blueprint", "blueprint"],
    ["?kind=simulated", "blueprint"],
    ["?kind=child", "details"],
    ["?kind=child&device=d", "result"],
  ])("%s is the step %s", (search, step) => {
    const place = placeOf(parseQuery(search));
    expect(place.step).toBe(step);
    if (search !== "?kind=mqtt&step=blueprint") expect(stepsOf(place.kind)).toContain(step);
  });
});

const entry = (name: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  id: name,
  source: "examples",
  blueprint_id: null,
  display_name: name,
  description: "",
  category: null,
  icon: null,
  author: null,
  contributors: [],
  support: { url: null, email: null },
  license: null,
  runtime: "lua",
  requires: [],
  offers: { profiles: [], properties: 0, telemetry: 0, commands: 0, alerts: 0, configuration: 0 },
  ...more,
});

test("only blueprints with a script can be run; every kind can use the others", () => {
  const entries = [entry("Zähler", { category: "power-meters" }), entry("Plain", { runtime: "embedded" })];
  const names = (kind: "lua" | "mqtt", text: string) => findEntries(entries, { kind, text }).map((one) => one.id);
  expect(names("lua", "")).toEqual(["Zähler"]);
  expect(names("mqtt", "")).toEqual(["Zähler", "Plain"]);
  expect(names("mqtt", "zahler METERS")).toEqual(["Zähler"]);
  expect(names("mqtt", "zahler battery")).toEqual([]);
  expect(fits("simulated", "embedded")).toBe(true);
});

test("a device needs a name, and a slug only in the form of the service", () => {
  expect(problemsOf({ name: " ", slug: "Not this!" })).toEqual({ name: "missing", slug: "form" });
  expect(problemsOf({ name: "Meter", slug: "meter-1" })).toEqual({ name: undefined, slug: undefined });
});

const CONFIG: CommunicationConfig = {
  mqtt_host: "192.0.2.7",
  mqtt_port: 1883,
  mqtt_protocol: "MQTT",
  mqtt_credentials: { username: "V01", password: "it's $HOME" },
  hardware_id: "V01",
  channel_id: "main",
  time_sync_protocol: "HTTP",
  time_sync_host: "192.0.2.7",
  time_sync_port: 8080,
};
const MANIFEST = readManifest({
  telemetry: {
    status: { type: "string", enum: ["idle", "running"] },
    power: { type: "float" },
    count: { type: "integer" },
    more: { type: "float" },
    alerts: { type: "alerts" },
  },
  configuration: {
    link: {
      display_name: "Link",
      access_level: "owner",
      parameters: { address: { type: "string", required: true }, port: { type: "integer", default: 502, max: 65535 } },
    },
    limits: { access_level: "owner", parameters: { most: { type: "float", default: 5 } } },
    secret: { access_level: "vendor", parameters: { key: { type: "string" } } },
  },
});

describe("the first message", () => {
  test("has values that the blueprint declares, numbers first; without one anything", () => {
    expect(exampleMessage(MANIFEST)).toEqual({ power: 21.5, count: 21, status: "idle" });
    expect(exampleMessage(undefined)).toEqual({ power: 1500 });
  });

  test("for a shell is quoted, so that the password arrives as it is", () => {
    const snippet = snippetOf("mosquitto", CONFIG, { text: "it's" });
    expect(snippet).toContain("-u V01 -P 'it'\\''s $HOME' \\\n");
    expect(snippet).toContain(`-m '{"text":"it'\\''s"}'`);
  });

  test.each(LANGUAGES)("in %s names host, topic and credentials; with TLS the files instead", (language) => {
    const plain = snippetOf(language, CONFIG, exampleMessage(MANIFEST));
    for (const part of ["192.0.2.7", "1883", "v1/from/V01/main/v1/telemetry", "21.5"]) expect(plain).toContain(part);
    const secure = snippetOf(
      language,
      { ...CONFIG, mqtt_protocol: "MQTTS", mqtt_port: 8883, mqtt_credentials: { private_key: "KEY" } },
      {},
    );
    for (const part of ["8883", "device.key", "device.crt", "ca.crt"]) expect(secure).toContain(part);
    expect(secure).not.toContain("KEY");
  });

  test("in Python has Python's words", () => {
    expect(snippetOf("python", CONFIG, { on: true, list: ["a"] })).toContain('{"on": True, "list": ["a"]}');
  });
});

describe("configuration", () => {
  const { open, closed } = bucketsOf(MANIFEST, "owner");
  const untouched = firstDrafts(open, "en");

  test("has a form for each bucket of the level, and names the others", () => {
    expect(open.map(({ bucket }) => bucket.id)).toEqual(["link", "limits"]);
    expect(closed.map((bucket) => bucket.id)).toEqual(["secret"]);
    expect(untouched).toEqual({ link: { address: "", port: "502" }, limits: { most: "5" } });
  });

  test("says what is missing, and sends only what was touched", () => {
    expect([...(readBuckets(open, untouched, "en").problems.get("link") ?? [])]).toEqual([["address", "Is required"]]);
    const filled = { ...untouched, link: { address: "meter.local", port: "502" } };
    const { values, problems } = readBuckets(open, filled, "en");
    expect([problems.size, values]).toEqual([0, { link: { address: "meter.local", port: 502 } }]);
  });

  test("what the service refuses is shown at its field, or not at all", () => {
    const refused = (pointer: string) => ({ code: "invalid_configuration", message: "no", details: { pointer } });
    const refusal = (first: string, ...more: string[]) => new ApiError(400, [refused(first), ...more.map(refused)]);
    expect(bucketProblemsOf(refusal("/link/port"), open)?.get("link")?.get("port")).toBe("no");
    expect(bucketProblemsOf(refusal("/link/port", "/other/port"), open)).toBeUndefined();
    expect(bucketProblemsOf(new Error("lost"), open)).toBeUndefined();
  });
});
