import type { Diagnostic } from "#client/resources.ts";
import type { Cli } from "./cli.ts";
import { remark } from "./print.ts";

/** What the server remarks on a blueprint, in the form that editors recognise. */
export function remarkDiagnostics(cli: Cli, diagnostics: readonly Diagnostic[] = []): void {
  for (const { severity, message, line, column } of diagnostics) {
    remark(cli, `manifest.yml:${line}:${column}: ${severity}: ${message}`);
  }
}
