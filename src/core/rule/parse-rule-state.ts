import { NEW_STATE, type RuleState } from "./rule-state.ts";

export interface ParsedState {
  readonly state: RuleState;
  /** Why it begins anew. */
  readonly problems: readonly string[];
}

/** Damaged: what the rule did before is lost. It claims again what it has to, and repeats nothing else. */
const LOST_STATE: RuleState = { ...NEW_STATE, isCareful: true };
const LONGEST_TEXT = 1_000_000;
const MOST_ITEMS = 1_000;

/** A stored state, of which nothing is trusted. */
export function parseRuleState(text: string): ParsedState {
  if (text.length > LONGEST_TEXT) return { state: LOST_STATE, problems: ["the stored state is too long"] };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return { state: LOST_STATE, problems: ["the stored state is no JSON"] };
  }
  const fields = isObject(given) ? given : {};
  const problems = Object.entries(FIELDS).flatMap(([name, isFine]) =>
    Object.hasOwn(fields, name) && isFine(fields[name]) ? [] : [`${name} is missing or wrong`],
  );
  if (problems.length > 0) return { state: LOST_STATE, problems };
  const known = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, fields[name]]));
  return { state: known as unknown as RuleState, problems: [] };
}

type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText: Check = (value) => typeof value === "string" && value.length <= 2_000;
const isFlag: Check = (value) => typeof value === "boolean";
/** The years from 1970 to 9999. */
const isTime: Check = (value) => typeof value === "number" && value >= 0 && value < 253_402_300_800_000;
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_ITEMS;
const isOneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= MOST_ITEMS && value.every(check);
const isPair =
  (first: Check, second: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1]);
const isShape =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(shape).every(([name, check]) => Object.hasOwn(value, name) && check(value[name]));

const isRun = isShape({
  id: isText,
  trigger: isText,
  branch: isOneOf("then", "else"),
  isLevel: isFlag,
  isCareful: isFlag,
  next: isCount,
  dueAt: orNull(isTime),
  done: isText,
  causes: isList(isText),
});

const isHeld = isShape({
  runId: isText,
  branch: isOneOf("then", "else"),
  action: isCount,
  print: isText,
  device: isText,
  control: isText,
  claim: isOneOf("target", "min", "max"),
  until: orNull(isTime),
  sentAt: orNull(isTime),
  sent: (value) => value === null || value === "unlimited" || Number.isFinite(value),
  causes: isList(isText),
});

const FIELDS: Readonly<Record<keyof RuleState, Check>> = {
  version: isOneOf(1),
  seenAt: orNull(isTime),
  isOn: isFlag,
  since: orNull(isTime),
  trueSince: orNull(isTime),
  pausedAt: orNull(isTime),
  isCareful: isFlag,
  memory: isList(isPair(isText, isFlag)),
  due: isList(isPair(isText, orNull(isTime))),
  runs: isList(isRun),
  queue: isList(isRun),
  claims: isList(isHeld),
  sent: isList(isPair(isText, isList(isTime))),
  prints: isShape({ level: isText, actions: isText }),
};
