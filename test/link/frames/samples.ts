// One message of each type, with every field that there is. The types see to that: a new field is asked for here.
import type { Micros } from "#core/command/execution.ts";
import type { DownMessage, LinkedItem, UpMessage } from "#core/link/messages.ts";
import { createPointsPacker } from "#core/link/pack-points.ts";
import { instant } from "#core/time/instant.ts";

/** With no field left out. */
type Full<T> = T extends string | number | boolean | null | Uint8Array
  ? T
  : T extends readonly (infer Each)[]
    ? readonly Full<Each>[]
    : { readonly [Key in keyof T as Key extends "unreadable" ? never : Key]-?: Full<Exclude<T[Key], undefined>> };

type Samples<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: readonly Full<Extract<Message, { readonly type: Type }>>[];
};

type ItemSamples = { readonly [Kind in LinkedItem["kind"]]: Full<Extract<LinkedItem, { readonly kind: Kind }>> };

const AT = instant(1_760_000_000_000);
const MICROS = 1_760_000_000_000_001 as Micros;
const HASH = "ab".repeat(32);
const REFUSED = { kind: "site", key: "site", reason: "it belongs to another gateway" };
const response = { state: "SUCCEEDED", payload: { power: 5 }, receivedAt: MICROS } as const;
const change = {
  execution: {
    id: "execution",
    deviceId: "device",
    siteId: "site",
    state: "SUCCESS",
    ephemeral: false,
    createdAt: AT,
    request: { name: "start", manifestName: "start", arguments: { power: 5 } },
    response,
    readLevel: "user",
    deadline: AT,
    revision: 3,
    isRemote: false,
    caller: { tokenId: "token", name: "Token", scheduleId: "schedule", door: "schedule" },
  },
  responses: [response],
  since: 0,
  leftOut: { count: 1, at: MICROS },
} as const;

