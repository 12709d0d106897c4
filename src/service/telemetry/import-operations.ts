import { type Operation, streamOperation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { described, strict } from "#service/operation/wire.ts";
import { createImporter, type ImportNeeds } from "#service/telemetry/import-telemetry.ts";

const report = described("TelemetryImport", "What became of an import.", {
  rows: Type.Integer(),
  points: Type.Integer({ description: "Values that are stored now." }),
  problem_count: Type.Integer({ description: "Rows and values that were left out." }),
  problems: Type.Array(
    strict("TelemetryImportProblem", {
      line: Type.Integer({ description: "Counted from 1, the header." }),
      telemetry: Type.Optional(Type.String()),
      message: Type.String(),
    }),
    { description: "The first hundred of them." },
  ),
});

export function importOperations(needs: ImportNeeds): readonly Operation[] {
  const importTelemetry = createImporter(needs);
  return [
    streamOperation({
      method: "POST",
      path: "/v3/devices/:device_id/telemetry/import",
      name: "importTelemetry",
      summary: "Import telemetry",
      description:
        "CSV in the form that time series are answered in: ts,telemetry=<attribute>,... and a row per moment. What does not fit is " +
        "left out and reported with its line; what is counted as points is durable. Repeating an import changes nothing.",
      tag: "Telemetry",
      level: "owner",
      body: ["text/csv"],
      answer: report,
      run: async (call) => {
        const { rows, points, problemCount, problems } = await importTelemetry(call, {
          idOrSlug: call.params.device_id,
          body: call.body,
        });
        return {
          rows,
          points,
          problem_count: problemCount,
          problems: problems.map(({ line, attribute, message }) => ({
            line,
            ...(attribute !== undefined && { telemetry: attribute }),
            message,
          })),
        };
      },
    }),
  ];
}
