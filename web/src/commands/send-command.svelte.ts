import { UnreachableError } from "#client/errors.ts";
import { perform } from "#web/data/connection.ts";
import { renderExecutionKey } from "#web/executions/execution-key.ts";
import { router } from "#web/router/router.svelte.ts";

type Sent = {
  readonly device: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly ephemeral?: boolean;
};

/** Sends commands of one screen, one at a time, and opens what becomes of them. */
export class CommandSender {
  isSending = $state(false);
  failure: unknown = $state.raw();
  /** Whether nobody knows if the last try arrived. */
  isUnsure = $state(false);
  /** A repetition of the same input has the same key, so that nothing runs twice after a lost answer. */
  #last: { readonly input: string; readonly key: string } | undefined;

  /** The id of the execution; undefined when it failed, which `failure` explains. */
  async send({ device, ...input }: Sent): Promise<string | undefined> {
    if (this.isSending) return undefined;
    const text = JSON.stringify([device, input]);
    if (this.#last?.input !== text) this.#last = { input: text, key: randomKey() };
    this.clear();
    this.isSending = true;
    try {
      const { execution_id: id } = await perform("createCommandExecution", {
        params: { device_id: device },
        body: input,
        headers: { "Idempotency-Key": this.#last.key },
      });
      this.#last = undefined;
      return id;
    } catch (error) {
      this.failure = error;
      this.isUnsure = error instanceof UnreachableError && error.reason !== "refused";
      if (!this.isUnsure) this.#last = undefined;
      return undefined;
    } finally {
      this.isSending = false;
    }
  }

  clear(): void {
    this.failure = undefined;
    this.isUnsure = false;
  }
}

/** Opens the drawer of an execution over the screen. */
export function openExecution(device: string, id: string): void {
  router.setQuery({ execution: renderExecutionKey({ device, id }) }, { replace: false });
}

/** `crypto.randomUUID` exists only on pages with https; a gateway on a site often has none. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
