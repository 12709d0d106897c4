// The question behind a chart, for a terminal or a program.
import type { TimeseriesQuestion } from "#client/resources.ts";

export function asJson(question: TimeseriesQuestion): string {
  return JSON.stringify(question, null, 2);
}

export function asCurl(origin: string, question: TimeseriesQuestion): string {
  return [
    `curl -sS '${origin}/telemetry/v1/timeseries' \\`,
    `  -H "X-Service-Auth-Token: $BUSBAR_TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(question).replaceAll("'", `'\\''`)}'`,
  ].join("\n");
}

export function asTypeScript(origin: string, question: TimeseriesQuestion): string {
  return [
    `const response = await fetch(${JSON.stringify(`${origin}/telemetry/v1/timeseries`)}, {`,
    `  method: "POST",`,
    `  headers: {`,
    `    Accept: "application/json",`,
    `    "Content-Type": "application/json",`,
    `    "X-Service-Auth-Token": process.env.BUSBAR_TOKEN ?? "",`,
    `  },`,
    `  body: JSON.stringify(${asJson(question).replaceAll("\n", "\n  ")}),`,
    `});`,
    `if (!response.ok) throw new Error(await response.text());`,
    `const { columns, rows } = await response.json();`,
    `console.log(columns.map(({ name }) => name), rows);`,
  ].join("\n");
}
