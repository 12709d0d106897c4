// Simulates a rule with stored values, in a thread of its own.
import { parentPort } from "node:worker_threads";
import { createCalendarBook } from "#core/calendar/calendar-book.ts";
import { createPriceBook } from "#core/energy/price-book.ts";
import type { RuleHistory } from "#core/rule/rule-world.ts";
import { type Simulation, simulateRule } from "#core/rule/simulate-rule.ts";
import { tryPost } from "#core/thread/try-post.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import type { Numbered, TaskAnswer } from "#runtime/task-thread.ts";
import type { PastColumn, SimulationTask } from "#service/ports/simulate-rule.ts";
import { cronProblem, cronTimes } from "#service/schedule/next-time.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";

keepCompiled();
parentPort?.on("message", ({ id, ...task }: Numbered<SimulationTask>) => {
  if (parentPort !== null) tryPost(parentPort, { id, ...simulated(task) });
});

function simulated(task: SimulationTask): { readonly result: Simulation } | { readonly failure: string } {
  const { from, to, timezone, location } = task;
  const { rule } = parseRule(task.text, { cronProblem });
  if (rule === undefined) return { failure: "the text of the rule has errors" };
  const nextTimes = new Map<string, ReturnType<typeof cronTimes>>();
  const nextCron = (expression: string, after: number) => {
    const times = nextTimes.get(expression) ?? cronTimes(expression, timezone);
    nextTimes.set(expression, times);
    return times(after);
  };
  const variables = new Map(task.variables.map(([name, value]) => [name, { value, at: from, causes: [] }]));
  const book = createCalendarBook(task.calendars);
  const price = task.prices === undefined ? undefined : createPriceBook(task.prices);
  const past = {
    ...{ from, to, timezone, location, nextCron, variables, calendar: book.stateAt, price },
    history: historyOf(task.columns),
  };
  return { result: simulateRule(rule, past) } satisfies Omit<TaskAnswer<Simulation>, "id">;
}

function historyOf(columns: readonly PastColumn[]): RuleHistory {
  const found = new Map(
    columns.map((column) => [
      keyOf(column),
      Array.from(column.times, (at, row) => ({ at, value: column.values[row] })),
    ]),
  );
  return (read, from, to) => found.get(keyOf(read))?.filter(({ at }) => at >= from && at <= to);
}

const keyOf = ({ device, attribute, unit }: Pick<PastColumn, "device" | "attribute" | "unit">): string =>
  JSON.stringify([device, attribute, unit]);
