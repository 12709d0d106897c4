import type { Cli } from "#cli/cli.ts";
import { renderManifestSchema } from "#manifest/manifest-json-schema.ts";
import { renderScenarioSchema } from "#manifest/scenario/parse-scenarios.ts";

export type SchemaFlags = { readonly scenario?: boolean };

/** The language of manifests, or of test scenarios, as JSON Schema, for editors. */
export function schema(cli: Cli, { scenario }: SchemaFlags): void {
  const rendered = scenario === true ? renderScenarioSchema() : renderManifestSchema();
  cli.stdout.write(`${JSON.stringify(rendered, null, 2)}\n`);
}
