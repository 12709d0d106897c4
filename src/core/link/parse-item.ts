// Reads the records that came over a link.
import { AUDIT_OUTCOMES, type AuditEntry } from "#core/access/audit-entry.ts";
import { doorOf } from "#core/access/door.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import {
  type CommandResponse,
  EXECUTION_STATES,
  type Execution,
  type ExecutionCaller,
  type Micros,
  RESPONSE_STATES,
} from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { CLAIM_CLASSES, CLAIM_KINDS } from "#core/control/claim.ts";
import { FOLLOWS } from "#core/control/control-writer.ts";
import { DEVICE_FIELDS, DEVICE_TYPES, type Device, type PropertyValue } from "#core/device/device.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { CORRECTION_KINDS, type CounterCorrection } from "#core/energy/counter-correction.ts";
import { isPriceDay, PRICE_KINDS } from "#core/energy/price-days.ts";
import { isPriceSource } from "#core/energy/price-source.ts";
import { MESSAGE_JSON } from "./link-limits.ts";
import {
  count,
  type Fields,
  flag,
  LinkMistake,
  list,
  moment,
  number,
  object,
  optionalMoment,
  optionalText as optionalShortText,
  text as shortText,
  word,
} from "./message-fields.ts";
import type {
  LinkedAlert,
  LinkedBlueprint,
  LinkedBucket,
  LinkedControl,
  LinkedControlRecord,
  LinkedDevice,
  LinkedInterlock,
  LinkedItem,
  LinkedLogEntry,
  LinkedPriceSource,
  LinkedSite,
  LinkedTariff,
} from "./messages.ts";
import { parseNotification } from "./parse-notification.ts";
import { parseReport } from "./parse-report.ts";
import { parseRuleItem } from "./parse-rule.ts";
import { type RefusedRecord, refusedRecord } from "./refused-record.ts";

/** How long they may be is judged record by record (record-problem.ts): one that is too long must not end the connection. */
const text = (given: Fields, name: string): string => shortText(given, name, MESSAGE_JSON.text);
const optionalText = (given: Fields, name: string): string | undefined =>
  optionalShortText(given, name, MESSAGE_JSON.text);

/** Those that can be read, and why the others cannot: one bad record must not keep the rest back. */
export function parseItems(values: readonly unknown[]): {
  readonly items: readonly LinkedItem[];
  readonly unreadable?: readonly RefusedRecord[];
} {
  const items: LinkedItem[] = [];
  const unreadable: RefusedRecord[] = [];
  for (const value of values) {
    try {
      items.push(parseItem(value));
    } catch (error) {
      if (!(error instanceof LinkMistake)) throw error;
      const { kind, key } = (value ?? {}) as { readonly kind?: unknown; readonly key?: unknown };
      const [shownKind, shownKey] = [kind, key].map((one) => (typeof one === "string" ? one : "unknown"));
      unreadable.push(refusedRecord((shownKind ?? "").slice(0, LONGEST_KIND), shownKey ?? "", error.message));
    }
  }
  return { items, ...(unreadable.length > 0 && { unreadable }) };
}

const LONGEST_KIND = 20;

function parseItem(value: unknown): LinkedItem {
  const given = object(value, "an item");
  const key = text(given, "key");
  const content = given["value"];
  switch (given["kind"]) {
    case "site":
      return { kind: "site", key, value: content === null ? null : parseSite(object(content, "a site")) };
    case "blueprint":
      return {
        kind: "blueprint",
        key,
        value: content === null ? null : parseBlueprint(object(content, "a blueprint")),
      };
    case "device":
      return { kind: "device", key, value: content === null ? null : parseDevice(object(content, "a device")) };
    case "properties":
      return { kind: "properties", key, value: list(given, "value").map(parseProperty) };
    case "configuration":
      return { kind: "configuration", key, value: list(given, "value").map(parseBucket) };
    case "controls":
      return { kind: "controls", key, value: list(given, "value").map(parseControl) };
    case "control_record":
      return {
        kind: "control_record",
        key,
        value: content === null ? null : parseControlRecord(object(content, "an entry of control")),
      };
    case "interlock":
      return {
        kind: "interlock",
        key,
        value: content === null ? null : parseInterlockRecord(object(content, "an interlock")),
      };
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
      return parseRuleItem(given["kind"], key, content);
    case "tariff":
      return { kind: "tariff", key, value: content === null ? null : parseTariffRecord(object(content, "a tariff")) };
    case "prices":
      if (content !== null && !isPriceDay(content)) throw new LinkMistake("the prices are not those of a day");
      return { kind: "prices", key, value: content };
    case "alert":
      return { kind: "alert", key, value: content === null ? null : parseAlert(object(content, "an alert")) };
    case "log":
      return { kind: "log", key, value: content === null ? null : parseLogEntry(object(content, "a log entry")) };
    case "notification": {
      const value = content === null ? null : parseNotification(object(content, "a notification"));
      return { kind: "notification", key, value };
    }
    case "audit":
      return { kind: "audit", key, value: content === null ? null : parseEntry(object(content, "an audit entry")) };
    case "execution":
      return { kind: "execution", key, value: parseChange(content) };
    default:
      throw new LinkMistake(`no item has the kind ${String(given["kind"]).slice(0, 40)}`);
  }
}

