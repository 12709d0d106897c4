// The partitions of a shared journal that a node has in memory. It brings them up to date by reading what any node has added
// to them since.
import type { OnDamaged } from "./chunk-store.ts";
import { type Remainder, SharedPartition } from "./shared-partition.ts";
import { partitionOf, type ReadPartition, type SharedRow, type SharedStore } from "./shared-store.ts";

/** Marks of sealing are kept longer than this. A node that has not read for so long begins anew. */
const STALE_MS = 5 * 60_000;
/** A partition that nobody asked about for this long leaves the memory of a node that does not seal it. */
const IDLE_MS = 60_000;

export class PartitionMemory {
  readonly #store: Pick<SharedStore, "read">;
  readonly #onDamaged: OnDamaged;
  readonly #partitions = new Map<number, SharedPartition>();
  /** Partitions that the next reading has to bring up to date. */
  readonly #wanted = new Set<number>();
  #reading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(store: Pick<SharedStore, "read">, onDamaged: OnDamaged) {
    this.#store = store;
    this.#onDamaged = onDamaged;
  }

  get points(): number {
    let points = 0;
    for (const { hot } of this.#partitions.values()) points += hot.points;
    return points;
  }

  get(number: number): SharedPartition | undefined {
    return this.#partitions.get(number);
  }

  ofDevice(device: number): SharedPartition | undefined {
    return this.get(partitionOf(device));
  }

  /** The partition of a device as it is now. The epoch is that of this moment, whatever is read later. */
  async current(device: number): Promise<{ readonly partition: SharedPartition; readonly epoch: number }> {
    await this.update([partitionOf(device)]);
    const partition = this.ofDevice(device);
    if (partition === undefined) throw new Error("a partition left the memory while it was used");
    return { partition, epoch: partition.epoch };
  }

  /**
   * Reads everything that any node added to these partitions before this call. Calls that come meanwhile share a reading.
   * `isUse` keeps the partitions in memory.
   */
  update(numbers: readonly number[], isUse = true): Promise<void> {
    if (numbers.length === 0) return Promise.resolve();
    const now = performance.now();
    for (const number of numbers) {
      this.#wanted.add(number);
      const known = this.#partitions.get(number);
      if (known !== undefined && isUse) known.usedAt = now;
    }
    const start = () => {
      const wanted = [...this.#wanted];
      this.#wanted.clear();
      this.#next = undefined;
      return this.#read(wanted);
    };
    this.#next ??= this.#reading.then(start, start);
    this.#reading = this.#next;
    return this.#next;
  }

  /** Forgets partitions that nobody uses, sooner when the memory is full. */
  forgetIdle(claimed: readonly number[], isFull: boolean): void {
    const now = performance.now();
    for (const [number, { usedAt }] of this.#partitions) {
      const isIdle = now - usedAt > (isFull ? IDLE_MS / 10 : IDLE_MS);
      if (isIdle && !claimed.includes(number) && !this.#wanted.has(number)) this.#partitions.delete(number);
    }
  }

  async #read(numbers: readonly number[]): Promise<void> {
    const begun = performance.now();
    const known = new Map(numbers.map((number) => [number, this.#known(number, begun)]));
    const read = await this.#store.read(
      numbers.map((partition) => ({ partition, after: known.get(partition)?.last ?? 0 })),
      this.#onDamaged,
    );
    for (const found of read) {
      const { one, partition } = await this.#sameHistory(found, known);
      if (one === undefined || partition === undefined) continue;
      const kept = new Map<Remainder, readonly SharedRow[]>();
      for (const remainder of partition.remainders(one.rows)) {
        const [again] = await this.#store.read([{ partition: one.partition, after: remainder.last }], this.#onDamaged);
        kept.set(remainder, again?.rows.filter(({ commit }) => commit <= one.last) ?? []);
      }
      partition.apply(one, kept);
      partition.readAt = begun;
      this.#partitions.set(one.partition, partition);
    }
  }

  /** A server that takes over or was restored may lack commits that were read, and gives their numbers out again. */
  async #sameHistory(one: ReadPartition, known: ReadonlyMap<number, SharedPartition>) {
    const partition = known.get(one.partition);
    if (partition === undefined || one.last >= partition.last) return { one, partition };
    const [anew] = await this.#store.read([{ partition: one.partition, after: 0 }], this.#onDamaged);
    const fresh = new SharedPartition();
    fresh.usedAt = partition.usedAt;
    return { one: anew, partition: fresh };
  }

  /** A partition that was not read for too long may lack marks that are deleted. */
  #known(number: number, now: number): SharedPartition {
    const known = this.#partitions.get(number);
    if (known !== undefined && now - known.readAt < STALE_MS) return known;
    const fresh = new SharedPartition();
    fresh.usedAt = now;
    return fresh;
  }
}
