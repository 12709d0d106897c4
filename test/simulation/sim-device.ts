// A device behind an unreliable network. It runs what it gets and answers in many ways: at once, slowly, late, never,
// twice. What the service did not acknowledge it sends again when it is back.
import type { ResponseState } from "#core/command/execution.ts";
import type { ResponseMessage } from "#core/device/device-message.ts";
import type { OutgoingCommand } from "#service/ports/carrier.ts";
import type { SimClock } from "./sim-clock.ts";

interface SimDeviceNeeds {
  readonly id: string;
  readonly clock: SimClock;
  readonly random: () => number;
  readonly patienceMs: number;
  onStart(executionId: string): void;
  /** Hands a response to the service; rejects when it was not acknowledged. */
  deliver(deviceId: string, message: ResponseMessage): Promise<void>;
}

export class SimDevice {
  readonly #needs: SimDeviceNeeds;
  #connection = 0;
  #isConnected = false;
  #readySince: number | undefined;
  #unacknowledged: ResponseMessage[] = [];
  readonly #said: ResponseMessage[] = [];

  constructor(needs: SimDeviceNeeds) {
    this.#needs = needs;
  }

  get id(): string {
    return this.#needs.id;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get readySince(): number | undefined {
    return this.#readySince;
  }

  connect(): void {
    this.#isConnected = true;
    this.#connection++;
    this.#readySince = this.#needs.clock.elapsed;
    const again = this.#unacknowledged;
    this.#unacknowledged = [];
    for (const message of again) this.#send({ ...message, repeated: true });
  }

  disconnect(): void {
    this.#isConnected = false;
    this.#connection++;
    this.#readySince = undefined;
  }

  /** A command on its way; lost when the connection ends before it arrives. */
  receive(command: OutgoingCommand): void {
    const connection = this.#connection;
    this.#needs.clock.after(this.#needs.random() * 20, () => {
      if (this.#connection !== connection) return;
      this.#needs.onStart(command.id);
      this.#answer(command.id);
    });
  }

  /** Says something that it has said before, with or without the carrier's mark. */
  repeat(): void {
    const message = this.#said[Math.floor(this.#needs.random() * this.#said.length)];
    if (message !== undefined) this.#send({ ...message, repeated: this.#needs.random() < 0.5 });
  }

  #answer(id: string): void {
    const { random, clock, patienceMs } = this.#needs;
    const kind = random();
    let at = random() * 50;
    const say = (state: ResponseState, payload?: object) => {
      const message = { executionId: id, state, payload: payload as ResponseMessage["payload"], repeated: false };
      clock.after(at, () => this.#send(message));
    };
    if (kind < 0.15) return;
    if (kind < 0.5) {
      for (let part = 0; part < random() * 4; part++) {
        say("IN_PROGRESS", { part });
        at += random() * patienceMs * 1.1;
      }
    }
    if (kind < 0.65) at += patienceMs * (0.8 + random() * 0.5);
    if (random() < 0.1) say("STARTED");
    if (random() < 0.8) say("SUCCEEDED", { id });
    else say("ERROR", { message: id });
    // Out of order: something old after the end.
    at += random() * 10;
    if (random() < 0.2) say("IN_PROGRESS", { part: -1 });
  }

  #send(message: ResponseMessage): void {
    this.#said.push(message);
    this.#unacknowledged.push(message);
    if (!this.#isConnected) return;
    const connection = this.#connection;
    const acknowledge = () => {
      this.#unacknowledged = this.#unacknowledged.filter((one) => one !== message);
    };
    this.#needs.clock.after(this.#needs.random() * 20, () => {
      if (this.#connection !== connection) return;
      this.#needs.deliver(this.id, message).then(
        () => this.#connection === connection && acknowledge(),
        () => {},
      );
    });
  }
}