function parseSite(given: Fields): LinkedSite {
  const location = given["location"] === undefined ? undefined : object(given["location"], "a location");
  return {
    id: text(given, "id"),
    name: text(given, "name"),
    timezone: text(given, "timezone"),
    ...(location !== undefined && {
      location: {
        name: text(location, "name"),
        ...(location["latitude"] !== undefined && { latitude: number(location, "latitude") }),
        ...(location["longitude"] !== undefined && { longitude: number(location, "longitude") }),
      },
    }),
    createdAt: moment(given, "createdAt"),
    updatedAt: moment(given, "updatedAt"),
  };
}

function parseBlueprint(given: Fields): LinkedBlueprint {
  const uploader = given["uploadedBy"];
  return {
    digest: text(given, "digest"),
    content: text(given, "content"),
    ...(uploader !== undefined && { uploadedBy: parseUploader(object(uploader, "an uploader")) }),
  };
}

function parseUploader(given: Fields): LinkedBlueprint["uploadedBy"] {
  const accountId = optionalShortText(given, "accountId");
  return {
    tokenId: shortText(given, "tokenId"),
    name: shortText(given, "name"),
    ...(accountId !== undefined && { accountId }),
    door: doorOf(given["door"]),
  };
}

const READ_FIELD = {
  text,
  "optional text": optionalText,
  name: text,
  type: (given: Fields, name: string) => word(given, name, DEVICE_TYPES),
  time: moment,
};

function parseDevice(given: Fields): LinkedDevice {
  const fields = DEVICE_FIELDS.filter(([name]) => name !== "blueprintId");
  const values = fields.map(([name, { holds }]) => [name, READ_FIELD[holds](given, name)] as const);
  return {
    ...(Object.fromEntries(values) as unknown as Omit<Device, "blueprintId">),
    blueprintDigest: optionalText(given, "blueprintDigest"),
    ...(given["corrections"] !== undefined && { corrections: list(given, "corrections").map(parseCorrection) }),
  };
}

function parseCorrection(value: unknown): CounterCorrection {
  const given = object(value, "a correction");
  const author = object(given["author"], "author");
  return {
    id: text(given, "id"),
    attribute: text(given, "attribute"),
    beforeAt: moment(given, "beforeAt"),
    before: number(given, "before"),
    at: moment(given, "at"),
    value: number(given, "value"),
    kind: word(given, "kind", CORRECTION_KINDS),
    newStart: given["newStart"] === undefined ? undefined : number(given, "newStart"),
    note: optionalText(given, "note"),
    author: { tokenId: text(author, "tokenId"), name: text(author, "name") },
    createdAt: moment(given, "createdAt"),
  };
}

function parseProperty(value: unknown): PropertyValue {
  const given = object(value, "a property");
  return { name: text(given, "name"), value: given["value"], receivedAt: moment(given, "receivedAt") };
}

export function parseChange(value: unknown): ExecutionChange {
  const given = object(value, "a change of an execution");
  const leftOut = given["leftOut"] === undefined ? undefined : object(given["leftOut"], "leftOut");
  return {
    execution: parseExecution(given["execution"]),
    responses: list(given, "responses").map(parseResponse),
    since: count(given, "since"),
    leftOut: leftOut && { count: count(leftOut, "count"), at: count(leftOut, "at") as Micros },
  };
}

export function parseExecution(value: unknown): Execution {
  const execution = object(value, "execution");
  const request = object(execution["request"], "request");
  return {
    id: text(execution, "id"),
    deviceId: text(execution, "deviceId"),
    siteId: text(execution, "siteId"),
    state: word(execution, "state", EXECUTION_STATES),
    ephemeral: flag(execution, "ephemeral"),
    createdAt: moment(execution, "createdAt"),
    request: {
      name: text(request, "name"),
      manifestName: text(request, "manifestName"),
      arguments: object(request["arguments"], "arguments"),
    },
    response: execution["response"] === undefined ? undefined : parseResponse(execution["response"]),
    readLevel: word(execution, "readLevel", ACCESS_LEVELS),
    deadline: moment(execution, "deadline"),
    revision: count(execution, "revision"),
    isRemote: flag(execution, "isRemote"),
    ...(execution["caller"] !== undefined && { caller: parseCaller(execution["caller"]) }),
  };
}

function parseCaller(value: unknown): ExecutionCaller {
  const given = object(value, "caller");
  return {
    tokenId: text(given, "tokenId"),
    name: text(given, "name"),
    scheduleId: optionalText(given, "scheduleId"),
    door: doorOf(given["door"]),
  };
}

function parseResponse(value: unknown): CommandResponse {
  const given = object(value, "a response");
  return {
    state: word(given, "state", RESPONSE_STATES),
    payload: given["payload"] === undefined ? undefined : object(given["payload"], "payload"),
    receivedAt: count(given, "receivedAt") as Micros,
  };
}

