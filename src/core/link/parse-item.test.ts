import { expect, test } from "vitest";
import { parseItems } from "./parse-item.ts";

const SITE = { id: "s", name: "Site", timezone: "UTC", createdAt: 1, updatedAt: 2 };
const ENTRY = {
  ...{ id: "a", at: 1, action: "x", target: {}, outcome: "OK" },
  ...{ requestId: "r", remoteAddress: "::1", details: {}, count: 1, lastAt: 1 },
};
const EXECUTION = {
  ...{ id: "e", deviceId: "d", siteId: "s", state: "SUCCESS", ephemeral: false, createdAt: 1 },
  request: { name: "go", manifestName: "start", arguments: {} },
  ...{ readLevel: "readonly", deadline: 9, revision: 3, isRemote: false },
};
const change = (more: object = {}, response: object = {}) => ({
  ...{ execution: EXECUTION, responses: [{ state: "SUCCEEDED", receivedAt: 5, ...response }], since: 0, ...more },
});

const CLAIM = {
  ...{ id: "c", kind: "target", value: 5, class: "person", source: "token:t", reason: "r" },
  ...{ leaseUntil: 2, createdAt: 1 },
};
const CONTROL = { control: "power", claims: [CLAIM], isHeld: true, sent: 5, follow: "followed" };
const claimed = (change: object) => ({ ...CONTROL, claims: [{ ...CLAIM, ...change }] });
const FOLLOW = "idle, settling, followed, not_followed, unknown";

const REPORT = {
  state: "holding",
  since: 5,
  why: "it is hot",
  limits: [{ deviceId: "d", control: "power", unit: "W", kind: "max", value: 0.5, isHolding: true }],
  measured: [{ deviceId: "d", attribute: "temperature" }],
  problems: [{ code: "unknown_device", pointer: "/when/device", message: "is no device of the site" }],
};
const INTERLOCK = { revision: 1, updatedAt: 1, document: { kind: "condition" } };
const reported = (changes: object) => ({
  kind: "interlock",
  key: "k",
  value: { ...INTERLOCK, report: { ...REPORT, ...changes } },
});

const NOTIFICATION = { at: 1, severity: "info", text: "t", source: { kind: "rule", id: "r", slug: "s" } };

test.each([
  "site",
  "blueprint",
  "device",
  "alert",
  "log",
  "control_record",
  "notification",
  "audit",
  "tariff",
  "prices",
])("a %s that is gone has no value", (kind) => {
  expect(parseItems([{ kind, key: "k", value: null }])).toEqual({ items: [{ kind, key: "k", value: null }] });
});

test.each([
  ["site", SITE],
  ["site", { ...SITE, location: { name: "Here" } }],
  ["site", { ...SITE, location: { name: "Here", latitude: 0, longitude: -1.5 } }],
  ["audit", ENTRY],
  ["audit", { ...ENTRY, actor: { tokenId: "t", name: "T" }, target: { siteId: "s", deviceId: "d" }, code: "c" }],
  ["properties", []],
  ["properties", [{ name: "rating", value: null, receivedAt: 1 }]],
  ["configuration", [{ bucket: "network", shown: {}, updatedAt: 1 }]],
  ["controls", []],
  ["controls", [CONTROL]],
  ["controls", [{ ...CONTROL, claims: [{ ...CLAIM, value: null }] }]],
  ["controls", [{ ...CONTROL, claims: [{ ...CLAIM, kind: "max", value: "unlimited" }] }]],
  ["control_record", { control: "power", follow: "idle" }],
  ["interlock", null],
  ["notification", NOTIFICATION],
  ["notification", { ...NOTIFICATION, title: "Roof" }],
  ["interlock", INTERLOCK],
  ["interlock", { ...INTERLOCK, document: null }],
  ["interlock", { ...INTERLOCK, report: REPORT }],
  ["control_record", { control: "power", value: 0, measured: -1.5, follow: "followed", class: "person", source: "s" }],
  ["execution", change()],
  ["execution", change({}, { payload: { power: 1 } })],
  ["execution", change({ leftOut: { count: 2, at: 4 } })],
  ["execution", change({ execution: { ...EXECUTION, response: { state: "ERROR", receivedAt: 5 } } })],
])("a %s is read as it was sent: %j", (kind, value) => {
  expect(parseItems([{ kind, key: "k", value }])).toEqual({ items: [{ kind, key: "k", value }] });
});

test.each([
  [{ kind: "site", key: "k" }, "site", "k", "a site is no object"],
  [{ kind: "site", key: "k", value: { ...SITE, location: null } }, "site", "k", "a location is no object"],
  [{ kind: "execution", key: "k", value: null }, "execution", "k", "a change of an execution is no object"],
  [{ kind: "execution", key: "k", value: change({}, { payload: null }) }, "execution", "k", "payload is no object"],
  [{ kind: "properties", key: "k", value: null }, "properties", "k", "value is no list"],
  [{ kind: "controls", key: "k", value: {} }, "controls", "k", "value is no list"],
  [
    { kind: "controls", key: "k", value: [{ ...CONTROL, follow: "gladly" }] },
    "controls",
    "k",
    `follow is none of ${FOLLOW}`,
  ],
  [{ kind: "controls", key: "k", value: [claimed({ value: "much" })] }, "controls", "k", "value is no number"],
  [{ kind: "controls", key: "k", value: [claimed({ value: undefined })] }, "controls", "k", "value is no number"],
  [{ kind: "controls", key: "k", value: [claimed({ leaseUntil: 1e300 })] }, "controls", "k", "leaseUntil is no time"],
  [{ kind: "control_record", key: "k", value: [] }, "control_record", "k", "an entry of control is no object"],
  [{ kind: "interlock", key: "k", value: [] }, "interlock", "k", "an interlock is no object"],
  [{ kind: "interlock", key: "k", value: { ...INTERLOCK, document: [] } }, "interlock", "k", "document is no object"],
  [{ kind: "interlock", key: "k", value: { ...INTERLOCK, revision: 1.5 } }, "interlock", "k", "revision is no count"],
  [reported({ state: "fine" }), "interlock", "k", expect.stringMatching(/^state is none of idle, holding/)],
  [reported({ since: Number.NaN }), "interlock", "k", "since is no number"],
  [reported({ limits: {} }), "interlock", "k", "limits is no list"],
  [reported({ limits: [{ ...REPORT.limits[0], value: "much" }] }), "interlock", "k", "value is no number"],
  [reported({ limits: [{ ...REPORT.limits[0], kind: "target" }] }), "interlock", "k", "kind is none of min, max"],
  [reported({ measured: [null] }), "interlock", "k", "a measured value is no object"],
  [reported({ problems: [{ code: "odd" }] }), "interlock", "k", expect.stringMatching(/^code is none of/)],
  [{ kind: "moon", key: "k", value: null }, "moon", "k", "no item has the kind moon"],
  [{ kind: 5, key: 6 }, "unknown", "unknown", "key is no text"],
  [null, "unknown", "unknown", "an item is no object"],
])("%j is unreadable, and what is beside it is read", (value, kind, key, reason) => {
  const good = { kind: "site", key: "good", value: null };
  const { items, unreadable } = parseItems([value, good]);
  expect(items).toEqual([good]);
  expect(unreadable).toMatchObject([{ kind, key, reason }]);
});

test.each([5, {}, { day: "x" }, []])("prices that are %j are a mistake", (value) => {
  const reason = expect.stringContaining("not those of a day");
  expect(parseItems([{ kind: "prices", key: "k", value }])).toMatchObject({ items: [], unreadable: [{ reason }] });
});
