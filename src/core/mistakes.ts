// Collects the mistakes in something that a client sent. The first ones are reported in full. The rest are only
// counted, so that a huge number of mistakes costs no more than a few.
import { AppError, type Refusal } from "#core/app-error.ts";

const MAX_TOLD = 20;

export interface Mistakes<Mistake> {
  readonly told: readonly Mistake[];
  /** How many mistakes there are in addition to the reported ones. */
  readonly more: number;
}

export class MistakeList<Mistake> implements Mistakes<Mistake> {
  readonly told: Mistake[] = [];
  more = 0;

  get isFull(): boolean {
    return this.told.length >= MAX_TOLD;
  }

  /** `make` builds the message, suggestions included. It is called only for a mistake that is reported. */
  add(make: () => Mistake): void {
    if (this.isFull) this.more++;
    else this.told.push(make());
  }
}

/** Throws what was found, if anything. The last reported mistake says how many more there are. */
export function refuseMistakes({ told, more }: Mistakes<Refusal>): void {
  const [first, ...others] = told.map((one, index) =>
    more > 0 && index === told.length - 1 ? { ...one, message: `${one.message} (and ${more} more)` } : one,
  );
  if (first !== undefined) throw new AppError([first, ...others]);
}
