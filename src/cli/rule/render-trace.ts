import type { RuleTrace } from "#client/resources.ts";
import { printable } from "#core/text/printable.ts";

/** As a person reads it: what started it, what was looked at, what was done, and what came of it. */
export function renderTrace(trace: RuleTrace): string {
  const { id, at, trigger, outcome, why, branch, evidence, steps, ended_at, ended, causes } = trace;
  const head = outcome === "ran" ? `${branch}: ${why}` : `${outcome}: ${why}`;
  const others = causes.filter((cause) => cause !== id);
  const lines = [
    `${at}  ${head}`,
    `  started by  ${trigger}`,
    ...others.map((cause) => `  because of  ${cause}`),
    ...evidence.map((one) => `  ${TRUTH.get(one.outcome)}  ${one.what}${shownValue(one)}  ${one.place}`),
    ...steps.map((step) => {
      const result = step.result === null ? "" : ` -> ${step.result}`;
      return `  ${sinceOf(at, step.at).padStart(8)}  ${step.what}${result}  ${step.place}`;
    }),
    ended_at === null ? "  goes on" : `  ended after ${sinceOf(at, ended_at)}: ${ended ?? ""}`,
    `  id ${id}`,
  ];
  return lines.map(printable).join("\n");
}

const TRUTH = new Map<boolean | null, string>([
  [true, "    true"],
  [false, "   false"],
  [null, " unknown"],
]);

function shownValue({ value, age_seconds: age }: RuleTrace["evidence"][number]): string {
  const shown = value === undefined ? "" : ` = ${JSON.stringify(value)}`;
  return age === undefined ? shown : `${shown} (${age.toFixed(1)} s old)`;
}

const sinceOf = (from: string, to: string) => `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`;
