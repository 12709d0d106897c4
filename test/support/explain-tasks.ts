// Which statements Citus sends to more than one part of a spread table. Everything that the records ask is noted while the
// watch lasts, and explained afterwards.
import pg from "pg";
import { SPREAD, SPREAD_TELEMETRY } from "#store/postgres/spread-tables.ts";

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

/** The statements of telemetry, the functions that it calls among them. */
export function watchTelemetry(): { asked(): readonly Asked[]; stop(): void } {
  const found = new Map<string, Asked>();
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown };
  const plain = prototype.query;
  prototype.query = function watched(this: unknown, ...given: unknown[]) {
    const [first] = given as [{ readonly text?: string; readonly values?: readonly unknown[] }];
    const text = /^COPY \((.*)\) TO STDOUT/s.exec(first.text ?? "")?.[1] ?? first.text ?? "";
    // A call of several functions is one for each partition, which is on one server: two of them are asked one by one.
    for (const one of text.startsWith("SELECT * FROM telemetry_") ? text.split(" UNION ALL ") : [text]) {
      const isTelemetry = new RegExp(
        `\\b(?:${SPREAD_TELEMETRY.join("|")}|telemetry_(?:append|advance|news|view|pieces))\\b`,
      );
      const key = one.replaceAll(/\d+/g, "0");
      if (isTelemetry.test(one) && !found.has(key)) found.set(key, { text: one, values: first.values ?? [] });
    }
    return plain.apply(this, given);
  };
  return {
    asked: () => [...found.values()],
    stop() {
      prototype.query = plain;
    },
  };
}

/** How many servers a statement asks, also by the functions that it calls. It is undone. */
export async function serversAsked(client: pg.Client, { text, values }: Asked): Promise<number> {
  const servers = new Set<string>();
  const note = ({ message = "", detail = "" }: { message?: string | undefined; detail?: string | undefined }) => {
    if (/^issuing (?!BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PREPARE|SET )/.test(message)) servers.add(detail);
  };
  client.on("notice", note);
  await client.query("BEGIN");
  await client.query("SET LOCAL citus.log_remote_commands = on");
  // A row that is there already is an error, and its server has been asked by then.
  await client.query({ text, values: [...values] }).catch(() => {});
  await client.query("ROLLBACK");
  client.off("notice", note);
  return servers.size;
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
