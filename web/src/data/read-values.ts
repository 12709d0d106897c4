import type { Now } from "#client/telemetry-now.ts";

/** A request address is at most about this long, far below what servers and proxies accept. */
const LONGEST_QUERY = 6_000;

type Wanted = { readonly id: string; readonly names: readonly string[] };

/** Splits the attributes of many devices into questions that fit an address each. */
export function splitQuestions(wanted: readonly Wanted[]): readonly Readonly<Record<string, readonly string[]>>[] {
  const questions: Record<string, readonly string[]>[] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const { id, names } of wanted) {
    if (names.length === 0) continue;
    const cost = encodeURIComponent(`devices[${id}]=${names.join(",")}&`).length;
    if (length + cost > LONGEST_QUERY) {
      questions.push({});
      length = 0;
    }
    length += cost;
    const question = questions.at(-1);
    if (question !== undefined) question[id] = names;
  }
  return questions;
}

/** The newest values of many devices, in a few calls. */
export async function readValues(
  ask: (question: Readonly<Record<string, readonly string[]>>) => Promise<Now>,
  wanted: readonly Wanted[],
): Promise<Now["devices"]> {
  const answers = await Promise.all(splitQuestions(wanted).map(ask));
  return Object.assign(Object.create(null), ...answers.map(({ devices }) => devices));
}
