import { expect, test } from "vitest";
import { UNSET_FIELDS } from "#core/device/device.ts";
import { instant } from "#core/time/instant.ts";
import type { LinkedItem } from "./messages.ts";
import { recordProblem } from "./record-problem.ts";

const AT = instant(1_760_000_000_000);
const ID = "00000000-0000-7000-8000-0000000000d1";
const SITE = { id: ID, name: "Site", timezone: "Europe/Berlin", createdAt: AT, updatedAt: AT };
const DEVICE = {
  ...UNSET_FIELDS,
  id: ID,
  siteId: ID,
  name: "Device",
  slug: "device",
  type: "STANDALONE",
  blueprintDigest: undefined,
  createdAt: AT,
  updatedAt: AT,
} as const;

const CORRECTION = {
  id: ID,
  attribute: "energy",
  beforeAt: AT,
  before: 50_000,
  at: AT,
  value: 30_000,
  kind: "counter_replaced",
  newStart: 29_990,
  note: "new meter",
  author: { tokenId: ID, name: "Ada" },
  createdAt: AT,
} as const;
const corrected = (change: object, count = 1): LinkedItem =>
  device({ corrections: Array.from({ length: count }, () => ({ ...CORRECTION, ...change })) });

const site = (change: object, key = ID): LinkedItem => ({ kind: "site", key, value: { ...SITE, ...change } });
const device = (change: object, key = ID): LinkedItem => ({ kind: "device", key, value: { ...DEVICE, ...change } });

const CLAIM = {
  ...{ id: "c", kind: "target", value: 5, class: "person", source: "token:t", reason: "r" },
  ...{ leaseUntil: 2, createdAt: 1, cause: undefined },
} as const;
const CONTROL = { control: "power", claims: [CLAIM], isHeld: true, sent: 5, follow: "followed" } as const;
const controls = (...value: readonly object[]): LinkedItem =>
  ({ kind: "controls", key: ID, value }) as unknown as LinkedItem;
const claims = (count: number, change: (index: number) => object) =>
  controls({ ...CONTROL, claims: Array.from({ length: count }, (_, index) => ({ ...CLAIM, ...change(index) })) });
const different = (index: number) => ({ id: `c${index}`, source: `s${index}` });
const record = (change: object, key = `${ID} 1700000000000000`): LinkedItem => ({
  kind: "control_record",
  key,
  value: { control: "power", follow: "idle", ...change } as never,
});

const INTERLOCK = {
  revision: 1,
  updatedAt: AT,
  document: {
    kind: "condition",
    when: { device: "room", attribute: "temperature", above: 40 },
    limits: [{ device: "heater", control: "power", max: 0 }],
  },
};
const LIMIT = { deviceId: ID, control: "power", unit: "W", kind: "max", value: 0, isHolding: true } as const;
const REPORT = { state: "holding", since: 0, why: "hot", limits: [LIMIT], measured: [], problems: [] } as const;
const interlock = (fields: object = {}, key = `${ID} too-hot`): LinkedItem => ({
  kind: "interlock",
  key,
  value: { ...INTERLOCK, ...fields },
});
const reported = (fields: object) => interlock({ report: { ...REPORT, ...fields } });

const RULE = {
  slug: "surplus",
  disabled: false,
  script: { code: "cmV0dXJu", runtimeVersion: "V3", execInterval: undefined },
  revision: 1,
  createdAt: AT,
  updatedAt: AT,
} as const;
const OF_SITE = `${ID} ${ID}`;
const rule = (change: object, key = OF_SITE): LinkedItem => ({ kind: "rule", key, value: { ...RULE, ...change } });
const scripted = (change: object) => rule({ script: { ...RULE.script, ...change } });
const report = (change: object, key = OF_SITE): LinkedItem => ({
  kind: "rule_report",
  key,
  value: { revision: 1, isRunning: true, ...change },
});
const variable = (value: string | number, key = `${ID} away`): LinkedItem => ({
  kind: "variable",
  key,
  value: { value, updatedAt: AT },
});
const NOTIFICATION = {
  ...({ at: AT, severity: "info", title: undefined, text: "text" } as const),
  source: { kind: "rule", id: ID, slug: "surplus" },
} as const;
const notification = (change: object, key = OF_SITE): LinkedItem => ({
  kind: "notification",
  key,
  value: { ...NOTIFICATION, ...change },
});

