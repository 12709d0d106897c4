import type { ByteBudget } from "#core/share/byte-budgets.ts";
import type { MqttMessage } from "#drivers/mqtt/mqtt-client.ts";

const MAX_KEPT_MESSAGES = 256;
/** What a message holds besides its topic and payload, about. */
const SELF_BYTES = 128;
const MAX_KEPT_BYTES = 1024 * 1024 + SELF_BYTES;

/** Messages that have arrived, until the script takes them. When there is no room, its own oldest ones are dropped. */
export class MessageInbox {
  /** Shared by all inboxes of a thread. */
  readonly #room: Pick<ByteBudget, "take" | "give">;
  #messages: MqttMessage[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(room: Pick<ByteBudget, "take" | "give">) {
    this.#room = room;
  }

  add({ topic, payload }: MqttMessage): void {
    const message = { topic, payload };
    const bytes = bytesOf(message);
    while (!this.#hasRoom(bytes)) {
      this.#dropped++;
      // Without older ones it is the message itself that does not fit.
      if (!this.#dropOldest()) return;
    }
    this.#messages.push(message);
    this.#bytes += bytes;
  }

  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number } {
    const taken = { messages: this.#messages, dropped: this.#dropped };
    this.#room.give(this.#bytes);
    this.#messages = [];
    this.#bytes = 0;
    this.#dropped = 0;
    return taken;
  }

  #hasRoom(bytes: number): boolean {
    if (this.#messages.length >= MAX_KEPT_MESSAGES || this.#bytes + bytes > MAX_KEPT_BYTES) return false;
    return this.#room.take(bytes);
  }

  #dropOldest(): boolean {
    const oldest = this.#messages.shift();
    if (oldest === undefined) return false;
    this.#bytes -= bytesOf(oldest);
    this.#room.give(bytesOf(oldest));
    return true;
  }
}

function bytesOf({ topic, payload }: MqttMessage): number {
  return SELF_BYTES + topic.length + payload.length;
}