const ITEMS: ItemSamples = {
  site: {
    kind: "site",
    key: "site",
    value: {
      id: "site",
      name: "Site",
      timezone: "Europe/Berlin",
      location: { name: "Berlin", latitude: 52.5, longitude: 13.4 },
      createdAt: AT,
      updatedAt: AT,
    },
  },
  rule_engine: { kind: "rule_engine", key: "site", value: { state: "SUSPENDED" } },
  rule: {
    kind: "rule",
    key: "site rule",
    value: {
      slug: "rule",
      disabled: false,
      script: { code: "AAEC", runtimeVersion: "V3", execInterval: "5m" },
      revision: 2,
      createdAt: AT,
      updatedAt: AT,
    },
  },
  rule_report: {
    kind: "rule_report",
    key: "site rule",
    value: {
      revision: 2,
      isRunning: false,
      lastError: { message: "why", file: "main.lua", line: 3, traceback: "main.lua:3", at: AT },
      restartAt: AT,
      explanation: { text: "It waits", at: AT },
      lastRun: { at: AT, outcome: "ran", why: "the sun rose" },
    },
  },
  variable: { kind: "variable", key: "site name", value: { value: 5, updatedAt: AT } },
  blueprint: {
    kind: "blueprint",
    key: "blueprint",
    value: {
      digest: HASH,
      content: "AAEC",
      uploadedBy: { tokenId: "token", name: "Ada", accountId: "account", door: "page" },
    },
  },
  device: {
    kind: "device",
    key: "device",
    value: {
      id: "device",
      siteId: "site",
      name: "Device",
      slug: "device",
      type: "CHILD",
      parentId: "parent",
      childType: "module",
      energyRole: "load",
      createdAt: AT,
      updatedAt: AT,
      blueprintDigest: HASH,
      corrections: [
        {
          id: "correction",
          attribute: "energy",
          beforeAt: AT,
          before: 50_000,
          at: AT,
          value: 30_000,
          kind: "counter_replaced",
          newStart: 29_990,
          note: "new meter",
          author: { tokenId: "token", name: "Token" },
          createdAt: AT,
        },
      ],
    },
  },
  properties: { kind: "properties", key: "device", value: [{ name: "serial", value: "7", receivedAt: AT }] },
  configuration: {
    kind: "configuration",
    key: "device",
    value: [{ bucket: "main", shown: { limit: 3 }, updatedAt: AT }],
  },
  controls: {
    kind: "controls",
    key: "device",
    value: [
      {
        control: "battery_power",
        claims: [
          {
            id: "claim",
            kind: "target",
            value: 2500,
            class: "person",
            source: "token:token",
            reason: "Peak hours",
            leaseUntil: AT,
            createdAt: AT,
            cause: "execution:execution",
            door: "page",
          },
        ],
        isHeld: true,
        sent: 2500,
        follow: "followed",
      },
    ],
  },
  control_record: {
    kind: "control_record",
    key: "device 1700000000000000",
    value: {
      control: "battery_power",
      value: 2500,
      follow: "followed",
      measured: 2480,
      class: "person",
      source: "token:token",
      reason: "Peak hours",
      cause: "execution:execution",
      door: "page",
    },
  },
  interlock: {
    kind: "interlock",
    key: "site too-hot",
    value: {
      revision: 3,
      updatedAt: AT,
      document: {
        kind: "condition",
        when: { device: "room", attribute: "temperature", above: 40 },
        limits: [{ device: "heater", control: "power", max: 0 }],
      },
      report: {
        state: "holding",
        since: AT,
        why: "temperature of room is above 40",
        limits: [{ deviceId: "device", control: "power", unit: "W", kind: "max", value: 0, isHolding: true }],
        measured: [{ deviceId: "device", attribute: "temperature", unit: "Cel" }],
        problems: [{ code: "unknown_device", pointer: "/limits/0/device", message: "is no device of the site" }],
      },
    },
  },
  tariff: {
    kind: "tariff",
    key: "site",
    value: {
      document: { currency: "EUR", versions: [{ import: { type: "prices" } }] },
      updatedAt: AT,
      sources: [
        {
          kind: "import",
          source: {
            url: "https://prices.example/",
            header: "X-Key",
            time: "/data/*/start",
            price: "/data/*/price",
            timeFormat: "ms",
            resolution: "1h",
            scale: 0.001,
            every: "1h",
          },
          updatedAt: AT,
          state: { nextAt: AT, failures: 1, succeededAt: AT, rows: 24, failedAt: AT, error: "answered 500" },
        },
      ],
    },
  },
  prices: {
    kind: "prices",
    key: "site import 20000",
    value: Array.from({ length: 96 }, (_, n) => (n < 92 ? n : null)),
  },
  alert: {
    kind: "alert",
    key: "alert",
    value: {
      source: "alerts",
      readLevel: "user",
      alertId: "hot",
      severity: "warning",
      raisedAt: AT,
      hardensAt: AT,
      isHard: true,
      notConfirmedSince: AT,
      details: "{}",
      blueprintDigest: HASH,
      clearedAt: AT,
    },
  },
  log: { kind: "log", key: "log", value: { takenAt: AT, severity: "info", message: "text", persist: true } },
  notification: {
    kind: "notification",
    key: "site notification",
    value: {
      at: AT,
      severity: "warning",
      title: "Title",
      text: "text",
      source: { kind: "rule", id: "rule", slug: "surplus" },
    },
  },
  audit: {
    kind: "audit",
    key: "audit",
    value: {
      id: "audit",
      at: AT,
      actor: { tokenId: "token", name: "Token", accountId: "account" },
      door: "token",
      action: "createSite",
      target: { siteId: "site", deviceId: "device", blueprintId: "blueprint", tokenId: "token" },
      outcome: "OK",
      code: "none",
      requestId: "request",
      remoteAddress: "::1",
      details: { name: "Site" },
      count: 1,
      lastAt: AT,
    },
  },
  execution: { kind: "execution", key: "execution", value: change },
};

const packed = createPointsPacker().pack([
  {
    deviceId: "device",
    at: AT,
    values: new Map<string, number | boolean | string>([
      ["power", 2.5],
      ["on", true],
    ]),
  },
  {
    deviceId: "device",
    at: AT + 1_000,
    values: new Map<string, number | boolean | string>([
      ["power", 2.6],
      ["on", true],
    ]),
  },
  { deviceId: "device", at: AT + 2_000, values: new Map([["note", "text"]]) },
  { deviceId: "device", at: AT + 3_000, values: new Map([["power", Math.fround(1 / 3)]]) },
  { deviceId: "device", at: AT + 4_000, values: new Map([["power", 1 / 3]]) },
]);

