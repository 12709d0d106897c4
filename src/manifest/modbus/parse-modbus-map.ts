import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Issue } from "#core/blueprint/issue.ts";
import type { ModbusMap } from "#core/modbus/modbus-map.ts";
import { readDocument } from "#manifest/read-document.ts";
import { createReporter, positionFinder } from "#manifest/reporter.ts";
import { rootTrail } from "#manifest/tree.ts";
import { buildModbusMap } from "./build-modbus-map.ts";
import { checkAgainstManifest } from "./check-against-manifest.ts";
import { checkOverlaps } from "./check-overlaps.ts";
import { mapDocument } from "./map-language.ts";
import { createMapReport } from "./map-report.ts";

interface ParsedModbusMap {
  /** Undefined exactly when there is an issue. */
  readonly map: ModbusMap | undefined;
  /** Everything at once, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** The text of a register map, YAML or JSON. Without a blueprint, names and types are not compared with a manifest. */
export function parseModbusMap(text: string, blueprint?: Blueprint): ParsedModbusMap {
  const reporter = createReporter(text, "register map");
  const node = readDocument(reporter);
  if (node === undefined) return { map: undefined, issues: reporter.issues() };
  const root = rootTrail(node);
  const given = mapDocument.read({ reporter, positionOf: positionFinder(text) }, root);
  if (given === undefined) return { map: undefined, issues: reporter.issues() };
  const report = createMapReport(reporter, root);
  const map = buildModbusMap(report, given);
  checkOverlaps(report, map.points);
  if (blueprint !== undefined) checkAgainstManifest(report, { given, map }, blueprint);
  const issues = reporter.issues();
  return { map: issues.length === 0 ? map : undefined, issues };
}
