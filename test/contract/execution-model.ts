// Random lives of executions, played in two stores at once. Whatever one answers, the other must answer too.
import fc from "fast-check";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import { EXECUTION_STATES, type Execution, RESPONSE_STATES } from "#core/command/execution.ts";
import { instant } from "#core/time/instant.ts";
import type { ExecutionFilter, ExecutionStore } from "#service/ports/execution-store.ts";
import { arrival, asNew, makeExecution, makeKey, type Place } from "../support/executions.ts";
import { makeEntry, NOON } from "../support/records.ts";

const HOUR = 3_600_000;
/** Milliseconds after noon that lie at, beside and between hours of a day and a half. */
const moment = fc
  .tuple(fc.integer({ min: -2, max: 34 }), fc.constantFrom(-1, 0, 1, 20 * 60_000))
  .map(([hour, beside]) => hour * HOUR + beside);
const place = fc.integer({ min: 0, max: 3 });
/** Which of the executions made so far. */
const which = fc.nat({ max: 1_000 });
const NAMES = [
  ["start", "start"],
  ["go", "start"],
  ["stop", "stop"],
  ["start_all", "start_all"],
] as const;
const name = fc.constantFrom(...NAMES.flat(), "nothing");

const insert = fc.record({
  do: fc.constant("insert" as const),
  place,
  after: moment,
  name: fc.constantFrom(...NAMES),
  ephemeral: fc.boolean(),
  readLevel: fc.constantFrom(...ACCESS_LEVELS),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined }),
  body: fc.constantFrom("a", "b"),
  maxOpen: fc.constantFrom(2, 1_000),
  attempted: fc.boolean(),
});
const record = fc.record({
  do: fc.constant("record" as const),
  which,
  place: fc.option(place, { nil: undefined, freq: 8 }),
  state: fc.constantFrom(...RESPONSE_STATES),
  after: moment,
  repeated: fc.boolean(),
  payload: fc.constantFrom(undefined, {}, { percent: 1 }, { message: "no" }),
});
const both = record.map((one) => ({ ...one, do: "both" as const }));
const list = fc.record({
  do: fc.constant("list" as const),
  seen: fc.constantFrom("all", "first", "none"),
  level: fc.constantFrom(...ACCESS_LEVELS, "system" as const, "system" as const),
  site: fc.option(place, { nil: undefined }),
  devices: fc.option(fc.uniqueArray(place, { maxLength: 3 }), { nil: undefined }),
  names: fc.option(fc.uniqueArray(name, { maxLength: 3 }), { nil: undefined }),
  states: fc.option(fc.subarray([...EXECUTION_STATES]), { nil: undefined }),
  retention: fc.constantFrom("ALL" as const, "PERSISTENT" as const, "EPHEMERAL" as const),
  since: fc.option(moment, { nil: undefined }),
  before: fc.option(moment, { nil: undefined }),
  newestFirst: fc.boolean(),
  now: moment,
  limit: fc.constantFrom(0, 1, 3, 100),
  offset: fc.constantFrom<number[]>(0, 0, 0, 1, 2, 5, 100),
});
const step = fc.oneof(
  { weight: 10, arbitrary: insert },
  { weight: 8, arbitrary: record },
  { weight: 3, arbitrary: both },
  { weight: 8, arbitrary: list },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("expire" as const), which, wrong: fc.constantFrom(0, 0, 1, -1) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("mark" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unmark" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const), now: moment }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("find" as const), which, now: moment }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("open" as const), place: fc.option(place, { nil: undefined }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Many lists at the end, when there is something to list. */
export const life = fc
  .tuple(fc.array(step, { minLength: 1, maxLength: 60, size: "max" }), fc.array(list, { minLength: 8, maxLength: 8 }))
  .map(([steps, lists]): readonly Step[] => [...steps, ...lists]);

/** What a store answers to each step of the life. The same places and life give the same steps, whatever the store. */
/** Any list of a site, from any offset among so many executions. */
export const farList = (count: number) =>
  fc.tuple(list, fc.nat({ max: count })).map(([one, offset]) => ({ ...one, seen: "all" as const, site: 0, offset }));

export async function play(
  store: ExecutionStore,
  places: readonly Place[],
  { steps, ids }: { readonly steps: readonly Step[]; readonly ids: readonly string[] },
): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const made: Execution[] = [];
  for (const [index, one] of steps.entries()) {
    const answer = await take(store, one, { places, made, id: ids[index] ?? "" }).catch((error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    });
    answers.push({ step: index, ...one, answer });
  }
  return answers;
}

interface Situation {
  readonly places: readonly Place[];
  readonly made: Execution[];
  readonly id: string;
}

export async function take(store: ExecutionStore, one: Step, { places, made, id }: Situation): Promise<unknown> {
  const at = (index: number): Place => places[index % places.length] ?? { siteId: "", deviceId: "" };
  const chosen = "which" in one && made.length > 0 ? made[one.which % made.length] : undefined;
  if ("which" in one && chosen === undefined) return "nothing there";
  const { id: known, deviceId } = chosen ?? { id: "", deviceId: "" };
  switch (one.do) {
    case "insert": {
      const [sent, manifestName] = one.name;
      const { ephemeral, readLevel, maxOpen, attempted } = one;
      const request = { name: sent, manifestName, arguments: {} };
      const execution = makeExecution(at(one.place), { id, after: one.after, ephemeral, readLevel, request });
      const idempotency = one.key === undefined ? undefined : makeKey(execution, one.key, { body: one.body });
      const stored = await store.insert(asNew(execution, { maxOpen, attempted, idempotency }), makeEntry());
      made.push(stored.execution);
      return stored;
    }
    case "record":
      return await store.record(
        one.place === undefined ? deviceId : at(one.place).deviceId,
        known,
        arrival(one.state, one),
      );
    case "both":
      return await store.recordStartAndAnswer(one.place === undefined ? deviceId : at(one.place).deviceId, known, {
        start: arrival("STARTED", { after: one.after }),
        answer: arrival(one.state, one),
      });
    case "expire": {
      const now = await store.find(deviceId, known, NOON);
      return await store.expire(known, instant((now?.deadline ?? 0) + one.wrong));
    }
    case "mark":
      return await store.markAttempted(known);
    case "unmark":
      return await store.unmarkAttempted(known);
    case "sweep":
      return await store.sweep(instant(NOON + one.now));
    case "find":
      return [await store.find(deviceId, known, instant(NOON + one.now)), await store.responses(known)];
    case "open":
      return await store.open({ ...(one.place !== undefined && { deviceId: at(one.place).deviceId }), limit: 100 });
    case "list":
      return await store.list(filterOf(one, at), { limit: one.limit, offset: one.offset });
  }
}

function filterOf(one: Extract<Step, { do: "list" }>, at: (index: number) => Place): ExecutionFilter {
  const time = (after: number) => instant(NOON + after);
  return {
    scope: one.seen === "all" ? "all" : new Set(one.seen === "first" ? [at(0).siteId] : []),
    level: one.level,
    retention: one.retention,
    newestFirst: one.newestFirst,
    now: time(one.now),
    ...(one.site !== undefined && { siteId: at(one.site).siteId }),
    ...(one.devices !== undefined && { deviceIds: one.devices.map((index) => at(index).deviceId) }),
    ...(one.names !== undefined && { names: one.names }),
    ...(one.states !== undefined && { states: one.states }),
    ...(one.since !== undefined && { since: time(one.since) }),
    ...(one.before !== undefined && { before: time(one.before) }),
  };
}
