// What an interlock remembers, as it is stored. A start goes on with it, so a minimum time or a hysteresis is not cut short or begun
// anew. It is stored when it changes. What changes with every measurement follows within some seconds: a time that is older than the
// truth is on the careful side, and a limit that rises sooner is still within the maximum.
import type { ConditionMemory } from "./evaluate-condition.ts";
import type { Memory } from "./evaluate-interlock.ts";
import type { SharedMemory } from "./evaluate-shared.ts";
import type { GridMemory } from "./grid-signal.ts";
import type { Interlock } from "./interlock.ts";
import { CLOCK_MS, INTERLOCK_STATES, type InterlockState } from "./outcome.ts";

/** Later, nobody knows what happened meanwhile. */
const RECALLED_MS = 600_000;
/** What only moves on is stored so often. */
const FOLLOW_MS = 10_000;
const MOST_ITEMS = 1_000;

export type StoredMemory = Exclude<Memory, { readonly kind: "damaged" }>;

/** Whether what is stored would lead to something else after a start. */
export function isWorthStoring(interlock: Interlock, stored: StoredMemory | undefined, memory: StoredMemory): boolean {
  if (stored === undefined || essenceOf(interlock, stored) !== essenceOf(interlock, memory)) return true;
  if (memory.kind !== "grid" && interlock.whenUnknown !== "keep" && !hasMoved(stored, memory)) return false;
  const [before, after] = [measuredAt(stored), measuredAt(memory)];
  return after !== undefined && (before === undefined || Math.abs(after - before) >= FOLLOW_MS);
}

/** All but what moves on with every measurement. */
function essenceOf({ kind, ...interlock }: Interlock, memory: StoredMemory): string {
  const { state, since } = memory;
  if (memory.kind === "condition") return JSON.stringify([state, since, memory.isTrue && memory.trueSince]);
  if (memory.kind === "shared") return JSON.stringify([state, since]);
  const { regainedAt, heartbeatAt, limitAt, signs, limitSigns } = memory;
  // Claims are stored whenever they are renewed, and so is this. A contact may speak every second.
  const isClaims = kind === "grid_signal" && "from" in interlock && interlock.from === "claims";
  return JSON.stringify([state, since, regainedAt, isClaims && [heartbeatAt, limitAt, signs, limitSigns]]);
}

/** Near its maximum, what a connection has released changes with every measurement. */
function hasMoved(stored: StoredMemory, memory: StoredMemory): boolean {
  if (stored.kind !== "shared" || memory.kind !== "shared") return false;
  return JSON.stringify([...stored.released]) !== JSON.stringify([...memory.released]);
}

function measuredAt(memory: StoredMemory): number | undefined {
  if (memory.kind === "grid") return memory.heartbeatAt;
  if (memory.kind === "condition") return memory.knownAt;
  const times = [...memory.bases.values()].map(({ knownAt }) => knownAt);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** What counts after a start. Undefined: nothing, so the start takes the careful side. */
export function recallMemory(memory: StoredMemory, savedAt: number, now: number): StoredMemory | undefined {
  const isFresh = savedAt <= now + CLOCK_MS && now - savedAt <= RECALLED_MS;
  switch (memory.kind) {
    case "condition":
      return isFresh || memory.isTrue ? memory : undefined;
    case "grid":
      return isFresh ? { ...memory, isRecalled: true } : undefined;
    case "shared":
      return isFresh ? memory : { ...memory, bases: new Map(), released: withoutRise(memory.released) };
  }
}

/** Whether more was free meanwhile is not known. */
function withoutRise(released: SharedMemory["released"]): SharedMemory["released"] {
  return new Map([...released].map(([key, one]) => [key, { ...one, betterSince: undefined }]));
}

/** As JSON. */
export function renderMemory(memory: StoredMemory): object {
  if (memory.kind !== "shared") return memory;
  const released = [...memory.released].map(([key, { most, better, betterSince }]) => [
    key,
    { most: rendered(most), better: rendered(better), betterSince },
  ]);
  return { ...memory, bases: [...memory.bases], released };
}

/** Undefined for anything that `renderMemory` does not make. */
export function parseMemory(value: unknown): StoredMemory | undefined {
  const fields = objectOf(value);
  const common = fields && commonOf(fields);
  if (fields === undefined || common === undefined) return undefined;
  switch (fields["kind"]) {
    case "condition":
      return parseCondition(common, fields);
    case "grid":
      return parseGrid(common, fields);
    case "shared":
      return parseShared(common, fields);
    default:
      return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;
type Common = { readonly state: InterlockState; readonly since: number };

function commonOf({ state, since }: Fields): Common | undefined {
  const known = INTERLOCK_STATES.find((one) => one === state);
  return known !== undefined && isNumber(since) ? { state: known, since } : undefined;
}

function parseCondition(common: Common, { isTrue, trueSince, knownAt }: Fields): ConditionMemory | undefined {
  if (typeof isTrue !== "boolean" || !isNumber(trueSince) || !isOptional(knownAt)) return undefined;
  return { kind: "condition", ...common, isTrue, trueSince, knownAt };
}

function parseGrid(common: Common, fields: Fields): GridMemory | undefined {
  const { signs, limitSigns, heartbeatAt, limitAt, regainedAt } = fields;
  if (!isTexts(signs) || !isTexts(limitSigns)) return undefined;
  if (!isOptional(heartbeatAt) || !isOptional(limitAt) || !isOptional(regainedAt)) return undefined;
  return { kind: "grid", ...common, signs, limitSigns, heartbeatAt, limitAt, regainedAt, isRecalled: false };
}

function parseShared(common: Common, fields: Fields): SharedMemory | undefined {
  const bases = entriesOf(fields["bases"], ({ value, sample, knownAt }) =>
    isNumber(value) && typeof sample === "string" && isNumber(knownAt) ? { value, sample, knownAt } : undefined,
  );
  const released = entriesOf(fields["released"], ({ betterSince, ...fields }) => {
    const [most, better] = [amountOf(fields["most"]), amountOf(fields["better"])];
    if (most === undefined || better === undefined || !isOptional(betterSince)) return undefined;
    return { most, better, betterSince };
  });
  return bases && released && { kind: "shared", ...common, bases, released };
}

/** JSON has no word for what a control without a range can take. */
const ENDLESS = "endless";
const rendered = (amount: number) => (amount === Infinity ? ENDLESS : amount);
const amountOf = (value: unknown): number | undefined =>
  value === ENDLESS ? Infinity : isNumber(value) ? value : undefined;

function entriesOf<Item>(
  value: unknown,
  read: (fields: Fields) => Item | undefined,
): ReadonlyMap<string, Item> | undefined {
  if (!Array.isArray(value) || value.length > MOST_ITEMS) return undefined;
  const entries = new Map<string, Item>();
  for (const entry of value) {
    const [key, item] = Array.isArray(entry) ? entry : [];
    const fields = objectOf(item);
    const found = fields && read(fields);
    if (typeof key !== "string" || found === undefined) return undefined;
    entries.set(key, found);
  }
  return entries;
}

function objectOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isOptional = (value: unknown): value is number | undefined => value === undefined || isNumber(value);
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MOST_ITEMS && value.every((one) => typeof one === "string");
