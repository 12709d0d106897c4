import { connectionWords } from "#core/net/connection-words.ts";

/** Describes a failed connection for people; for TLS it describes the problem of the certificate. */
export function failureWords(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_")) return "the answer is no HTTP";
  return /CERT|SIGN|UNABLE_TO|TLS|SSL|EPROTO/.test(code) && error instanceof Error
    ? `TLS failed: ${error.message.slice(0, 200)}`
    : connectionWords(error);
}
