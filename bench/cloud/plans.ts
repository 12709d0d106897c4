// The plans of the statements that really run on a coordinator of Citus, read from its log: to how many parts of a table each
// of them goes.
import type pg from "pg";

/** For the server; nothing is logged until a measurement asks for it. */
export const LOG_PLANS = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_format": "json",
  logging_collector: "on",
  log_destination: "jsonlog",
  log_rotation_size: 0,
};

export interface Plan {
  readonly statement: string;
  readonly times: number;
  /** The most parts that it went to at once; 0: it concerns the coordinator alone. */
  readonly parts: number;
}

const TEXT = 400;
/** What Citus asks by itself. */
const OF_CITUS = /^EXPLAIN|assign_distributed_transaction_id/;

/** Statements that the work caused, those of most parts first. */
export async function plansWhile(client: pg.Client, work: () => Promise<void>): Promise<readonly Plan[]> {
  const log = async (ms: number) => {
    await client.query(`ALTER SYSTEM SET auto_explain.log_min_duration = ${ms}`);
    await client.query("SELECT pg_reload_conf()");
  };
  await log(0);
  try {
    await work();
  } finally {
    await log(-1);
  }
  const { rows } = await client.query<{ text: string }>("SELECT pg_read_file(pg_current_logfile('jsonlog')) AS text");
  const plans = new Map<string, Plan>();
  for (const line of (rows[0]?.text ?? "").split("\n")) {
    const plan = readPlan(line);
    if (plan === undefined) continue;
    const known = plans.get(plan.statement);
    plans.set(plan.statement, {
      ...plan,
      times: (known?.times ?? 0) + 1,
      parts: Math.max(known?.parts ?? 0, plan.parts),
    });
  }
  return [...plans.values()].sort((a, b) => b.parts - a.parts || b.times - a.times);
}

function readPlan(line: string): Plan | undefined {
  if (!line.startsWith("{")) return undefined;
  const { message = "" } = JSON.parse(line) as { message?: string };
  const at = message.indexOf("plan:\n");
  if (at < 0) return undefined;
  const logged = JSON.parse(message.slice(at + "plan:\n".length)) as { "Query Text": string };
  const counts = [...message.matchAll(/"Task Count":\s*(\d+)/g)].map(([, count]) => Number(count));
  const statement = logged["Query Text"].replaceAll(/\s+/g, " ").trim();
  if (OF_CITUS.test(statement)) return undefined;
  return { statement: statement.slice(0, TEXT), times: 1, parts: Math.max(0, ...counts) };
}
