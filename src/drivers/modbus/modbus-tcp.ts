// Modbus TCP to one server. Only one request runs at a time, because many servers confuse several; the others wait.
import { connect, type Socket } from "node:net";
import { connectionWords } from "#core/net/connection-words.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { ModbusConnection } from "#drivers/modbus/modbus-connection.ts";
import { bareHost, type Reach } from "#drivers/net/create-reach.ts";
import type { Timers } from "#drivers/timers.ts";

interface TcpNeeds {
  readonly reach: Reach;
  readonly timers: Timers;
}

interface Job {
  readonly unit: number;
  readonly pdu: Uint8Array;
  readonly done: (pdu: Uint8Array) => void;
  readonly failed: (error: ConnectionError) => void;
  /** Ends the wait of the request. */
  readonly cancel: () => void;
}

const MAX_WAITING = 64;
const HEADER_BYTES = 7;
/** Unit and protocol data unit. */
const MAX_LENGTH = 254;
const CONNECT_TIMEOUT_MS = 5000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
/** After this many requests in a row without an answer the connection is given up. */
const MAX_SILENCE = 2;

export function createModbusTcp(needs: TcpNeeds, host: string, port: number): ModbusConnection {
  return new ModbusTcp(needs, host, port);
}

class ModbusTcp implements ModbusConnection {
  readonly #needs: TcpNeeds;
  readonly #host: string;
  readonly #port: number;
  readonly #waiting: Job[] = [];
  #socket: Socket | undefined;
  #isReady = false;
  #isClosed = false;
  #current: { readonly job: Job; readonly transaction: number } | undefined;
  #transaction = 0;
  #received: Buffer = Buffer.alloc(0);
  #silent = 0;
  #failures = 0;
  #pauseUntil = 0;
  #lastFailure: ConnectionError | undefined;

  constructor(needs: TcpNeeds, host: string, port: number) {
    this.#needs = needs;
    this.#host = host;
    this.#port = port;
  }

  /** The timeout counts from now: it covers the connection, the requests ahead, and the answer. */
  request(unit: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ConnectionError("closed", "the connection was closed"));
      if (this.#waiting.length >= MAX_WAITING)
        return reject(new ConnectionError("busy", `${MAX_WAITING} requests wait for ${this.#name()} already`));
      const job: Job = {
        unit,
        pdu,
        done: resolve,
        failed: reject,
        cancel: this.#needs.timers.after(timeoutMs, () => this.#timedOut(job, timeoutMs)),
      };
      this.#waiting.push(job);
      this.#next();
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#lose(new ConnectionError("closed", "the connection was closed"));
  }

  #next(): void {
    if (this.#current !== undefined || this.#waiting.length === 0) return;
    if (this.#socket === undefined) this.#connect();
    const job = this.#isReady ? this.#waiting.shift() : undefined;
    if (job === undefined) return;
    this.#transaction = (this.#transaction + 1) & 0xffff;
    this.#current = { job, transaction: this.#transaction };
    const frame = Buffer.alloc(HEADER_BYTES + job.pdu.length);
    frame.writeUInt16BE(this.#transaction, 0);
    frame.writeUInt16BE(job.pdu.length + 1, 4);
    frame.writeUInt8(job.unit, 6);
    frame.set(job.pdu, HEADER_BYTES);
    this.#socket?.write(frame);
  }

  /** After a failed attempt there is a pause, during which requests fail at once with the same message. */
  #connect(): void {
    const isPause = this.#needs.timers.elapsed() < this.#pauseUntil;
    const refusal = (isPause ? this.#lastFailure : undefined) ?? this.#refusal();
    if (refusal !== undefined) {
      this.#failAll(refusal);
      return;
    }
    const host = bareHost(this.#host);
    const socket = connect({ host, port: this.#port, lookup: this.#needs.reach.lookup(this.#port), noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    this.#silent = 0;
    let problem: ConnectionError | undefined;
    const giveUp = this.#needs.timers.after(CONNECT_TIMEOUT_MS, () => {
      problem = new ConnectionError("timeout", `no connection to ${this.#name()} in time`);
      socket.destroy();
    });
    socket.on("connect", () => {
      giveUp();
      this.#isReady = true;
      this.#failures = 0;
      this.#next();
    });
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => {
      problem =
        error instanceof ConnectionError
          ? error
          : new ConnectionError("connection", `${this.#name()}: ${connectionWords(error)}`);
    });
    socket.on("close", () => {
      giveUp();
      // A newer connection may already have replaced it.
      if (this.#socket !== socket) return;
      if (!this.#isReady) this.#pause();
      this.#lose(problem ?? new ConnectionError("connection", `${this.#name()} closed the connection`));
    });
  }

  #refusal(): ConnectionError | undefined {
    try {
      this.#needs.reach.check(bareHost(this.#host), this.#port);
      return undefined;
    } catch (error) {
      if (error instanceof ConnectionError) return error;
      throw error;
    }
  }

  #pause(): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures++;
    this.#pauseUntil = this.#needs.timers.elapsed() + pauseMs;
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    while (this.#received.length >= HEADER_BYTES) {
      const length = this.#received.readUInt16BE(4);
      if (this.#received.readUInt16BE(2) !== 0 || length < 2 || length > MAX_LENGTH) {
        this.#lose(new ConnectionError("answer", `what ${this.#name()} answers is not Modbus`));
        return;
      }
      if (this.#received.length < 6 + length) return;
      const transaction = this.#received.readUInt16BE(0);
      const pdu = Uint8Array.from(this.#received.subarray(HEADER_BYTES, 6 + length));
      this.#received = this.#received.subarray(6 + length);
      // Anything else answers a request that is over.
      if (this.#current?.transaction === transaction) this.#answered(pdu);
    }
  }

  #answered(pdu: Uint8Array): void {
    const job = this.#current?.job;
    this.#current = undefined;
    this.#silent = 0;
    job?.cancel();
    job?.done(pdu);
    this.#next();
  }

  #timedOut(job: Job, timeoutMs: number): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    const isCurrent = this.#current?.job === job;
    if (isCurrent) this.#current = undefined;
    job.failed(new ConnectionError("timeout", `no answer from ${this.#name()} within ${timeoutMs} ms`));
    if (isCurrent && ++this.#silent >= MAX_SILENCE) this.#drop();
    this.#next();
  }

  /** The connection is gone, and all waiting requests fail. */
  #lose(error: ConnectionError): void {
    this.#drop();
    this.#lastFailure = error;
    this.#failAll(error);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isReady = false;
    socket?.destroy();
  }

  #failAll(error: ConnectionError): void {
    const jobs = [...(this.#current === undefined ? [] : [this.#current.job]), ...this.#waiting.splice(0)];
    this.#current = undefined;
    for (const job of jobs) {
      job.cancel();
      job.failed(error);
    }
  }

  #name(): string {
    return `${this.#host}:${this.#port}`;
  }
}
