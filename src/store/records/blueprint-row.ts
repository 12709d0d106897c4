import type { StoredBlueprint } from "#core/blueprint/stored-blueprint.ts";
import type { DamageLog, Row } from "#store/database.ts";
import { number, text, time } from "./row.ts";
import { isTexts, storedJson } from "./stored-json.ts";

export const BLUEPRINT_COLUMNS = "id, display_name, version, digest, size, implements, created_at";

export function parseBlueprint(database: DamageLog, row: Row): StoredBlueprint {
  return {
    id: text(row, "id"),
    displayName: text(row, "display_name"),
    version: number(row, "version"),
    digest: text(row, "digest"),
    size: number(row, "size"),
    implements: parseProfiles(database, row),
    createdAt: time(row, "created_at"),
  };
}

export function parseProfiles(database: DamageLog, row: Row): readonly string[] {
  return storedJson({ database, table: "blueprint", row }, "implements", isTexts) ?? [];
}
