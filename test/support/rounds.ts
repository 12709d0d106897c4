// How many random cases, kills and rounds a test run has: `few` with `npm test`, `many` with `npm run test:long`
// (BUSBAR_LONG=1). Both runs close with this table.

/** Some tests take minutes, or judge times: only the long run has them. */
export const IS_LONG = process.env["BUSBAR_LONG"] === "1";

export const ROUNDS = {
  "schedules of a link": { few: 200, many: 200_000 },
  "schedules of commands": { few: 500, many: 200_000 },
  "resolutions of claims": { few: 20_000, many: 1_000_000 },
  "schedules of controls": { few: 150, many: 2_000 },
  "random lives of scheduled commands": { few: 12, many: 2_000 },
  "interlocks with restarts": { few: 30, many: 5_000 },
  "seeds of random queries, SQLite": { few: 20, many: 2_500 },
  "seeds of random queries, a store that answers later": { few: 10, many: 500 },
  "seeds of random queries, PostgreSQL": { few: 6, many: 500 },
  "histories with finished buckets": { few: 5, many: 300 },
  "histories with joined days": { few: 5, many: 300 },
  "histories with kept answers": { few: 5, many: 500 },
  "random writes of a telemetry store": { few: 6, many: 12 },
  "random lives of executions, SQLite": { few: 40, many: 1_920 },
  "random lives of executions, PostgreSQL": { few: 10, many: 640 },
  "random lives of executions, Citus": { few: 0, many: 200 },
  "random lives of copied executions": { few: 8, many: 1_000 },
  "far lists of executions": { few: 100, many: 600 },
  "generated manifests": { few: 1_000, many: 100_000 },
  "manifests with wrong bytes": { few: 250, many: 5_000 },
  "manifests that are simulated": { few: 400, many: 3_000 },
  "random Lua texts": { few: 4_000, many: 200_000 },
  "changed Lua scripts": { few: 800, many: 40_000 },
  "random Lua patterns": { few: 2_000, many: 30_000 },
  "random HTTP calls": { few: 1_000, many: 2_000 },
  "mutated MQTT packets": { few: 5_000, many: 20_000 },
  "looks of what a file of browser tests shows": { few: 1, many: 12 },
  "languages of a form on a phone": { few: 1, many: 2 },
  "abuses beside a neighbour": { few: 20, many: 1_000 },
  "kills of nodes, broker and database": { few: 3, many: 100 },
  "kills of nodes, broker and servers of Citus": { few: 2, many: 100 },
  "kills of servers of RabbitMQ": { few: 0, many: 40 },
  "failovers of PostgreSQL": { few: 1, many: 20 },
  "kills of commands": { few: 1, many: 100 },
  "kills of commands of scripts": { few: 1, many: 40 },
  "kills of bulk commands, simulated": { few: 500, many: 50_000 },
  "kills of bulk commands": { few: 1, many: 20 },
  "kills of servers of Citus": { few: 2, many: 100 },
  "kills of creates": { few: 2, many: 100 },
  "kills of events": { few: 1, many: 60 },
  "kills of claims": { few: 2, many: 20 },
  "kills of schedules": { few: 1, many: 40 },
  "kills of rules": { few: 1, many: 20 },
  "kills of scripts of rules": { few: 1, many: 20 },
  "kills of notifications": { few: 1, many: 20 },
  "kills of telemetry, SQLite": { few: 2, many: 100 },
  "kills of telemetry, PostgreSQL": { few: 1, many: 20 },
  "kills of telemetry, Citus": { few: 2, many: 60 },
  "flipped bits of stored telemetry": { few: 6, many: 300 },
  "flipped bytes of a file": { few: 4, many: 500 },
  "rounds of trouble between gateways and a cloud": { few: 1, many: 50 },
  "rounds of trouble between gateways and a spread cloud": { few: 0, many: 20 },
} as const satisfies Readonly<Record<string, { readonly few: number; readonly many: number }>>;

export function roundsOf(what: keyof typeof ROUNDS): number {
  return ROUNDS[what][IS_LONG ? "many" : "few"];
}