test.each<readonly [LinkedItem, string | undefined]>([
  [rule({}), undefined],
  [{ kind: "rule", key: OF_SITE, value: null }, undefined],
  [rule({}, ID), `"${ID}" names no rule`],
  [rule({}, `site ${ID}`), 'the id of the site is "site", not a UUID'],
  [rule({}, `${ID} ../x`), 'the id of the rule is "../x", not a UUID'],
  [rule({ slug: "No slug" }), expect.stringContaining('the slug "No slug" is none')],
  [rule({ revision: 0 }), "the revision of a rule is 1 or more"],
  [scripted({ code: "<script>" }), "the code of the rule is not base64"],
  [scripted({ code: "A".repeat(2_000_000) }), expect.stringContaining("the code of a rule has at most")],
  [scripted({ execInterval: "1".repeat(51) }), "the interval of the rule is too long"],
  [{ kind: "rule_engine", key: "site", value: { state: "ACTIVE" } }, 'the id is "site", not a UUID'],
  [report({}), undefined],
  [report({}, ID), `"${ID}" names no rule`],
  [
    report({ explanation: { at: AT, text: "x".repeat(5_000) } }),
    expect.stringContaining("the explanation of a rule has more than"),
  ],
  [
    report({ lastRun: { at: AT, outcome: "ran", why: "x".repeat(5_000) } }),
    expect.stringContaining("what is said of the last run has more than"),
  ],
  [
    report({ lastError: { at: AT, message: "x".repeat(50_000) } }),
    expect.stringContaining("the error of a rule has more than"),
  ],
  [variable(5), undefined],
  [variable(5, `${ID} no-name`), expect.stringContaining("names no variable")],
  [variable(""), expect.stringContaining("the value of a variable has 1 to")],
  [variable("x".repeat(10_000)), expect.stringContaining("the value of a variable has 1 to")],
  [notification({}), undefined],
  [{ kind: "notification", key: OF_SITE, value: null }, undefined],
  [notification({}, ID), `"${ID}" names no notification`],
  [notification({}, `site ${ID}`), 'the id of the site is "site", not a UUID'],
  [notification({}, `${ID} 5`), 'the id of the notification is "5", not a UUID'],
  [notification({ text: "" }), "the text of a notification has 1 to 1000 characters"],
  [notification({ text: "x".repeat(1_001) }), "the text of a notification has 1 to 1000 characters"],
  [notification({ title: "x".repeat(201) }), "the title of a notification has more than 200 characters"],
  [
    notification({ source: { ...NOTIFICATION.source, id: "x" } }),
    'the id of who sent the notification is "x", not a UUID',
  ],
  [notification({ source: { ...NOTIFICATION.source, slug: "/" } }), expect.stringContaining('the slug "/" is none')],
  [controls(), undefined],
  [controls(CONTROL), undefined],
  [claims(64, different), undefined],
  [claims(65, different), "it has more than 64 claims"],
  [claims(2, (index) => ({ id: `c${index}` })), "a claim is there twice"],
  [claims(2, (index) => ({ source: `s${index}` })), "a claim is there twice"],
  [claims(1, () => ({ reason: "r".repeat(201) })), "the reason of a claim has more than 200 characters"],
  [claims(1, () => ({ source: "s".repeat(1_001) })), "a text of a control has more than 1000 characters"],
  [claims(1, () => ({ value: "unlimited" })), "a target is unlimited"],
  [controls(CONTROL, CONTROL), "a control is there twice"],
  [
    controls(...Array.from({ length: 257 }, (_, index) => ({ ...CONTROL, control: `c${index}`, claims: [] }))),
    "it has more than 256 controls",
  ],
  [{ ...controls(CONTROL), key: "battery" }, 'the id is "battery", not a UUID'],
  [record({}), undefined],
  [record({ reason: "r".repeat(201) }), "the reason of an entry has more than 200 characters"],
  [record({ source: "s".repeat(1_001) }), "a text of an entry has more than 1000 characters"],
  [record({}, "battery 5"), 'the id of the device is "battery", not a UUID'],
  [record({}, "battery"), '"battery" names no entry of control'],
  [interlock(), undefined],
  [reported({}), undefined],
  [{ kind: "interlock", key: `${ID} too-hot`, value: null }, undefined],
  [interlock({}, ID), `"${ID.slice(0, 40)}" names no interlock`],
  [interlock({}, `${ID} Too Hot`), expect.stringContaining("names no interlock")],
  [interlock({}, "site too-hot"), 'the id of the site is "site", not a UUID'],
  [interlock({ document: {} }), expect.stringMatching(/^the interlock is not valid: \/kind must be one of/)],
  [
    interlock({ document: { ...INTERLOCK.document, extra: "x".repeat(1e6) } }),
    expect.stringMatching(/^the interlock is not valid: \/extra is not known/),
  ],
  [interlock({ document: null, revision: 0 }), undefined],
  [interlock({ revision: 0 }), "the revision of an interlock is 1 or more"],
  [reported({ why: "w".repeat(1_001) }), "why has more than 1000 characters"],
  [reported({ limits: [LIMIT, LIMIT] }), "a limit is there twice"],
  [reported({ limits: [{ ...LIMIT, value: 1e300 }] }), "a limit is beyond 1000000000000"],
  [reported({ limits: [{ ...LIMIT, deviceId: "d" }] }), 'the id of a device is "d", not a UUID'],
  [
    reported({ limits: [{ ...LIMIT, control: "c".repeat(1_001) }] }),
    "a text of an interlock has more than 1000 characters",
  ],
  [
    reported({ limits: Array.from({ length: 129 }, (_, n) => ({ ...LIMIT, control: `c${n}` })) }),
    "the interlock has more than 128 limits",
  ],
  [
    reported({ measured: Array.from({ length: 201 }, () => ({ deviceId: ID, attribute: "a" })) }),
    "the interlock measures more than 200 values",
  ],
  [site({}), undefined],
  [device({}), undefined],
  [site({ location: { name: "Berlin", latitude: 52.5, longitude: 13.4 } }), undefined],
  [{ kind: "site", key: ID, value: null }, undefined],
  [site({ name: "n".repeat(5_000_000) }), "the name has more than 200 characters"],
  [site({ name: "" }), "the name is empty"],
  [site({ name: " " }), "the name is empty"],
  [site({}, "i".repeat(100_000)), 'the id is "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii...", not a UUID'],
  [site({}, ""), 'the id is "", not a UUID'],
  [site({}, "../../x?y#"), 'the id is "../../x?y#", not a UUID'],
  [site({ timezone: "Mars/Phobos" }), 'there is no time zone "Mars/Phobos"; use an IANA name such as Europe/Berlin'],
  [site({ timezone: "" }), 'there is no time zone ""; use an IANA name such as Europe/Berlin'],
  [site({ location: { name: "Here", latitude: 91 } }), "the location is not on the earth"],
  [site({ location: { name: "n".repeat(201) } }), "the name of the location has more than 200 characters"],
  [device({ name: "n".repeat(6_000_000) }), "the name has more than 200 characters"],
  [device({}, "inverter"), 'the id is "inverter", not a UUID'],
  [device({ siteId: "s" }), 'the id of the site is "s", not a UUID'],
  [device({ parentId: "../p" }), 'the id of the parent is "../p", not a UUID'],
  [device({ childType: "t".repeat(300) }), "the child type has more than 200 characters"],
  [corrected({}, 100), undefined],
  [corrected({}, 101), "it has more than 100 corrections"],
  [corrected({ id: "c" }), 'the id of a correction is "c", not a UUID'],
  [corrected({ newStart: -1e12 }), "new_start must be between 0 and the value after the step, 30000"],
  [corrected({ kind: "accept" }), "new_start belongs to counter_replaced alone"],
  [corrected({ note: "n".repeat(501) }), "the note of a correction has more than 500 characters"],
  [corrected({ attribute: "a".repeat(1_001) }), "a text of a correction has more than 1000 characters"],
  [{ kind: "device", key: "", value: null }, 'the id is "", not a UUID'],
  [
    { kind: "properties", key: ID, value: [{ name: "p".repeat(2_000), value: 1, receivedAt: AT }] },
    "the name of a property has more than 1000 characters",
  ],
  [{ kind: "audit", key: "k".repeat(2_000), value: null }, "the key has more than 1000 characters"],
])("record %# is judged as the interface would", (item, problem) => {
  expect(recordProblem(item)).toEqual(problem);
});

test.each(["a/b c", "", "-a", ID, "s".repeat(65)])("the slug %s is refused", (slug) => {
  expect(recordProblem(device({ slug }))).toContain("is none: a slug has");
});