export const UP: Samples<UpMessage> = {
  hello: [{ type: "hello", protocol: "0.0", version: "1.0.0", epoch: "epoch" }],
  records: Object.values(ITEMS).map((item) => ({
    type: "records",
    to: 7,
    isWhole: true,
    isLast: false,
    items: [item],
  })),
  answer: [{ type: "answer", id: "execution", refused: "why" }],
  executions: [{ type: "executions", changes: [change], unknown: ["other"] }],
  connectivity: [{ type: "connectivity", devices: [["device", "ONLINE"]] }],
  points: [{ type: "points", number: 1, messages: [["device", AT, [["power", 2.5]]]] }],
  packed: [{ type: "packed", number: 300, content: packed }],
  history: [{ type: "history", number: 3, deviceId: "device", content: Uint8Array.of(1, 2, 3) }],
  changed: [
    { type: "changed", id: "change", outcome: { state: "DONE", answer: { name: "New" } }, items: [ITEMS.site] },
    {
      type: "changed",
      id: "change",
      outcome: { state: "REFUSED", errors: [{ code: "invalid_body", message: "why", details: { needed: "owner" } }] },
      items: [],
    },
    { type: "changed", id: "change", outcome: { state: "OVERRULED", fields: ["name"] }, items: [] },
  ],
  reply: [
    { type: "reply", id: "question", outcome: { state: "DONE", answer: { logs: [] } } },
    {
      type: "reply",
      id: "question",
      outcome: { state: "REFUSED", errors: [{ code: "not_found", message: "why", details: { id: "rule" } }] },
    },
  ],
  want: [{ type: "want", digest: HASH }],
  credential: [{ type: "credential", hash: HASH, isUsed: false }],
  leave: [{ type: "leave" }],
};

export const DOWN: Samples<DownMessage> = {
  welcome: [
    {
      type: "welcome",
      protocol: "0.0",
      version: "1.0.0",
      epoch: "epoch",
      taken: 7,
      unpacks: true,
      now: AT,
      refused: [REFUSED],
    },
  ],
  ack: [{ type: "ack", to: 7, refused: [REFUSED] }],
  execute: [
    {
      type: "execute",
      order: {
        id: "execution",
        deviceId: "device",
        createdAt: AT,
        ephemeral: false,
        name: "start",
        arguments: { power: 5 },
        patienceMs: 30_000,
        caller: "cloud",
        callerId: "token",
        scheduleId: "schedule",
        trace: { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "a=b" },
      },
    },
  ],
  stored: [{ type: "stored", number: 2, unknown: ["device"] }],
  packed_stored: [{ type: "packed_stored", number: 300 }],
  question: [
    {
      type: "question",
      question: {
        id: "question",
        operation: "listRuleLogs",
        params: { site_id: "site", rule: "rule" },
        query: { limit: "10" },
        body: { script: "text" },
        asker: { tokenId: "token", tokenName: "Token", level: "owner", sites: ["site"] },
        requestId: "request",
        patienceMs: 15_000,
      },
    },
  ],
  ask: [{ type: "ask", executions: ["execution"] }],
  change: [
    {
      type: "change",
      change: {
        id: "change",
        operation: "updateDevice",
        siteId: "site",
        deviceId: "device",
        params: { device_id: "device" },
        body: { name: "New" },
        blueprintDigest: HASH,
        base: { name: "Old" },
        asker: { tokenId: "token", tokenName: "Token", level: "owner", sites: ["site"] },
        requestId: "request",
        leaseUntil: AT,
        expected: 3,
      },
      isLate: true,
    },
  ],
  package: [{ type: "package", digest: HASH, content: Uint8Array.of(1, 2, 3) }],
  tokens: [
    {
      type: "tokens",
      tokens: [
        {
          ...{ id: "token", name: "Token", level: "user", createdAt: AT, sites: ["site"] },
          ...{ siteLevels: [{ siteId: "site", level: "owner" }], isPerson: true, hash: HASH, expiresInMs: 60_000 },
        },
      ],
    },
  ],
  rotate: [{ type: "rotate" }],
  credential: [{ type: "credential", hash: HASH }],
};
