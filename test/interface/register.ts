// Every sentence of the contract: first the interface, then what is decided where the interface says nothing.
import type { IdsOf, Section } from "./sentence.ts";
import { commands } from "./sentences/commands.ts";
import { endpoints, execution } from "./sentences/executions.ts";
import { access, http } from "./sentences/http.ts";
import { commandItems, items, manifest, otherItems } from "./sentences/manifest.ts";
import { resources, rules } from "./sentences/resources.ts";
import { mqtt, running } from "./sentences/running.ts";
import { current, series, values } from "./sentences/series.ts";
import { general, now, timeseries } from "./sentences/telemetry.ts";

export const INTERFACE = [
  execution,
  endpoints,
  now,
  timeseries,
  manifest,
  items,
  commandItems,
  otherItems,
  general,
] as const satisfies readonly Section[];

export const DECISIONS = [
  http,
  access,
  commands,
  current,
  series,
  values,
  resources,
  rules,
  mqtt,
  running,
] as const satisfies readonly Section[];

export type SentenceId = IdsOf<(typeof INTERFACE)[number]> | IdsOf<(typeof DECISIONS)[number]>;

const sentences = new Map<string, string>(
  [...INTERFACE, ...DECISIONS].flatMap((section: Section) =>
    Object.entries(section.sentences).map(([name, sentence]) => [`${section.id}.${name}`, sentence] as const),
  ),
);

export function sentenceOf(id: string): string {
  const sentence = sentences.get(id);
  if (sentence === undefined) throw new Error(`the register has no sentence ${id}`);
  return sentence;
}

export const sentenceIds: readonly string[] = [...sentences.keys()];
