// The register map that a manifest names under `.busbar`, as modules of the program: the map's text, which scripts get by
// `require`, and for a package without a script the program that runs the map.
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { type ScriptIssue, scriptIssueAt } from "#core/blueprint/script-issue.ts";
import { MAX_MAP_BYTES } from "#core/modbus/map-limits.ts";
import type { ModbusMap } from "#core/modbus/modbus-map.ts";
import { decodeText } from "#core/text/decode-text.ts";
import { parseModbusMap } from "#manifest/modbus/parse-modbus-map.ts";
import { packagePath } from "#manifest/package-path.ts";
import { rangeAt } from "#manifest/range-at.ts";
import type { Package } from "./unpack-package.ts";

interface MapModule {
  readonly path: string;
  readonly source: Uint8Array;
}

interface MapModules {
  /** Returns the text of the map. */
  readonly text: MapModule;
  /** Runs it, where the package has no script. */
  readonly runner: MapModule;
  readonly issues: readonly ScriptIssue[];
}

/** The alert that is raised while the device does not answer, as published blueprints name it. */
const SILENCE_ALERT = "communication_failed";
const START = { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } };

/** Undefined when the manifest names no map. The file is there: the manifest has been checked. */
export function readMapModules(content: Package, blueprint: Blueprint, hasScript: boolean): MapModules | undefined {
  const path = packagePath(blueprint.modbusMap ?? "");
  const bytes = path === undefined ? undefined : content.files.get(path);
  if (path === undefined || bytes === undefined) return undefined;
  const text = bytes.length > MAX_MAP_BYTES ? undefined : decodeText(bytes);
  const parsed = text === undefined ? undefined : parseModbusMap(text, blueprint);
  const issues = (parsed?.issues ?? []).map(({ message, range }) =>
    scriptIssueAt({ code: "modbus_map", path, message }, range),
  );
  if (text === undefined) {
    const message = `A register map is UTF-8 text of at most ${MAX_MAP_BYTES / 1024} KiB.`;
    issues.push(scriptIssueAt({ code: "modbus_map", path, message }, START));
  }
  if (parsed?.map !== undefined && !hasScript) issues.push(...gapsOf(content, blueprint, parsed.map));
  // A path below that of a file cannot be another file of the package.
  const alert = blueprint.alerts.has(SILENCE_ALERT) ? `{ alert = '${SILENCE_ALERT}' }` : "";
  const run = `assert(modbus.map(${JSON.stringify(path)})):run(${alert})\n`;
  return {
    text: { path: `${path}/init.lua`, source: encode(`return ${longString(text ?? "")}\n`) },
    runner: { path: `${path}/run.lua`, source: encode(run) },
    issues,
  };
}

/** What the manifest declares and a device without a script will never have. */
function gapsOf({ manifest }: Package, blueprint: Blueprint, map: ModbusMap): readonly ScriptIssue[] {
  const issues: ScriptIssue[] = [];
  const warn = (at: readonly string[], message: string) =>
    issues.push(scriptIssueAt({ code: "modbus_map_gap", path: `/${at.join("/")}`, message }, rangeAt(manifest, at)));
  const mapped = new Set(map.points.map(({ target, name }) => `${target} ${name}`));
  for (const [id, { type }] of blueprint.telemetry) {
    if (type !== "alerts" && !mapped.has(`telemetry ${id}`))
      warn(["telemetry", id], `The register map has no register for ${id}, so it never has a value.`);
  }
  for (const id of blueprint.commands.keys()) {
    if (!map.commands.has(id))
      warn(["commands", id], `The register map does not say what ${id} writes, so it always fails.`);
  }
  if (map.points.length > 0 && !blueprint.alerts.has(SILENCE_ALERT))
    warn(["alerts"], `Declare the alert ${SILENCE_ALERT}, so that people see when the device does not answer.`);
  return issues;
}

function longString(text: string): string {
  let level = "";
  while (text.includes(`]${level}]`)) level += "=";
  return `[${level}[\n${text}]${level}]`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
