import { createHash } from "node:crypto";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import type { BlueprintUploader, StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import { actorOf, auditTrail } from "#service/access/audit-trail.ts";
import type { Inspection } from "#service/blueprint/inspect-package.ts";
import { inspectUpload } from "#service/blueprint/inspect-upload.ts";
import type { Call, Needs } from "#service/ports.ts";

export type UploadNeeds = Pick<Needs, "blueprints" | "inspectPackage" | "buildScripts" | "now" | "newId">;

interface Upload {
  readonly blueprint: StoredBlueprint;
  /** Warnings only: errors refuse the upload. */
  readonly issues: Inspection["issues"];
}

/**
 * Stores the package unchanged. Uploading the same bytes again returns the same blueprint. A copy names who uploaded it at its gateway,
 * `null` if that is not known.
 */
export async function uploadBlueprint(
  needs: UploadNeeds,
  call: Call,
  content: Uint8Array,
  copied?: BlueprintUploader | null,
): Promise<Upload> {
  if (content.length === 0) throw refuse("invalid_body", "the body must be a blueprint package, but is empty");
  const { issues, found } = await inspectUpload(needs, call, content);
  if (found === undefined) throw refusalOf(issues);
  const { displayName, implements: profiles, implementsDraft } = found.blueprint;
  const id = needs.newId();
  const trail = auditTrail(needs, call, {
    target: { blueprintId: id },
    details: { display_name: displayName },
  });
  const uploadedBy = copied === undefined ? { ...actorOf(call.caller), door: call.door } : (copied ?? undefined);
  const blueprint = await needs.blueprints.insert(
    {
      id,
      displayName,
      digest: createHash("sha256").update(content).digest("hex"),
      size: content.length,
      implements: [...new Set([...profiles, ...implementsDraft])],
      createdAt: needs.now(),
      uploadedBy,
    },
    content,
    trail,
  );
  return { blueprint, issues };
}

/** One refusal per error, each with its place; warnings do not refuse. */
function refusalOf(issues: Inspection["issues"]): AppError {
  const refusals = issues
    .filter((issue) => issue.severity === "error")
    .map(
      (issue): Refusal => ({
        code: "invalid_blueprint",
        message: issue.message,
        details: {
          issue: issue.code,
          pointer: issue.path,
          line: issue.range.start.line,
          column: issue.range.start.column,
        },
      }),
    );
  const [first, ...others] = refusals;
  return first === undefined
    ? refuse("invalid_blueprint", "the package is not valid")
    : new AppError([first, ...others]);
}
