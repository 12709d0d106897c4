// What is wrong with something that somebody sent. The first are told in full; of the rest only the number is kept, so that
// neither finding words for them nor answering with them costs more than a few mistakes do.
import { AppError, type Refusal } from "#core/app-error.ts";

const MAX_TOLD = 20;

export interface Mistakes<Mistake> {
  readonly told: readonly Mistake[];
  /** How many there are besides those told. */
  readonly more: number;
}

export class MistakeList<Mistake> implements Mistakes<Mistake> {
  readonly told: Mistake[] = [];
  more = 0;

  get isFull(): boolean {
    return this.told.length >= MAX_TOLD;
  }

  /** `make` finds the words, suggestions included, and is called only for a mistake that is told. */
  add(make: () => Mistake): void {
    if (this.isFull) this.more++;
    else this.told.push(make());
  }
}

/** Throws what was found, if anything. The last one told says how many more there are. */
export function refuseMistakes({ told, more }: Mistakes<Refusal>): void {
  const [first, ...others] = told.map((one, index) =>
    more > 0 && index === told.length - 1 ? { ...one, message: `${one.message} (and ${more} more)` } : one,
  );
  if (first !== undefined) throw new AppError([first, ...others]);
}
