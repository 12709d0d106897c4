import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import { addExportCommand } from "#cli/commands/telemetry/export.ts";
import { addImportCommand } from "#cli/commands/telemetry/import.ts";
import { addQueryCommand } from "#cli/commands/telemetry/query.ts";

export function addTelemetryCommands(telemetry: Command, cli: Cli): void {
  addQueryCommand(telemetry, cli);
  addExportCommand(telemetry, cli);
  addImportCommand(telemetry, cli);
  addExamples(
    telemetry,
    "telemetry query meter-1:power --from -24h --chart",
    "telemetry query meter-1:power,energy -g 5m -a avg --fill locf:1h -o csv",
    "telemetry export meter-1:power --from -90d > power.csv",
    "telemetry import power.csv --device meter-1",
  );
}
