/**
 * A copy of a JSON value that holds no secret: texts under keys that sound secret become "***" at any depth, and tokens and
 * logins inside other texts are cut out. Numbers and booleans stay: a count of tokens is no token.
 */
export function redact(value: unknown): unknown {
  return visit(value, 0);
}

/** Keys whose texts are never shown, and parts of a request that may carry anything. */
const SECRET_KEY =
  /token|secret|passw|authorization|cookie|credential|(private|api|access)[_-]?key|^(raw)?headers$|^body$/i;
/** `token_id` and the like name a secret without being one. */
const NAMES_ONLY = /(_id|Id|_ids|Ids|_name|Name|_file|File)$/;

/** Busbar's own tokens, wherever they stand. */
const TOKEN = /bb_[A-Za-z0-9_-]{16,}/g;
/** `scheme://name:password@` */
const LOGIN = /:\/\/[^\s/@:"']*:[^\s/@"']*@/g;

const DEEPEST = 12;

function visit(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "...";
  if (Array.isArray(value)) return value.map((item) => visit(item, depth + 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, part] of Object.entries(value)) copy[key] = hides(key, part) ? "***" : visit(part, depth + 1);
  return copy;
}

export function redactText(text: string): string {
  return text.replace(TOKEN, "bb_***").replace(LOGIN, "://***@");
}

function hides(key: string, part: unknown): boolean {
  const carries = typeof part === "string" || (typeof part === "object" && part !== null);
  return carries && SECRET_KEY.test(key) && !NAMES_ONLY.test(key);
}
