// What is wrong with a record that a gateway sends: the rules of the HTTP interface, by which the same record could not be
// made there. Such a record is refused alone, and the rest goes on.
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { LONGEST_REASON, MOST_CLAIMS, MOST_CONTROLS } from "#core/control/control-record.ts";
import { DEVICE_FIELDS } from "#core/device/device.ts";
import { isSlug, isUuid, SLUG_RULE } from "#core/device/slug.ts";
import {
  type CounterCorrection,
  LONGEST_CORRECTION_NOTE,
  MAX_CORRECTIONS,
  newStartProblem,
} from "#core/energy/counter-correction.ts";
import { millionths } from "#core/energy/money.ts";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import { PRICE_KINDS, type PriceDay } from "#core/energy/price-days.ts";
import { LARGEST_PRICE } from "#core/energy/tariff.ts";
import { LARGEST_LIMIT } from "#core/interlock/interlock.ts";
import {
  type InterlockReport,
  LONGEST_WHY,
  MOST_REPORTED_LIMITS,
  MOST_REPORTED_SOURCES,
} from "#core/interlock/interlock-report.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { MAX_PROBLEMS } from "#core/text/document-reader.ts";
import { parseControlRecordKey, parseInterlockKey, parsePricesKey } from "./linked-key.ts";
import type {
  LinkedControl,
  LinkedControlRecord,
  LinkedDevice,
  LinkedInterlock,
  LinkedItem,
  LinkedSite,
  LinkedTariff,
} from "./messages.ts";
import { notificationProblem } from "./parse-notification.ts";
import { ruleItemProblem } from "./rule-problem.ts";

const LONGEST_NAME = 200;
const LONGEST_TIMEZONE = 100;
const LONGEST_KEY = 1_000;
const LONGEST_TEXT = 16_384;

/** Undefined when nothing is wrong. */
export function recordProblem(item: LinkedItem): string | undefined {
  const { kind, key } = item;
  switch (kind) {
    case "site":
      return idProblem("the id", key) ?? (item.value === null ? undefined : siteProblem(item.value));
    case "device":
      return idProblem("the id", key) ?? (item.value === null ? undefined : deviceProblem(item.value));
    case "properties":
      return (
        idProblem("the id", key) ??
        longest(
          "the name of a property",
          item.value.map(({ name }) => name),
        )
      );
    case "configuration":
      return (
        idProblem("the id", key) ??
        longest(
          "the name of a bucket",
          item.value.map(({ bucket }) => bucket),
        )
      );
    case "controls":
      return idProblem("the id", key) ?? controlsProblem(item.value);
    case "control_record":
      return controlRecordProblem(key, item.value);
    case "interlock":
      return interlockProblem(key, item.value);
    case "rule_engine":
    case "rule":
    case "rule_report":
    case "variable":
      return ruleItemProblem(item);
    case "tariff":
      return idProblem("the id", key) ?? (item.value === null ? undefined : tariffProblem(item.value));
    case "prices":
      return pricesProblem(key, item.value);
    case "execution":
      return executionProblem(item.value);
    case "alert":
      return longest("the key", [key]) ?? (item.value === null ? undefined : longest("the id", [item.value.alertId]));
    case "log": {
      const message = item.value?.message ?? "";
      return longest("the key", [key]) ?? (message.length > LONGEST_TEXT ? "the message is too long" : undefined);
    }
    case "notification":
      return notificationProblem(key, item.value);
    case "audit": {
      const texts = item.value === null ? [] : [item.value.action, item.value.requestId, item.value.remoteAddress];
      return longest("the key", [key]) ?? longest("a text of the entry", texts);
    }
    case "blueprint":
      return longest("the key", [key]);
  }
}

function executionProblem({ execution: { id, request } }: ExecutionChange): string | undefined {
  return idProblem("the id", id) ?? longest("the name of a command", [request.name, request.manifestName]);
}

function siteProblem({ name, timezone, location }: LinkedSite): string | undefined {
  if (timezone.length > LONGEST_TIMEZONE || !isTimezone(timezone))
    return `there is no time zone ${quoted(timezone)}; use an IANA name such as Europe/Berlin`;
  const { latitude = 0, longitude = 0 } = location ?? {};
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return "the location is not on the earth";
  return nameProblem("the name", name) ?? (location && nameProblem("the name of the location", location.name));
}

function deviceProblem(device: LinkedDevice): string | undefined {
  const { siteId, name, slug, parentId, corrections = [] } = device;
  if (!isSlug(slug)) return `the slug ${quoted(slug)} is none: ${SLUG_RULE}`;
  for (const [field, { column, longest: most }] of DEVICE_FIELDS) {
    const value = field === "blueprintId" ? undefined : device[field];
    if (typeof value === "string" && most !== undefined && value.length > most)
      return `the ${column.replaceAll("_", " ")} has more than ${most} characters`;
  }
  return (
    idProblem("the id of the site", siteId) ??
    nameProblem("the name", name) ??
    (parentId === undefined ? undefined : idProblem("the id of the parent", parentId)) ??
    correctionsProblem(corrections)
  );
}

