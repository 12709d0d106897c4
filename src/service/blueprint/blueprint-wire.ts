import type { Caller } from "#core/access/caller.ts";
import { DOORS } from "#core/access/door.ts";
import { allows } from "#core/access/level.ts";
import type { BlueprintChange } from "#core/blueprint/blueprint-change.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { BlueprintUploader, StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { SpeltFields } from "#core/text/spelt-fields.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import { isBuiltInBlueprint } from "#service/blueprint/with-built-ins.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, id, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const UPLOADER_TEXT =
  "Who uploaded it first. As with the audit log, owners of all sites learn it, and whoever did it. Null: others, and where it is not known.";

const uploaderSchema = described("BlueprintUploader", UPLOADER_TEXT, {
  token_id: Type.String({ description: "The token or the session." }),
  name: Type.String({ description: "As it was then." }),
  account_id: nullable(Type.String({ description: "The person, in the page or with a token of that person." })),
  door: nullable(oneOf(DOORS, { description: "How the call came, as in the audit log." })),
  reported_by: nullable(
    Type.String({ description: "The gateway that says so. Null: it was uploaded to this server." }),
  ),
});

export const blueprintSchema = strict("Blueprint", {
  id: id("Blueprint identifier."),
  display_name: Type.String(),
  version: Type.Integer({ minimum: 1, description: "Counts the uploads under the same display name." }),
  digest: Type.String({ description: "SHA-256 of the package, in hexadecimal." }),
  size: Type.Integer({ description: "Bytes of the package." }),
  implements: Type.Array(Type.String(), { description: "Profiles as the manifest lists them, drafts included." }),
  created_at: timestamp,
  uploaded_by: nullable(uploaderSchema),
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

export function renderBlueprint(blueprint: StoredBlueprint, caller: Caller): Static<typeof blueprintSchema> {
  return {
    id: blueprint.id,
    display_name: blueprint.displayName,
    version: blueprint.version,
    digest: blueprint.digest,
    size: blueprint.size,
    implements: [...blueprint.implements],
    created_at: renderInstant(blueprint.createdAt),
    uploaded_by: renderUploader(blueprint.uploadedBy, caller),
    built_in: isBuiltInBlueprint(blueprint),
  } satisfies SpeltFields<StoredBlueprint> & { readonly built_in: boolean };
}

/** Blueprints belong to no site, so their uploads are told to whoever reads such entries of the audit log. */
function renderUploader(by: BlueprintUploader | undefined, caller: Caller): Static<typeof uploaderSchema> | null {
  if (by === undefined) return null;
  const isOwn = by.reportedBy === undefined && (by.tokenId === caller.tokenId || isSamePerson(by, caller));
  if (!isOwn && !(caller.sites === "all" && allows(caller.level, "owner"))) return null;
  return {
    token_id: by.tokenId,
    name: by.name,
    account_id: by.accountId ?? null,
    door: by.door ?? null,
    reported_by: by.reportedBy ?? null,
  };
}

const isSamePerson = (by: BlueprintUploader, { accountId }: Caller) =>
  accountId !== undefined && by.accountId === accountId;

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
