// What scenarios said of a rule, as the page shows it: step by step. Pure, but for the language that is chosen.
import type { RuleTest } from "#client/resources.ts";
import type { ClaimAction, DeclarativeRule } from "#core/rule/rule.ts";
import { type RuleReads, ruleReads } from "#core/rule/rule-reads.ts";

type Scenario = RuleTest["scenarios"][number];
type Entry = { readonly at: number; readonly text: string };

/** What happened in a step. The first one has what came before any step. */
export type TestStep = Entry & {
  /** Of the step in the text of the scenarios. */
  readonly line: number | undefined;
  readonly entries: readonly Entry[];
};

const STEP = /^line (\d+)(?:: (.*))?$/s;

export function testSteps({ timeline }: Pick<Scenario, "timeline">): readonly TestStep[] {
  const steps: { at: number; text: string; line: number | undefined; entries: Entry[] }[] = [];
  for (const { at_ms: at, text, step } of timeline) {
    const [, line, name] = step ? (STEP.exec(text) ?? []) : [];
    if (step) steps.push({ at, text: name ?? (line === undefined ? text : ""), line: lineOf(line), entries: [] });
    else {
      if (steps.length === 0) steps.push({ at: 0, text: "", line: undefined, entries: [] });
      steps.at(-1)?.entries.push({ at, text });
    }
  }
  return steps;
}

const lineOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

export const passedOf = ({ scenarios }: Pick<RuleTest, "scenarios">): number =>
  scenarios.filter(({ passed }) => passed).length;

/** A scenario to begin with: what the rule reads and claims, and one step. Nothing is known of a script. */
export function firstTest(
  rule: DeclarativeRule | undefined,
  names: { readonly step: string; readonly note: string },
): string {
  const reads = rule === undefined ? undefined : ruleReads(rule);
  const lines = [
    `# ${names.note}`,
    ...devicesOf(reads, rule),
    ...flow(
      "variables",
      (reads?.variables ?? []).map((name) => `${name}: 0`),
    ),
    ...flow(
      "calendars",
      (reads?.calendars ?? []).map((name) => `${plain(name)}: off`),
    ),
    ...flow(
      "tariff",
      (reads?.prices ?? []).map((of) => `${of}: 0.3`),
    ),
    "steps:",
    `  - name: ${plain(names.step)}`,
    "    wait: 5m",
  ];
  return `${lines.join("\n")}\n`;
}

const flow = (key: string, items: readonly string[]): readonly string[] =>
  items.length === 0 ? [] : [`${key}: {${items.join(", ")}}`];

function devicesOf(reads: RuleReads | undefined, rule: DeclarativeRule | undefined): readonly string[] {
  const actions = [...(rule?.thenActions ?? []), ...(rule?.elseActions ?? [])];
  const claims = actions.filter((one): one is ClaimAction => one.kind === "claim");
  const commands = actions.flatMap((one) => (one.kind === "execute" ? [one.device] : []));
  const attributes = reads?.attributes ?? [];
  const controls = [...claims, ...(reads?.controls ?? [])];
  const names = new Set(
    [...attributes, ...controls].map(({ device }) => device).concat(reads?.devices ?? [], commands),
  );
  if (names.size === 0) return ["devices:", "  meter: {telemetry: {power: 0}}"];
  const about = (device: string): string => {
    const measured = attributes.filter((one) => one.device === device).map(({ attribute }) => `${plain(attribute)}: 0`);
    const claimed = controls.filter((one) => one.device === device).map(({ control }) => `${plain(control)}: W`);
    return [...flow("telemetry", unique(measured)), ...flow("controls", unique(claimed))].join(", ");
  };
  return ["devices:", ...[...names].map((device) => `  ${plain(device)}: {${about(device)}}`)];
}

const unique = (items: readonly string[]): readonly string[] => [...new Set(items)];

/** What YAML might take for something else is quoted. */
const plain = (text: string): string =>
  /^[A-Za-z][\w -]*[\w]$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
