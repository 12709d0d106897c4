import { ACCESS_LEVELS, type AccessLevel } from "#core/access/level.ts";
import type { Decision, TerminalSignIn } from "#core/access/terminal-sign-in.ts";
import type { TerminalSignInStore } from "#service/ports/terminal-sign-in-store.ts";
import type { DamageLog, Database, Row } from "#store/database.ts";
import { optionalText, text, time } from "./row.ts";
import { isObject, storedJson } from "./stored-json.ts";
import type { Writer } from "./writer.ts";

const COLUMNS = "program_key, user_key, program, asked_level, remote_address, created_at, expires_at, decision";

export function createTerminalSignInStore(reader: Database, writer: Writer): TerminalSignInStore {
  return {
    insert: (input) => writer.run("insertTerminalSignIn", { input }),
    find: async (key) => {
      const [column, value] = "user" in key ? ["user_key", key.user] : ["program_key", key.program];
      const row = await reader.get(`SELECT ${COLUMNS} FROM terminal_sign_in WHERE ${column} = ?`, value);
      return row && parse(reader, row);
    },
    decide: (userKey, decision, now) => writer.run("decideTerminalSignIn", { userKey, decision, now }),
    take: (programKey, now) => writer.run("takeTerminalSignIn", { programKey, now }),
  };
}

function parse(database: DamageLog, row: Row): TerminalSignIn {
  const decided = row["decision"] !== null;
  const decision = decided ? storedJson({ database, table: "terminal_sign_in", row }, "decision", isObject) : undefined;
  return {
    programKey: text(row, "program_key"),
    userKey: text(row, "user_key"),
    program: text(row, "program"),
    askedLevel: levelOf(optionalText(row, "asked_level")),
    remoteAddress: text(row, "remote_address"),
    createdAt: time(row, "created_at"),
    expiresAt: time(row, "expires_at"),
    decision: decided ? decisionOf(decision) : undefined,
  };
}

const levelOf = (stored: unknown): AccessLevel | undefined => ACCESS_LEVELS.find((one) => one === stored);

/** What cannot be read gives nothing. */
function decisionOf(stored: Readonly<Record<string, unknown>> | undefined): Decision {
  const { kind, tokenId, name, level, sites, lifetimeMs } = stored ?? {};
  const known = levelOf(level);
  const isWhole = kind === "approved" && typeof tokenId === "string" && typeof name === "string" && known !== undefined;
  if (!isWhole || typeof lifetimeMs !== "number" || (sites !== "all" && !isTexts(sites))) return { kind: "denied" };
  return { kind, tokenId, name, level: known, sites: sites === "all" ? sites : new Set(sites), lifetimeMs };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");
