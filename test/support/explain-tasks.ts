// Which statements Citus sends to more than one part of a spread table. Everything that the records ask is noted while the
// watch lasts, and explained afterwards.
import pg from "pg";
import { SPREAD } from "#store/postgres/spread-tables.ts";

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** For each text so many, with different values: a list may name one device or several. */
const EACH = 5;

export interface StatementWatch {
  /** The texts, in one line each, of those that went to several parts, and of all that name a spread table. */
  explain(client: pg.Client): Promise<{ readonly scattered: readonly string[]; readonly all: readonly string[] }>;
  stop(): void;
}

export function watchStatements(): StatementWatch {
  const asked = new Map<string, Asked[]>();
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const plain = prototype.query;
  prototype.query = function watched(this: unknown, ...given: unknown[]) {
    const [first] = given as [string | { readonly text?: string; readonly values?: readonly unknown[] }];
    if (typeof first === "object" && first.text !== undefined && namesSpread(first.text)) {
      const known = asked.get(first.text) ?? [];
      asked.set(first.text, known);
      if (known.length < EACH) known.push({ text: first.text, values: first.values ?? [] });
    }
    return plain.apply(this, given);
  };
  return {
    stop() {
      prototype.query = plain;
    },
    async explain(client) {
      const scattered = new Set<string>();
      for (const { text, values } of [...asked.values()].flat()) {
        if ((await tasksOf(client, { text, values })) > 1) scattered.add(inOneLine(text));
      }
      return { scattered: [...scattered].sort(), all: [...asked.keys()].map(inOneLine).sort() };
    },
  };
}

function namesSpread(text: string): boolean {
  return Object.keys(SPREAD).some((table) => new RegExp(`\\b${table}\\b`).test(text)) && !/^\s*EXPLAIN/.test(text);
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The most parts that one step of the plan asks. */
async function tasksOf(client: pg.Client, { text, values }: Asked): Promise<number> {
  const plan = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values: [...values] });
  const counts = [...JSON.stringify(plan.rows).matchAll(/"Task Count":\s*(\d+)/g)].map(([, count]) => Number(count));
  return Math.max(0, ...counts);
}
