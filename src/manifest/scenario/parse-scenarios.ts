import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { Control } from "#core/control/control.ts";
import * as r from "#manifest/reader.ts";
import type { Node } from "#manifest/tree.ts";
import { serialBytes } from "./bytes.ts";
import { expectedValue } from "./expected.ts";
import { interlocks, type ScenarioInterlock } from "./interlocks.ts";
import { change, changes, peer, peerHint, routes } from "./peers.ts";
import { DEFAULT_START, readScenarioFile } from "./read-scenario-file.ts";
import { bitTable, registerTable } from "./registers.ts";
import { buckets, step, stored } from "./steps.ts";

export interface ParsedScenarios {
  /** Empty when there is an error among the issues. */
  readonly scenarios: readonly Scenario[];
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

const steps = r.listOf(step, "a list of steps");
const OWN_FIELDS = {
  description: r.may(r.text, "What is tried, and why."),
  start: r.may(r.moment, "Wall clock when the script starts. Default: 2026-01-01T00:00:00Z."),
  seed: r.may(r.integer(0, 2 ** 31), "Of the script's random numbers. Default: 1, or --seed."),
  connected: r.may(r.flag, "Whether the device is connected when the script starts. Default: true."),
  configuration: r.withDefault(buckets, new Map(), "What the device is configured with, by bucket and parameter."),
  storage: r.withDefault(stored, new Map(), "What the device's storage holds, by key."),
  interlocks: r.withDefault(
    interlocks,
    new Map<string, ScenarioInterlock>(),
    "Interlocks that limit the device, by name, as those of a site.",
  ),
  allow_undeclared: r.withDefault(
    r.listOf(r.text),
    [],
    "Names that the script may send although the manifest does not declare them.",
  ),
} satisfies r.Fields;

const ONE_FIELDS = {
  name: r.must(r.text, "What the scenario shows, as a sentence."),
  ...OWN_FIELDS,
  set: r.withDefault(changes, new Map(), "Changes of peers before the script starts."),
  steps: r.must(steps, "What happens, in order."),
} satisfies r.Fields;

const FILE_FIELDS = {
  name: r.may(r.text, "What the scenario shows, as a sentence. Default: the name of the file."),
  ...OWN_FIELDS,
  peers: r.withDefault(
    r.record(r.anyKey("peer"), peer),
    new Map(),
    "What the script talks to, by names of your choice.",
  ),
  steps: r.may(steps, "What happens, in order."),
  scenarios: r.may(
    r.listOf(r.object("scenario", ONE_FIELDS), "a list of scenarios"),
    "Several scenarios with the same peers. Each starts afresh; what it says itself counts more than what the file says.",
  ),
} satisfies r.Fields;

const file = r.object("scenario", FILE_FIELDS);

type GivenFile = r.ReadFields<typeof FILE_FIELDS>;
type GivenScenario = r.ReadFields<typeof ONE_FIELDS>;

/** What happens to a blueprint's script, step by step, and what it is expected to do. Times are in milliseconds. */
export interface Scenario extends GivenScenario, Pick<GivenFile, "peers"> {
  /** Wall clock when the script starts, Unix milliseconds. */
  readonly start: number;
  readonly connected: boolean;
}

/** Text of a scenario file to scenarios. Any text is fine: nothing is thrown. `name` is what a scenario without one is called. */
export function parseScenarios(
  source: string,
  blueprint: Blueprint,
  name: string,
  controls: ReadonlyMap<string, Control> = new Map(),
): ParsedScenarios {
  const context = (base: r.ReadContext, node: Node) => ({ ...base, blueprint, controls, peers: peersOf(node) });
  const { given, issues } = readScenarioFile(source, { file, context });
  if (given === undefined) return { scenarios: [], issues };
  const own = given.steps && { ...given, name: given.name ?? name, set: new Map(), steps: given.steps };
  const all = own === undefined ? (given.scenarios ?? []) : [own];
  return { scenarios: all.map((one) => scenarioOf(given, one)), issues };
}

/** What a scenario says itself counts more than what its file says. */
function scenarioOf(file: GivenFile, own: GivenScenario): Scenario {
  const configuration = new Map(file.configuration);
  for (const [bucket, values] of own.configuration)
    configuration.set(bucket, new Map([...(configuration.get(bucket) ?? []), ...values]));
  return {
    ...file,
    ...own,
    start: own.start ?? file.start ?? DEFAULT_START,
    connected: own.connected ?? file.connected ?? true,
    configuration,
    storage: new Map([...file.storage, ...own.storage]),
    interlocks: new Map([...file.interlocks, ...own.interlocks]),
    allowUndeclared: [...file.allowUndeclared, ...own.allowUndeclared],
  };
}

function peersOf(node: Node) {
  const declared = node.kind === "map" ? node.entries.get("peers")?.value : undefined;
  const entries = declared?.kind === "map" ? [...declared.entries] : [];
  return new Map(
    entries.flatMap(([name, { value }]) => {
      const hint = peerHint(value);
      return hint === undefined ? [] : [[name, hint]];
    }),
  );
}

/** The language as JSON Schema, for editors. What a manifest declares is the parser's own. */
export function renderScenarioSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Blueprint test scenario",
    ...file.schema,
    ...r.definitionsOf([step, change, routes, registerTable, bitTable, serialBytes, expectedValue]),
  };
}
