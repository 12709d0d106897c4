// Creates of executions without end, each asked for again with its key until it is acknowledged.
import { Agent } from "node:http";
import { send } from "./send.ts";
import type { Victim } from "./victim.ts";

const AT_ONCE = 8;

export class CommandLoad {
  /** Key to execution id of every acknowledged create. */
  readonly acknowledged = new Map<string, string>();
  /** A key that was answered twice with different executions. */
  readonly contradictions: string[] = [];
  #asked = 0;
  #unanswered: string[] = [];
  readonly #deviceId: string;

  constructor(deviceId: string) {
    this.#deviceId = deviceId;
  }

  get asked(): number {
    return this.#asked;
  }

  /** Keeps some creates under way until the victim is dead. `onAnswer` gets how many were acknowledged in this run. */
  async run(victim: Victim, onAnswer: (count: number) => void = () => {}): Promise<void> {
    const before = this.acknowledged.size;
    let isDead = false;
    void victim.end.then(() => {
      isDead = true;
    });
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (!isDead) {
          await this.#create(victim, agent);
          onAnswer(this.acknowledged.size - before);
        }
      }),
    );
    agent.destroy();
  }

  /** Asks again for all that was never answered. */
  async settle(victim: Victim): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    while (this.#unanswered.length > 0) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#create(victim, agent, false)));
    }
    agent.destroy();
  }

  async #create(victim: Victim, agent: Agent, mayAskNew = true): Promise<void> {
    const key = this.#unanswered.shift() ?? (mayAskNew ? `key-${++this.#asked}` : undefined);
    if (key === undefined) return;
    const path = `/v3/devices/${this.#deviceId}/commands/executions`;
    const body = { name: "start", arguments: { power: Number(key.slice(4)) % 100 } };
    const headers = { "Idempotency-Key": key };
    try {
      const answer = await send(victim, { method: "POST", path, body, headers, agent });
      const id = answer.body.execution_id;
      if (answer.status === 200 && id !== undefined) {
        if ((this.acknowledged.get(key) ?? id) !== id) this.contradictions.push(key);
        this.acknowledged.set(key, id);
        return;
      }
      if (answer.status < 429) throw new Error(`unexpected answer ${answer.status} ${JSON.stringify(answer.body)}`);
      this.#unanswered.push(key);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("unexpected")) throw error;
      this.#unanswered.push(key);
      // The connection broke: the end of the process is noticed in a moment.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
