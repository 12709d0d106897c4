import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { Buckets, Scenario } from "#core/scenario/scenario.ts";
import { readDocument } from "#manifest/read-document.ts";
import { createReporter, positionFinder } from "#manifest/reporter.ts";
import { type Node, rootTrail } from "#manifest/tree.ts";
import { peer, peerHint } from "./read-peer.ts";
import { buckets, changes, step, stored } from "./read-step.ts";
import { type Fields, flag, integer, may, moment, must, type PeerHint, type ReadFields, text } from "./reader.ts";
import { listOf, object, textRecord } from "./reader-shapes.ts";
import { shareParts } from "./share-parts.ts";

export interface ParsedScenarios {
  /** Empty when there is an error among the issues. */
  readonly scenarios: readonly Scenario[];
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** The default start time of a scenario: a Thursday in winter, so that nothing depends on today. */
const DEFAULT_START = Date.UTC(2026, 0, 1);

const steps = listOf(step, "a list of steps");
const OWN_FIELDS = {
  description: may(text, "What is tried, and why."),
  start: may(moment, "Wall clock when the script starts. Default: 2026-01-01T00:00:00Z."),
  seed: may(integer(0, 2 ** 31), "Of the script's random numbers. Default: 1, or --seed."),
  connected: may(flag, "Whether the device is connected when the script starts. Default: true."),
  configuration: may(buckets, "What the device is configured with, by bucket and parameter."),
  storage: may(stored, "What the device's storage holds, by key."),
  allow_undeclared: may(listOf(text), "Names that the script may send although the manifest does not declare them."),
} satisfies Fields;

const oneOfMany = object("scenario", {
  name: must(text, "What the scenario shows, as a sentence."),
  ...OWN_FIELDS,
  set: may(changes, "Changes of peers before the script starts."),
  steps: must(steps, "What happens, in order."),
});

const FILE_FIELDS = {
  name: may(text, "What the scenario shows, as a sentence. Default: the name of the file."),
  ...OWN_FIELDS,
  peers: may(textRecord("peer", peer), "What the script talks to, by names of your choice."),
  steps: may(steps, "What happens, in order."),
  scenarios: may(
    listOf(oneOfMany, "a list of scenarios"),
    "Several scenarios with the same peers. Each starts afresh; what it says itself counts more than what the file says.",
  ),
} satisfies Fields;

const file = object("scenario", FILE_FIELDS);

/** Text of a scenario file to scenarios. Any text is fine: nothing is thrown. `name` is what a scenario without one is called. */
export function parseScenarios(source: string, blueprint: Blueprint, name: string): ParsedScenarios {
  const reporter = createReporter(source, "scenario");
  const node = readDocument(reporter);
  if (node === undefined) return { scenarios: [], issues: reporter.issues() };
  const context = { reporter, blueprint, peers: peersOf(node), positionOf: positionFinder(source) };
  const root = rootTrail(node);
  const given = file.read(context, root);
  if (given !== undefined && (given.steps === undefined) === (given.scenarios === undefined)) {
    const message = "A scenario needs either steps, or scenarios for several of them.";
    if (!reporter.hasErrors()) reporter.atKey(root, { code: "missing_key", message });
  }
  const issues = reporter.issues();
  return { scenarios: given === undefined || reporter.hasErrors() ? [] : scenariosOf(given, name), issues };
}

type GivenFile = ReadFields<typeof FILE_FIELDS>;

function scenariosOf(given: GivenFile, fileName: string): readonly Scenario[] {
  const { steps: own, scenarios } = given;
  if (own !== undefined)
    return [scenarioOf(given, { ...given, name: given.name ?? fileName, set: undefined, steps: own })];
  return (scenarios ?? []).map((one) => scenarioOf(given, one));
}

type GivenScenario = Omit<GivenFile, "peers" | "scenarios" | "steps" | "name"> & {
  readonly name: string;
  readonly set: Scenario["changes"] | undefined;
  readonly steps: Scenario["steps"];
};

function scenarioOf(given: GivenFile, own: GivenScenario): Scenario {
  return {
    name: own.name,
    description: own.description ?? given.description ?? "",
    startsAt: own.start ?? given.start ?? DEFAULT_START,
    seed: own.seed ?? given.seed,
    isConnected: own.connected ?? given.connected ?? true,
    configuration: mergeBuckets(given.configuration, own.configuration),
    storage: new Map([...(given.storage ?? []), ...(own.storage ?? [])]),
    peers: given.peers ?? new Map(),
    changes: own.set ?? new Map(),
    allowUndeclared: new Set([...(given.allowUndeclared ?? []), ...(own.allowUndeclared ?? [])]),
    steps: own.steps,
  };
}

function mergeBuckets(first: Buckets | undefined, second: Buckets | undefined): Buckets {
  const merged = new Map(first ?? []);
  for (const [bucket, values] of second ?? []) merged.set(bucket, new Map([...(merged.get(bucket) ?? []), ...values]));
  return merged;
}

function peersOf(node: Node): ReadonlyMap<string, PeerHint> {
  const declared = node.kind === "map" ? node.entries.get("peers")?.value : undefined;
  const hints = new Map<string, PeerHint>();
  if (declared?.kind !== "map") return hints;
  for (const [name, { value }] of declared.entries) {
    const hint = peerHint(value);
    if (hint !== undefined) hints.set(name, hint);
  }
  return hints;
}

/** The language as JSON Schema, for editors. What a manifest declares is the parser's own. */
export function renderScenarioSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Blueprint test scenario",
    ...shareParts(file.schema),
  };
}