function controlsProblem(controls: readonly LinkedControl[]): string | undefined {
  if (controls.length > MOST_CONTROLS) return `it has more than ${MOST_CONTROLS} controls`;
  if (new Set(controls.map(({ control }) => control)).size < controls.length) return "a control is there twice";
  const claims = controls.flatMap((one) => one.claims.map((claim) => ({ ...claim, control: one.control })));
  if (claims.length > MOST_CLAIMS) return `it has more than ${MOST_CLAIMS} claims`;
  const sources = new Set(claims.map(({ control, kind, source }) => JSON.stringify([control, kind, source])));
  if (new Set(claims.map(({ id }) => id)).size < claims.length || sources.size < claims.length) {
    return "a claim is there twice";
  }
  if (claims.some(({ reason }) => reason.length > LONGEST_REASON)) {
    return `the reason of a claim has more than ${LONGEST_REASON} characters`;
  }
  if (claims.some(({ kind, value }) => kind === "target" && value === "unlimited")) return "a target is unlimited";
  return longest("a text of a control", [
    ...controls.map(({ control }) => control),
    ...claims.flatMap(({ id, source, cause }) => [id, source, cause ?? ""]),
  ]);
}

function controlRecordProblem(key: string, record: LinkedControlRecord | null): string | undefined {
  const name = parseControlRecordKey(key);
  if (name === undefined) return `${quoted(key)} names no entry of control`;
  if ((record?.reason?.length ?? 0) > LONGEST_REASON) {
    return `the reason of an entry has more than ${LONGEST_REASON} characters`;
  }
  const texts = [record?.control, record?.source, record?.cause].map((text) => text ?? "");
  return idProblem("the id of the device", name.deviceId) ?? longest("a text of an entry", texts);
}

function interlockProblem(key: string, interlock: LinkedInterlock | null): string | undefined {
  const name = parseInterlockKey(key);
  if (name === undefined) return `${quoted(key)} names no interlock`;
  const id = idProblem("the id of the site", name.siteId);
  if (id !== undefined || interlock === null) return id;
  const [problem] = interlock.document === null ? [] : parseInterlock(interlock.document).problems;
  if (problem !== undefined) return `the interlock is not valid: ${problem.pointer} ${problem.message}`;
  if (interlock.document !== null && interlock.revision < 1) return "the revision of an interlock is 1 or more";
  return interlock.report && reportProblem(interlock.report);
}

function reportProblem({ why, limits, measured, problems }: InterlockReport): string | undefined {
  if (limits.length > MOST_REPORTED_LIMITS) return `the interlock has more than ${MOST_REPORTED_LIMITS} limits`;
  if (measured.length > MOST_REPORTED_SOURCES)
    return `the interlock measures more than ${MOST_REPORTED_SOURCES} values`;
  if (problems.length > MAX_PROBLEMS) return `the interlock has more than ${MAX_PROBLEMS} problems`;
  if (limits.some(({ value }) => Math.abs(value) > LARGEST_LIMIT)) return `a limit is beyond ${LARGEST_LIMIT}`;
  const names = limits.map(({ deviceId, control, kind }) => JSON.stringify([deviceId, control, kind]));
  if (new Set(names).size < names.length) return "a limit is there twice";
  return (
    [...limits, ...measured].map(({ deviceId }) => idProblem("the id of a device", deviceId)).find(Boolean) ??
    (why.length > LONGEST_WHY ? `why has more than ${LONGEST_WHY} characters` : undefined) ??
    longest("a text of an interlock", [
      ...limits.flatMap(({ control, unit }) => [control, unit ?? ""]),
      ...measured.flatMap(({ attribute, unit }) => [attribute, unit ?? ""]),
      ...problems.flatMap(({ pointer, message }) => [pointer, message]),
    ])
  );
}

function tariffProblem({ document, sources }: LinkedTariff): string | undefined {
  if (sources.length > PRICE_KINDS.length || new Set(sources.map(({ kind }) => kind)).size < sources.length) {
    return "it has two sources of the same prices";
  }
  const long = longest(
    "the error of a source",
    sources.map(({ state }) => state.error ?? ""),
  );
  const [problem] = document === undefined ? [] : parseTariff(document).problems;
  return long ?? (problem && `the tariff is not valid: ${problem.pointer} ${problem.message}`);
}

function pricesProblem(key: string, day: PriceDay | null): string | undefined {
  const name = parsePricesKey(key);
  if (name === undefined) return `${quoted(key)} names no prices`;
  const isTooHigh = day?.some((price) => Math.abs(price ?? 0) > millionths(LARGEST_PRICE)) ?? false;
  return idProblem("the id of the site", name.siteId) ?? (isTooHigh ? "a price is too high" : undefined);
}

function correctionsProblem(corrections: readonly CounterCorrection[]): string | undefined {
  if (corrections.length > MAX_CORRECTIONS) return `it has more than ${MAX_CORRECTIONS} corrections`;
  for (const { id, attribute, kind, newStart, value, note = "", author } of corrections) {
    const problem =
      idProblem("the id of a correction", id) ??
      newStartProblem(kind, newStart, value) ??
      longest("a text of a correction", [attribute, author.tokenId, author.name]);
    if (problem !== undefined) return problem;
    if (note.length > LONGEST_CORRECTION_NOTE)
      return `the note of a correction has more than ${LONGEST_CORRECTION_NOTE} characters`;
  }
  return undefined;
}

function idProblem(what: string, id: string): string | undefined {
  return isUuid(id) ? undefined : `${what} is ${quoted(id)}, not a UUID`;
}

function nameProblem(what: string, name: string): string | undefined {
  if (name.trim() === "") return `${what} is empty`;
  return name.length > LONGEST_NAME ? `${what} has more than ${LONGEST_NAME} characters` : undefined;
}

function longest(what: string, texts: readonly string[]): string | undefined {
  return texts.some((text) => text.length > LONGEST_KEY)
    ? `${what} has more than ${LONGEST_KEY} characters`
    : undefined;
}

/** Short enough for a log. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
