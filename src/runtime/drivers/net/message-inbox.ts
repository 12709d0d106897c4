import type { MqttMessage } from "#runtime/drivers/peer-connections.ts";

const MAX_KEPT_MESSAGES = 256;
const MAX_KEPT_BYTES = 1024 * 1024;

/** Messages that have arrived, until the script takes them; when it is full the oldest are dropped. */
export class MessageInbox {
  #messages: MqttMessage[] = [];
  #bytes = 0;
  #dropped = 0;

  add({ topic, payload }: MqttMessage): void {
    this.#messages.push({ topic, payload });
    this.#bytes += payload.length;
    while (this.#messages.length > MAX_KEPT_MESSAGES || this.#bytes > MAX_KEPT_BYTES) {
      this.#bytes -= this.#messages.shift()?.payload.length ?? 0;
      this.#dropped++;
    }
  }

  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number } {
    const taken = { messages: this.#messages, dropped: this.#dropped };
    this.#messages = [];
    this.#bytes = 0;
    this.#dropped = 0;
    return taken;
  }
}
