// The bootstrap token: from BUSBAR_ADMIN_TOKEN, else from admin.token in the data folder, else made now and written there.
// The file or the variable is the truth at every start; the records only keep the hash.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID, type TokenRecord } from "#core/access/token-record.ts";
import type { Secret } from "#core/secret.ts";
import { writeSecretFile } from "#role/write-secret-file.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import type { Needs } from "#service/ports.ts";

const MIN_LENGTH = 32;

interface AdminToken {
  readonly record: TokenRecord;
  /** Where to find the text; undefined when it came from the settings. */
  readonly file: string | undefined;
}

export async function prepareAdminToken(
  needs: Pick<Needs, "tokens" | "now" | "randomBytes">,
  data: string,
  given: Secret | undefined,
): Promise<AdminToken> {
  const file = join(data, "admin.token");
  const text = given?.reveal() ?? readText(file) ?? makeText(file, needs.randomBytes(SECRET_BYTES));
  const record: TokenRecord = {
    id: ADMIN_TOKEN_ID,
    name: "admin",
    level: "system",
    sites: "all",
    hash: hashSecret(text),
    createdAt: needs.now(),
    expiresAt: undefined,
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await needs.tokens.putAdmin(record);
  return { record, file: given === undefined ? file : undefined };
}

function readText(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  if (text.length >= MIN_LENGTH) return text;
  throw new Error(`${file} holds fewer than ${MIN_LENGTH} characters; delete it to have a new admin token made`);
}

function makeText(file: string, secret: Uint8Array): string {
  const text = formatToken(ADMIN_TOKEN_ID, secret);
  writeSecretFile(file, `${text}\n`, 0o600);
  return text;
}
