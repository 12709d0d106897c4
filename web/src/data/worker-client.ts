/** Functions that a worker answers. Questions and answers travel as messages. */
type Tools = { readonly [name: string]: (...values: never[]) => unknown };
type Question = { readonly id: number; readonly name: string; readonly values: readonly unknown[] };
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: string };

type Waiting = { readonly resolve: (result: never) => void; readonly reject: (error: Error) => void };

/** Asks a worker. It lives as long as the screen that made it. */
export class WorkerClient<Asked extends { readonly [K in keyof Asked]: (...values: never[]) => unknown }> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error !== undefined) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.result as never);
    });
    this.#worker.addEventListener("error", () => this.#fail("the worker could not be loaded"));
  }

  ask<const K extends keyof Asked & string>(name: K, ...values: Parameters<Asked[K]>): Promise<ReturnType<Asked[K]>> {
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

/** In the worker: answers what is asked of it. */
export function answerQuestions(tools: object): void {
  self.addEventListener("message", ({ data: { id, name, values } }: MessageEvent<Question>) => {
    try {
      const call = (tools as Tools)[name] as (...values: readonly unknown[]) => unknown;
      self.postMessage({ id, result: call(...values) } satisfies Answer);
    } catch (error) {
      self.postMessage({ id, error: String(error) } satisfies Answer);
    }
  });
}
