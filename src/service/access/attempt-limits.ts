// Limits of what may be tried: passwords, codes, links. They are counted in the records, so they hold on all nodes together and
// after a restart. What is over its limit is remembered here, so that going on costs no write.
import { AppError } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Needs } from "#service/ports.ts";

const MAX_REMEMBERED = 10_000;

export interface AttemptLimit {
  readonly name: string;
  /** Attempts in one window. */
  readonly most: number;
  readonly windowMs: number;
}

interface CountedAttempt {
  /** The first limit that is exceeded, and the seconds to wait. */
  readonly over: { readonly limit: AttemptLimit; readonly wait: number } | undefined;
  /** What was tried was right: it does not count. */
  forgive(): Promise<void>;
}

export interface AttemptLimits {
  /** Counts an attempt before its work, so that many at once are no way around a limit. What follows a limit that is exceeded is not counted. */
  note(...limits: readonly (readonly [limit: AttemptLimit, source: string])[]): Promise<CountedAttempt>;
}

export function createAttemptLimits({ attempts, seal, now }: Pick<Needs, "attempts" | "seal" | "now">): AttemptLimits {
  const overUntil = new Map<string, Instant>();

  function remember(source: string, endsAt: Instant): void {
    overUntil.delete(source);
    if (overUntil.size >= MAX_REMEMBERED) for (const oldest of overUntil.keys()) if (overUntil.delete(oldest)) break;
    overUntil.set(source, endsAt);
  }

  /** As in the records: one that ends too late is from before the clock was set back. */
  function rememberedEnd(source: string, { windowMs }: AttemptLimit, at: Instant): Instant | undefined {
    const end = overUntil.get(source);
    if (end !== undefined && end > at && end <= at + windowMs) return end;
    overUntil.delete(source);
    return undefined;
  }

  return {
    async note(...limits) {
      const at = now();
      const wait = (end: Instant) => Math.max(1, Math.ceil((end - at) / 1000));
      const all = limits.map(([limit, text]) => {
        const source = Buffer.from(seal.fingerprint(text, `sign-in ${limit.name}`)).toString("base64");
        return { limit, source, end: rememberedEnd(source, limit, at) };
      });
      const known = all.findIndex(({ end }) => end !== undefined);
      const open = known === -1 ? all : all.slice(0, known);
      const asked = open.map(({ limit: { most, windowMs }, source }) => ({ source, most, windowMs }));
      const counts = open.length === 0 ? [] : await attempts.note(asked, at);
      let over: CountedAttempt["over"];
      for (const [index, { count, endsAt }] of counts.entries()) {
        const one = open[index];
        if (one === undefined || count <= one.limit.most) continue;
        remember(one.source, endsAt);
        over = { limit: one.limit, wait: wait(endsAt) };
      }
      const { limit, end } = all[known] ?? {};
      if (over === undefined && limit !== undefined && end !== undefined) over = { limit, wait: wait(end) };
      const counted = asked.slice(0, counts.length).map(({ source }) => source);
      return {
        over,
        async forgive() {
          if (counted.length > 0) await attempts.forgive(counted);
        },
      };
    },
  };
}

export function tooManyAttempts(what: string, wait: number): AppError {
  return new AppError([{ code: "too_many_sign_ins", message: `too many ${what}; try again in ${wait} s` }], wait);
}

/** Counts a code that was not accepted. Beyond the limit the refusal asks its sender to wait. */
export type AfterWrongCode = (remoteAddress: string, error: unknown) => Promise<unknown>;

/** Codes have so many random bits that guessing is hopeless: what is limited is the work, so a right one passes. */
export function createWrongCodeLimit(limits: AttemptLimits, wrongPerMinute: number): AfterWrongCode {
  const ofAddress: AttemptLimit = { name: "code", most: wrongPerMinute, windowMs: 60_000 };
  return async (remoteAddress, error) => {
    if (!(error instanceof AppError) || error.code !== "unauthorized") return error;
    const { over } = await limits.note([ofAddress, addressBlock(remoteAddress)]);
    return over === undefined ? error : tooManyAttempts("wrong codes from this address", over.wait);
  };
}
