import type { ManifestTools } from "./manifest-tools.ts";

type Name = keyof ManifestTools;
export type Question = { readonly id: number; readonly name: Name; readonly values: readonly unknown[] };
export type Answer = { readonly id: number; readonly result?: unknown; readonly error?: string };

type Waiting = { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void };

/** Questions about manifests, answered by a worker. One lives as long as the screen that made it. */
export class ManifestWorkerClient {
  readonly #worker = new Worker(new URL("./manifest-worker.ts", import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error !== undefined) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.result as never);
    });
    this.#worker.addEventListener("error", () => this.#fail("the worker could not be loaded"));
  }

  ask<const K extends Name>(name: K, ...values: Parameters<ManifestTools[K]>): Promise<ReturnType<ManifestTools[K]>> {
    this.#last += 1;
    const id = this.#last;
    this.#worker.postMessage({ id, name, values } satisfies Question);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  /** What is still being asked is never answered: nobody waits for it any more. */
  close(): void {
    this.#worker.terminate();
    this.#waiting.clear();
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }
}
