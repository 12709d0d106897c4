// The first file of a backup, backup.json: what it is and which Busbar made it.
import { fromDevelopment } from "#store/from-development.ts";

/** Grows when an older Busbar could not restore what a newer one writes. Development versions, from before the first release, wrote 1. */
export const BACKUP_FORMAT = 2;
export const MANIFEST_FILE = "backup.json";
export const SUMS_FILE = "SHA256SUMS";

export interface BackupManifest {
  readonly id: string;
  /** RFC 3339. Everything acknowledged before this moment is in the backup. */
  readonly createdAt: string;
  /** Of the Busbar that made it. */
  readonly version: string;
  /** Whether records and telemetry are in the backup, or in a database elsewhere. */
  readonly storage: "embedded" | "postgres";
  /** The number of the newest migration of the records, and the schema of the telemetry. */
  readonly schemas: { readonly records: number; readonly telemetry: number } | undefined;
  /** The full backup that the telemetry is to be added to; undefined in a full backup. */
  readonly base: { readonly id: string; readonly file: string } | undefined;
}

export function renderManifest(manifest: BackupManifest): string {
  const { id, createdAt, version, storage, schemas, base } = manifest;
  const content = { format: BACKUP_FORMAT, id, created_at: createdAt, version, storage, schemas, base };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

export function parseManifest(text: string): BackupManifest {
  const value = parseObject(text);
  const format = Number(value["format"]);
  const version = String(value["version"]);
  if (!(format >= 1)) throw new Error(`${MANIFEST_FILE} does not describe a backup of Busbar`);
  if (format === 1) throw fromDevelopment("the backup");
  if (format > BACKUP_FORMAT) {
    throw new Error(
      `the backup was made by a newer Busbar (${version}) in a form that this one does not know; restore it with that version or a later one`,
    );
  }
  const schemas = value["schemas"] as Readonly<Record<string, unknown>> | undefined;
  const base = value["base"] as Readonly<Record<string, unknown>> | undefined;
  return {
    id: String(value["id"]),
    createdAt: String(value["created_at"]),
    version,
    storage: value["storage"] === "postgres" ? "postgres" : "embedded",
    schemas: schemas && { records: Number(schemas["records"]), telemetry: Number(schemas["telemetry"]) },
    base: base && { id: String(base["id"]), file: String(base["file"]) },
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The same message as for other values.
  }
  throw new Error(`${MANIFEST_FILE} is not JSON`);
}
