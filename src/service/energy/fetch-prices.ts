// Fetches the prices of a source once, and reads them.
import { type MappedPrices, mapPrices } from "#core/energy/map-prices.ts";
import { addressOf, type PriceSource } from "#core/energy/price-source.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import type { Needs } from "#service/ports.ts";

/** Of an answer. Rows have some ten fields at most. */
const LIMITS = { depth: 32, values: 60_000 };

interface Asked {
  readonly source: PriceSource;
  readonly headerValue: string | undefined;
  readonly timezone: string;
}

/** Never rejects because of the other side: what is wrong is among the problems. */
export async function fetchPrices(
  { priceFetcher, now }: Pick<Needs, "priceFetcher" | "now">,
  { source, headerValue, timezone }: Asked,
  signal: AbortSignal,
): Promise<MappedPrices> {
  const url = new URL(addressOf(source.url, datesAt(now(), timezone)));
  const header =
    source.header === undefined || headerValue === undefined ? undefined : { name: source.header, value: headerValue };
  const fetched = await priceFetcher.fetch({ url, header }, signal);
  const { rows, problems } = "error" in fetched ? failed(fetched.error) : readAnswer(fetched.text, source, now());
  return { rows, problems: problems.map((problem) => withoutSecret(problem, headerValue)) };
}

const failed = (problem: string): MappedPrices => ({ rows: [], problems: [problem] });

function readAnswer(text: string, source: PriceSource, now: number): MappedPrices {
  const excess = jsonExcess(text, LIMITS);
  if (excess !== undefined) return failed(`the answer is ${excess}`);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return failed("the answer is not JSON");
  }
  return mapPrices(answer, source, now);
}

function datesAt(now: number, timezone: string): { readonly today: string; readonly tomorrow: string } {
  const local = now + localOffsets(timezone)(now);
  const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { today: dateOf(local), tomorrow: dateOf(local + DAY_MS) };
}

/** A server may repeat what it was sent. */
function withoutSecret(problem: string, secret: string | undefined): string {
  return secret === undefined ? problem : problem.replaceAll(secret, "(hidden)");
}
