import { refuse } from "#core/app-error.ts";

const IDEMPOTENCY_KEY = {
  description:
    "1 to 200 visible ASCII characters. The same key with the same input gives the same execution, so a repetition is safe.",
  schema: { type: "string", minLength: 1, maxLength: 200 },
};
const PREFER = {
  description: "wait=SECONDS: how long to wait for the end of the execution (RFC 7240).",
  schema: { type: "string" },
};

/** For the OpenAPI document. */
export const CREATE_HEADERS = { "Idempotency-Key": IDEMPOTENCY_KEY };
export const EXECUTE_HEADERS = { ...CREATE_HEADERS, Prefer: PREFER };

interface Headers {
  readonly header: (name: string) => string | undefined;
}

/** Milliseconds of `Prefer: wait=N` (RFC 7240); other preferences are ignored. */
export function waitOf({ header }: Headers): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?/i.exec(header("prefer") ?? "");
  return match === null ? undefined : Number(match[1]) * 1000;
}

export function idempotencyKey({ header }: Headers): string | undefined {
  const key = header("idempotency-key");
  if (key === undefined || key === "") return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw refuse("invalid_request", "Idempotency-Key must have 1 to 200 visible ASCII characters", {
    header: "Idempotency-Key",
  });
}