function parseBucket(value: unknown): LinkedBucket {
  const given = object(value, "a bucket");
  return {
    bucket: text(given, "bucket"),
    shown: object(given["shown"], "shown"),
    updatedAt: moment(given, "updatedAt"),
  };
}

function parseControl(value: unknown): LinkedControl {
  const given = object(value, "a control");
  return {
    control: text(given, "control"),
    claims: list(given, "claims").map(parseClaim),
    isHeld: flag(given, "isHeld"),
    sent: optionalNumber(given, "sent"),
    follow: word(given, "follow", FOLLOWS),
  };
}

function parseClaim(value: unknown): LinkedControl["claims"][number] {
  const given = object(value, "a claim");
  const wanted = given["value"];
  return {
    id: text(given, "id"),
    kind: word(given, "kind", CLAIM_KINDS),
    value: wanted === null || wanted === "unlimited" ? wanted : number(given, "value"),
    class: word(given, "class", CLAIM_CLASSES),
    source: text(given, "source"),
    reason: text(given, "reason"),
    leaseUntil: moment(given, "leaseUntil"),
    createdAt: moment(given, "createdAt"),
    cause: optionalText(given, "cause"),
    door: doorOf(given["door"]),
  };
}

function parseControlRecord(given: Fields): LinkedControlRecord {
  return {
    control: text(given, "control"),
    value: optionalNumber(given, "value"),
    follow: word(given, "follow", FOLLOWS),
    measured: optionalNumber(given, "measured"),
    class: given["class"] === undefined ? undefined : word(given, "class", CLAIM_CLASSES),
    source: optionalText(given, "source"),
    reason: optionalText(given, "reason"),
    cause: optionalText(given, "cause"),
    door: doorOf(given["door"]),
  };
}

function parseInterlockRecord(given: Fields): LinkedInterlock {
  const { report } = given;
  return {
    revision: count(given, "revision"),
    updatedAt: moment(given, "updatedAt"),
    document: given["document"] === null ? null : object(given["document"], "document"),
    ...(report !== undefined && { report: parseReport(object(report, "report")) }),
  };
}

const optionalNumber = (given: Fields, name: string): number | undefined =>
  given[name] === undefined ? undefined : number(given, name);

function parseTariffRecord(given: Fields): LinkedTariff {
  const { document } = given;
  return {
    ...(document !== undefined && { document: object(document, "document"), updatedAt: moment(given, "updatedAt") }),
    sources: list(given, "sources").map(parsePriceSource),
  };
}

function parsePriceSource(value: unknown): LinkedPriceSource {
  const given = object(value, "a source of prices");
  const state = object(given["state"], "state");
  const { source } = given;
  if (!isPriceSource(source)) throw new LinkMistake("a source of prices cannot be read");
  return {
    kind: word(given, "kind", PRICE_KINDS),
    source,
    updatedAt: moment(given, "updatedAt"),
    state: {
      nextAt: moment(state, "nextAt"),
      failures: count(state, "failures"),
      succeededAt: optionalMoment(state, "succeededAt"),
      rows: state["rows"] === undefined ? undefined : count(state, "rows"),
      failedAt: optionalMoment(state, "failedAt"),
      error: optionalText(state, "error"),
    },
  };
}

function parseAlert(given: Fields): LinkedAlert {
  return {
    source: text(given, "source"),
    readLevel: word(given, "readLevel", ACCESS_LEVELS),
    alertId: text(given, "alertId"),
    severity: word(given, "severity", ALERT_SEVERITIES),
    raisedAt: moment(given, "raisedAt"),
    hardensAt: moment(given, "hardensAt"),
    isHard: flag(given, "isHard"),
    notConfirmedSince: optionalMoment(given, "notConfirmedSince"),
    details: optionalText(given, "details"),
    blueprintDigest: optionalText(given, "blueprintDigest"),
    clearedAt: optionalMoment(given, "clearedAt"),
  };
}

function parseLogEntry(given: Fields): LinkedLogEntry {
  return {
    takenAt: moment(given, "takenAt"),
    severity: word(given, "severity", LOG_SEVERITIES),
    message: text(given, "message"),
    persist: flag(given, "persist"),
  };
}

function parseEntry(given: Fields): AuditEntry {
  const actor = given["actor"] === undefined ? undefined : object(given["actor"], "actor");
  const target = object(given["target"], "target");
  return {
    id: text(given, "id"),
    at: moment(given, "at"),
    actor: actor && {
      tokenId: text(actor, "tokenId"),
      name: text(actor, "name"),
      ...(actor["accountId"] !== undefined && { accountId: text(actor, "accountId") }),
    },
    door: doorOf(given["door"]),
    action: text(given, "action"),
    target: Object.fromEntries(
      TARGETS.flatMap((name) => (target[name] === undefined ? [] : [[name, text(target, name)]])),
    ),
    outcome: word(given, "outcome", AUDIT_OUTCOMES),
    code: optionalText(given, "code"),
    requestId: text(given, "requestId"),
    remoteAddress: text(given, "remoteAddress"),
    details: object(given["details"], "details"),
    count: count(given, "count"),
    lastAt: moment(given, "lastAt"),
  };
}

const TARGETS = ["siteId", "deviceId", "blueprintId", "tokenId"] as const;
