// Collects the mistakes in something that a client sent. The first ones are reported in full. The rest are only
// counted, so that a huge number of mistakes costs no more than a few.
import { AppError, type Refusal } from "#core/app-error.ts";

const MAX_LISTED = 20;

export interface Mistakes<Mistake> {
  readonly listed: readonly Mistake[];
  /** How many mistakes there are in addition to the reported ones. */
  readonly more: number;
}

export class MistakeList<Mistake> implements Mistakes<Mistake> {
  readonly listed: Mistake[] = [];
  more = 0;

  get isFull(): boolean {
    return this.listed.length >= MAX_LISTED;
  }

  /** `make` builds the message, suggestions included. It is called only for a mistake that is reported. */
  add(make: () => Mistake): void {
    if (this.isFull) this.more++;
    else this.listed.push(make());
  }
}

/** Throws what was found, if anything. The last reported mistake says how many more there are. */
export function refuseMistakes({ listed, more }: Mistakes<Refusal>): void {
  if (listed.length === 0) return;
  const [first, ...others] = listed.map((one, index) =>
    more > 0 && index === listed.length - 1 ? { ...one, message: `${one.message} (and ${more} more)` } : one,
  );
  if (first !== undefined) throw new AppError([first, ...others]);
}
