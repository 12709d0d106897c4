// What a connection listens to. Each command asks for the same topic, so what was found is kept until a filter changes.
import { filterMatches } from "#mqtt/topics.ts";

type Qos = 0 | 1;

/** Topics that are asked for: those of the device and of its children. */
const MAX_KNOWN = 100;

export class Filters {
  readonly #granted = new Map<string, Qos>();
  readonly #known = new Map<string, Qos | undefined>();

  get size(): number {
    return this.#granted.size;
  }

  has(filter: string): boolean {
    return this.#granted.has(filter);
  }

  set(filter: string, qos: Qos): void {
    this.#granted.set(filter, qos);
    this.#known.clear();
  }

  delete(filter: string): void {
    this.#granted.delete(filter);
    this.#known.clear();
  }

  /** The QoS at which the connection subscribed to the topic; undefined when none of its filters matches. */
  qosOf(topic: string): Qos | undefined {
    const known = this.#known.get(topic);
    if (known !== undefined || this.#known.has(topic)) return known;
    const found = this.#find(topic);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(topic, found);
    return found;
  }

  #find(topic: string): Qos | undefined {
    let found: Qos | undefined;
    for (const [filter, qos] of this.#granted) {
      if (filterMatches(filter, topic) && (found === undefined || qos > found)) found = qos;
    }
    return found;
  }
}
