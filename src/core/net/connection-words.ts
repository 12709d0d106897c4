const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name cannot be resolved",
  EAI_AGAIN: "the name cannot be resolved now",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection broke",
  UND_ERR_SOCKET: "the connection broke",
  EPIPE: "the connection broke",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "no connection in time",
};

/** What a system's error code means, for people. */
export function connectionWords(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return WORDS[code] ?? `the connection failed (${code.slice(0, 60)})`;
}
