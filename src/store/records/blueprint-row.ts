import { doorOf } from "#core/access/door.ts";
import type { BlueprintUploader, StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { number, text, time } from "./row.ts";
import { isTexts, storedJson } from "./stored-json.ts";

export const BLUEPRINT_COLUMNS = "id, display_name, version, digest, size, implements, created_at, uploaded_by";

export function parseBlueprint(database: DamageLog, row: Row): StoredBlueprint {
  return {
    id: text(row, "id"),
    displayName: text(row, "display_name"),
    version: number(row, "version"),
    digest: text(row, "digest"),
    size: number(row, "size"),
    implements: parseProfiles(database, row),
    createdAt: time(row, "created_at"),
    ...uploaderOf(database, row),
  };
}

/** What is absent is an empty text. */
export function uploaderText(by: BlueprintUploader | undefined): string | null {
  if (by === undefined) return null;
  return JSON.stringify([by.tokenId, by.name, by.accountId ?? "", by.door ?? "", by.reportedBy ?? ""]);
}

function uploaderOf(database: DamageLog, row: Row): { readonly uploadedBy?: BlueprintUploader } {
  const [tokenId, name, accountId = "", door, reportedBy = ""] =
    row["uploaded_by"] === null
      ? []
      : (storedJson({ database, table: "blueprint", row }, "uploaded_by", isTexts) ?? []);
  if (tokenId === undefined || name === undefined) return {};
  const known = doorOf(door);
  return {
    uploadedBy: {
      tokenId,
      name,
      ...(accountId !== "" && { accountId }),
      ...(known !== undefined && { door: known }),
      ...(reportedBy !== "" && { reportedBy }),
    },
  };
}

export function parseProfiles(database: DamageLog, row: Row): readonly string[] {
  return storedJson({ database, table: "blueprint", row }, "implements", isTexts) ?? [];
}
