import type { Cli } from "#cli/cli.ts";
import { renderJsonSchema } from "#core/blueprint/schema.ts";

/** The manifest language as JSON Schema, for editors. */
export function schema(cli: Cli): void {
  cli.stdout.write(`${JSON.stringify(renderJsonSchema(), null, 2)}\n`);
}
