import type { Diagnostic } from "#client/resources.ts";
import type { Cli } from "./cli.ts";
import { remark } from "./print.ts";

/** What the server remarks on a blueprint, in the form that editors recognise. */
export function remarkDiagnostics(
  cli: Cli,
  diagnostics: readonly Diagnostic[] = [],
  manifestName = "manifest.yml",
): void {
  for (const { severity, message, path, line, column } of diagnostics) {
    // A pointer refers to the manifest; anything else is a file of the package.
    const file = path === "" || path.startsWith("/") ? manifestName : path;
    remark(cli, `${file}:${line}:${column}: ${severity}: ${message}`);
  }
}
