// The dashboards and alert rules ask for nothing that is not there, and docs/metrics.md names every metric.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { upload } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(root + path, "utf8");
const RULES = "examples/grafana/prometheus/busbar-rules.yml";

interface Target {
  readonly expr?: string;
  readonly columns?: readonly object[];
  readonly url?: string;
  readonly url_options?: { readonly data: string; readonly headers: readonly { key: string; value: string }[] };
}

interface Dashboard {
  readonly templating: { readonly list: readonly { name: string; query: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
}

const dashboards = globSync("examples/grafana/dashboards/*.json", { cwd: root }).map(
  (path) => JSON.parse(read(path)) as Dashboard,
);

/** The metrics that a Busbar reports, with their types. */
const metrics = new Map<string, string>();
beforeAll(async () => {
  const { text } = await busbar.anonymous.get("/metrics");
  for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) metrics.set(name, type);
});

/** A histogram is asked for by its parts. */
function isMetric(name: string): boolean {
  return metrics.has(name) || metrics.get(name.replace(/_(?:bucket|count|sum)$/, "")) === "histogram";
}

const namesIn = (expression: string) => expression.match(/\b(?:busbar|process|nodejs)_\w+/g) ?? [];

test("every expression of the dashboards and rules names metrics that there are", () => {
  const rules = parse(read(RULES)) as { groups: { rules: { alert: string; expr: string }[] }[] };
  const alerts = rules.groups.flatMap((group) => group.rules);
  const panels = dashboards.flatMap(({ panels: all }) => all);
  const asked = [
    ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr = "" }) => ({ where: title, expr }))),
  ].flatMap(({ where, expr }) => namesIn(expr).map((name) => ({ where, name })));
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter(({ name }) => !isMetric(name))).toEqual([]);
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

test("Prometheus reads the rules and the settings, where its promtool is here", () => {
  const { rule_files: files } = parse(read("examples/grafana/prometheus/prometheus.yml"));
  expect(files).toEqual(["busbar-rules.yml"]);
  if (!existsSync("/usr/bin/promtool")) return;
  const { status, stderr } = spawnSync("/usr/bin/promtool", ["check", "rules", root + RULES], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

test("docs/metrics.md lists every metric of Busbar with its type and meaning, and no other", async () => {
  const { text } = await busbar.anonymous.get("/metrics");
  const helps = new Map([...text.matchAll(/^# HELP (\w+) (.+)$/gm)].map(([, name = "", help = ""]) => [name, help]));
  const reported = [...metrics]
    .filter(([name]) => name.startsWith("busbar_"))
    .map(([name, type]) => [name, type, helps.get(name)]);
  const rows = [...read("docs/metrics.md").matchAll(/^\| `(busbar_\w+)` \| (\w+) \|[^|]*\| (.+) \|$/gm)];
  expect(rows.map(([, name, type, help]) => [name, type, help]).sort()).toEqual(reported.sort());
});

test("every question of the dashboard of a site is answered with a column for each of its fields", async () => {
  const manifest = (attributes: readonly string[]) => `blueprint_spec: device/3.0
display_name: Site
runtime: {type: embedded}
telemetry:
${attributes.map((name) => `  ${name}: {type: float, display_name: ${name}}`).join("\n")}
`;
  const blueprint_id = await upload(busbar, manifest(["ac_power", "grid_power", "battery_soc", "battery_power"]));
  for (const slug of ["roof-inverter", "grid-meter", "battery-rack-a"]) {
    await busbar.admin.post("/v3/provisioning/standalone", { name: slug, slug, blueprint_id });
  }
  const { panels, templating } = dashboards.find(({ templating: { list } }) =>
    list.some(({ name }) => name === "meter"),
  ) ?? {
    panels: [],
    templating: { list: [] },
  };
  expect(panels.length).toBeGreaterThan(2);
  const values = new Map([
    ...templating.list.map(({ name, query }) => [name, query] as const),
    ["__from:date:iso", "2026-11-15T00:00:00.000Z"],
    ["__to:date:iso", "2026-11-16T00:00:00.000Z"],
    ["__interval_ms", "60000"],
  ]);
  for (const { targets } of panels) {
    for (const { url = "", columns = [], url_options: options } of targets) {
      const bytes = (options?.data ?? "").replaceAll(
        /\$\{([^}]+)\}/g,
        (_, name: string) => values.get(name) ?? "unknown",
      );
      const headers = Object.fromEntries((options?.headers ?? []).map(({ key, value }) => [key, value]));
      const answer = await busbar.admin.call<{ columns: object[]; rows: [] }>("POST", url, { bytes, headers });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"rows"')]);
      expect(answer.body.columns).toHaveLength(columns.length);
    }
  }
});
