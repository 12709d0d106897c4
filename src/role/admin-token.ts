// The bootstrap token: from BUSBAR_ADMIN_TOKEN, otherwise from admin.token in the data folder, otherwise created now
// and written there. The file or the variable decides at every start; the records only keep the hash.
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { formatToken, SECRET_BYTES } from "#core/access/token.ts";
import { ADMIN_TOKEN_ID, type TokenRecord } from "#core/access/token-record.ts";
import type { Secret } from "#core/secret.ts";
import { hashSecret } from "#service/access/hash-secret.ts";
import type { Needs } from "#service/ports.ts";
import type { Troubles } from "#service/troubles.ts";
import { writeSecretFile } from "#store/write-secret-file.ts";

const MIN_LENGTH = 32;

interface AdminToken {
  readonly record: TokenRecord;
  /** Where to find the text; undefined when it came from the settings. */
  readonly file: string | undefined;
}

export async function prepareAdminToken(
  needs: Pick<Needs, "tokens" | "now" | "randomBytes"> & { readonly troubles: Pick<Troubles, "report"> },
  data: string,
  given: Secret | undefined,
): Promise<AdminToken> {
  const file = join(data, "admin.token");
  const text = given?.reveal() ?? readText(needs, file) ?? makeText(needs, file);
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
  try {
    await needs.tokens.putAdmin(record);
  } catch (error) {
    // The records only list it: calls are checked against the file or the setting.
    needs.troubles.report(
      { part: "admin token", message: "the records do not list the present admin token" },
      { err: error },
    );
  }
  return { record, file: given === undefined ? file : undefined };
}

type FileNeeds = Parameters<typeof prepareAdminToken>[0];

/**
 * A file that holds no token is set aside and a new one is created: a broken file must not keep a site from starting.
 */
function readText(needs: FileNeeds, file: string): string | undefined {
  let problem: unknown = `it holds fewer than ${MIN_LENGTH} characters`;
  try {
    const text = readFileSync(file, "utf8").trim();
    if (text.length >= MIN_LENGTH) return text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    problem = error;
  }
  const aside = `${file}.unreadable`;
  const message = "admin.token held no token and was set aside; a new one was made";
  needs.troubles.report({ part: "admin token", message }, { file, aside, problem });
  try {
    renameSync(file, aside);
  } catch {
    // The new file replaces it. If that cannot be written either, the failure is reported.
  }
  return undefined;
}

function makeText(needs: FileNeeds, file: string): string {
  const text = formatToken(ADMIN_TOKEN_ID, needs.randomBytes(SECRET_BYTES));
  try {
    writeSecretFile(file, `${text}\n`, 0o600);
  } catch (error) {
    const message =
      "admin.token cannot be written, so nobody has the admin token; set BUSBAR_ADMIN_TOKEN, or make room";
    needs.troubles.report({ part: "admin token", message }, { err: error });
  }
  return text;
}
