import type { BlueprintChange } from "#core/blueprint/blueprint-change.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { SpeltFields } from "#core/text/spelt-fields.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import { isBuiltInBlueprint } from "#service/blueprint/with-built-ins.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, oneOf, strict, timestamp } from "#service/operation/wire.ts";

export const blueprintSchema = strict("Blueprint", {
  id: id("Blueprint identifier."),
  display_name: Type.String(),
  version: Type.Integer({ minimum: 1, description: "Counts the uploads under the same display name." }),
  digest: Type.String({ description: "SHA-256 of the package, in hexadecimal." }),
  size: Type.Integer({ description: "Bytes of the package." }),
  implements: Type.Array(Type.String(), { description: "Profiles as the manifest lists them, drafts included." }),
  created_at: timestamp,
  built_in: Type.Boolean({ description: "Part of Busbar, the same everywhere; devices without another one name it." }),
});

export const diagnosticSchema = strict("Diagnostic", {
  severity: oneOf(["error", "warning"]),
  code: Type.String({ description: "Stable; docs/blueprint-issues.md explains each." }),
  message: Type.String(),
  path: Type.String({ description: "JSON pointer into the manifest, or the path of a file in the package." }),
  line: Type.Integer({ minimum: 1 }),
  column: Type.Integer({ minimum: 1 }),
  end_line: Type.Integer({ minimum: 1 }),
  end_column: Type.Integer({ minimum: 1 }),
});

export const validationSchema = strict("Validation", {
  validation_errors: Type.Array(Type.String(), {
    description: "The errors in words; empty when the blueprint is valid.",
  }),
  diagnostics: Type.Array(diagnosticSchema, { description: "Errors and warnings with their places." }),
});

export const blueprintChangeSchema = described("BlueprintChange", "What another blueprint changes for a device.", {
  kind: oneOf(["added", "removed", "renamed", "retyped", "access", "changed", "text"]),
  path: Type.String({ description: "JSON pointer into the new manifest; for what is gone, into the former one." }),
  breaking: Type.Boolean({ description: "What worked before may stop working." }),
  message: Type.String(),
});

export function renderBlueprint(blueprint: StoredBlueprint): Static<typeof blueprintSchema> {
  return {
    id: blueprint.id,
    display_name: blueprint.displayName,
    version: blueprint.version,
    digest: blueprint.digest,
    size: blueprint.size,
    implements: [...blueprint.implements],
    created_at: renderInstant(blueprint.createdAt),
    built_in: isBuiltInBlueprint(blueprint),
  } satisfies SpeltFields<StoredBlueprint> & { readonly built_in: boolean };
}

export function renderValidation(issues: Inspection["issues"]): Static<typeof validationSchema> {
  return {
    validation_errors: issues.filter((issue) => issue.severity === "error").map(inWords),
    diagnostics: issues.map(renderDiagnostic),
  };
}

export function renderChange({ kind, path, breaking, message }: BlueprintChange): Static<typeof blueprintChangeSchema> {
  return { kind, path, breaking, message };
}

function inWords({ message, range, path }: Inspection["issues"][number]): string {
  return `line ${range.start.line}, column ${range.start.column}${path === "" ? "" : ` (${path})`}: ${message}`;
}
