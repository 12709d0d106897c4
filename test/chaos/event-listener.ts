// A listener that resumes with the last id that it got, whatever happened to the program meanwhile.
import { request } from "node:http";
import { createEventStream, type EventStream } from "#client/event-stream.ts";
import type { LiveEvent } from "#client/live-event.ts";
import type { Victim } from "./victim.ts";

export class EventListener {
  readonly events: LiveEvent[] = [];
  readonly #query: string;
  #stream: EventStream | undefined;

  constructor(query: string) {
    this.#query = query;
  }

  /** Resolves when the stream is open. It goes on until the program ends. */
  async follow(victim: Victim): Promise<void> {
    const stream = createEventStream(this.#stream?.lastId);
    this.#stream = stream;
    const headers = {
      "X-Service-Auth-Token": victim.token,
      ...(stream.lastId !== undefined && { "Last-Event-ID": stream.lastId }),
    };
    await new Promise<void>((resolve, reject) => {
      const call = request(new URL(`/v3/events?${this.#query}`, victim.url), { headers }, (answer) => {
        answer.on("data", (piece: Buffer) => {
          resolve();
          for (const { event, data } of stream.push(piece)) this.events.push({ ...JSON.parse(data), kind: event });
        });
        answer.on("error", () => {});
      });
      call.on("error", reject);
      call.end();
    });
  }

  get hasId(): boolean {
    return this.#stream?.lastId !== undefined;
  }
}
