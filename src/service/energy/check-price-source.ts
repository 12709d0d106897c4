// What is wrong with a source of prices that somebody enters, beyond what its schema finds.
import type { Refusal } from "#core/app-error.ts";
import { addressOf, fetchPauseMs, type PriceSource, parsePricePath } from "#core/energy/price-source.ts";
import { parseHttpAddress } from "#core/net/http-address.ts";
import type { PriceFetcher } from "#service/ports/price-fetcher.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
/** They say how the message itself is transferred. */
const RESERVED = new Set(
  "accept-encoding connection content-encoding content-length expect host keep-alive te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
/** Any dates: an address has to be one whatever the day is. */
const SOME_DATES = { today: "2026-01-01", tomorrow: "2026-01-02" };

export function sourceMistakes(
  { problemWith }: Pick<PriceFetcher, "problemWith">,
  source: PriceSource,
  headerValue: string | undefined,
): readonly Refusal[] {
  const mistakes: Refusal[] = [];
  const add = (field: string, problem: string) => {
    const message = `${field.replaceAll("/", ".")} ${problem}`;
    mistakes.push({ code: "invalid_body", message, details: { pointer: `/${field}` } });
  };
  const url = parseHttpAddress(addressOf(source.url, SOME_DATES));
  if (typeof url === "string") add("url", url);
  else {
    const problem = problemWith(url);
    if (problem !== undefined)
      add("url", `is refused: ${problem}; the setting webhooks.allow_private allows private ones`);
  }
  for (const field of ["time", "price"] as const) {
    if (parsePricePath(source[field]) === undefined) add(field, PATH_RULE);
  }
  if (source.scale === 0) add("scale", "must not be 0");
  if (fetchPauseMs(source.every) === undefined) add("every", "must be a duration from 15m to 7d");
  const { header } = source;
  if (header !== undefined && (!TOKEN.test(header) || RESERVED.has(header.toLowerCase()))) {
    add("header/name", "is no name of a header that may be sent");
  }
  if (headerValue !== undefined && !PRINTABLE.test(headerValue)) {
    add("header/value", "must be printable ASCII without spaces around it");
  }
  return mistakes;
}

const PATH_RULE = "must begin with / and have * for the rows once, such as /data/*/start";

/** Where a secret may be sent to again without being entered again. */
export function originOf(url: string): string | undefined {
  const found = parseHttpAddress(addressOf(url, SOME_DATES));
  return typeof found === "string" ? undefined : found.origin;
}
