// A serial line that scripts share. It is opened on first use and again after it was lost, and buffers a bounded number
// of received bytes. Callers take turns (`port-queue.ts`), so at most one call runs here.

import type { LineSettings } from "#core/hardware/line-settings.ts";
import { itemAt } from "#core/item-at.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { Timers } from "#drivers/timers.ts";
import { findAnswer, frameGapMs, rtuFrame } from "./rtu.ts";
import type { OpenLine, SerialLine } from "./serial-line.ts";

const MAX_BUFFER_BYTES = 64 * 1024;
/** A line that could not be opened is not tried again sooner. */
const PAUSE_MS = 1000;
/** A message is over when the line has been quiet for this long, and for some characters. USB adapters deliver every 16 ms. */
const QUIET_MS = 30;
const QUIET_CHARACTERS = 10;

const NAMES = ["baudRate", "dataBits", "parity", "stopBits"] as const;

export class SharedLine {
  readonly #open: OpenLine;
  readonly #timers: Timers;
  readonly #installed: LineSettings;
  /** What each device has asked for. */
  readonly #wishes = new Map<unknown, LineSettings>();
  #settings: LineSettings;
  #line: Promise<SerialLine> | undefined;
  #received: Buffer = Buffer.alloc(0);
  #arrived: (() => void) | undefined;
  /** Time of the last byte in either direction. */
  #lastByteAt = Number.NEGATIVE_INFINITY;
  #pauseUntil = Number.NEGATIVE_INFINITY;
  #failure: ConnectionError | undefined;
  #isClosed = false;

  constructor(open: OpenLine, settings: LineSettings, timers: Timers) {
    this.#open = open;
    this.#installed = settings;
    this.#settings = settings;
    this.#timers = timers;
  }

  /**
   * Adopts the settings that a device asks for; throws if they contradict the installer's or those of another device. A
   * device may change its own.
   */
  agreeOn(who: unknown, wanted: LineSettings): void {
    const wishes = [...this.#wishes].filter(([one]) => one !== who).map(([, wish]) => wish);
    for (const others of [this.#installed, ...wishes]) {
      const name = NAMES.find((one) => wanted[one] !== undefined && (others[one] ?? wanted[one]) !== wanted[one]);
      if (name === undefined) continue;
      const whose = others === this.#installed ? "the setting lua.ports says so" : "another device has set it";
      throw new ConnectionError("refused", `the port runs with ${name} ${others[name]}, not ${wanted[name]}; ${whose}`);
    }
    this.#wishes.set(who, wanted);
    const agreed = [this.#installed, ...wishes, wanted];
    const merged = {
      baudRate: agreed.find(({ baudRate }) => baudRate !== undefined)?.baudRate,
      dataBits: agreed.find(({ dataBits }) => dataBits !== undefined)?.dataBits,
      parity: agreed.find(({ parity }) => parity !== undefined)?.parity,
      stopBits: agreed.find(({ stopBits }) => stopBits !== undefined)?.stopBits,
    };
    const isChanged = NAMES.some((name) => merged[name] !== this.#settings[name]);
    this.#settings = merged;
    if (isChanged) this.#lose("the line is opened anew with other settings");
  }

  /** The device has stopped: others may ask for other settings. The line runs on as it is until somebody does. */
  forget(who: unknown): void {
    this.#wishes.delete(who);
  }

  async write(data: Uint8Array): Promise<void> {
    const line = await this.#opened();
    await line.write(data);
    this.#lastByteAt = this.#timers.elapsed();
  }

  async flush(): Promise<void> {
    const line = await this.#opened();
    await line.flush();
    this.#received = Buffer.alloc(0);
  }

  /** Reads exactly this many bytes; after a timeout the received part stays for the next read. */
  async read(count: number, timeoutMs: number): Promise<Uint8Array> {
    await this.#opened();
    await this.#until(() => this.#received.length >= count, timeoutMs);
    if (this.#received.length < count)
      throw new ConnectionError("timeout", `${this.#received.length} of ${count} bytes arrived within ${timeoutMs} ms`);
    const bytes = Uint8Array.from(this.#received.subarray(0, count));
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  /** Waits for the first byte, then takes what follows without a pause. */
  async receive(count: number, timeoutMs: number): Promise<Uint8Array> {
    const { characterMs } = await this.#opened();
    const until = this.#timers.elapsed() + timeoutMs;
    const quietMs = QUIET_MS + QUIET_CHARACTERS * characterMs;
    await this.#until(() => this.#received.length > 0, timeoutMs);
    if (this.#received.length === 0) throw new ConnectionError("timeout", `nothing arrived within ${timeoutMs} ms`);
    for (let seen = 0; seen < this.#received.length && this.#received.length < count; ) {
      seen = this.#received.length;
      const leftMs = Math.min(quietMs, until - this.#timers.elapsed());
      if (leftMs > 0) await this.#until(() => this.#received.length > seen, leftMs);
    }
    const bytes = Uint8Array.from(this.#received.subarray(0, count));
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  async modbus(unit: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const line = await this.#opened();
    const quietFor = this.#timers.elapsed() - this.#lastByteAt;
    const gapMs = frameGapMs(line.characterMs);
    if (quietFor < gapMs) await this.#sleep(gapMs - quietFor);
    await this.flush();
    await this.write(rtuFrame(unit, pdu));
    // Unit 0 is a broadcast: nobody answers.
    if (unit === 0) return pdu.slice(0, 5);
    const code = itemAt(pdu, 0);
    let answer: Uint8Array | undefined;
    const isHere = () => {
      answer = findAnswer(this.#received, unit, code);
      return answer !== undefined;
    };
    await this.#until(isHere, timeoutMs);
    const damaged = this.#received.length;
    this.#received = Buffer.alloc(0);
    if (answer !== undefined) return answer;
    throw damaged === 0
      ? new ConnectionError("timeout", `no answer from unit ${unit} within ${timeoutMs} ms`)
      : new ConnectionError(
          "answer",
          `the ${damaged} bytes that unit ${unit} answered are no frame with a right checksum`,
        );
  }

  close(): void {
    this.#isClosed = true;
    this.#lose("the port was closed");
  }

  async #opened(): Promise<SerialLine> {
    if (this.#isClosed) throw new ConnectionError("closed", "the port was closed");
    if (this.#line === undefined) {
      if (this.#failure !== undefined && this.#timers.elapsed() < this.#pauseUntil) throw this.#failure;
      this.#failure = undefined;
      const opening: Promise<SerialLine> = this.#open(this.#settings, {
        received: (bytes) => this.#take(bytes),
        lost: (why) => {
          if (this.#line === opening) this.#lose(why);
        },
      });
      this.#line = opening;
    }
    const line = this.#line;
    try {
      return await line;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      if (this.#line === line) this.#line = undefined;
      this.#failure = error;
      this.#pauseUntil = this.#timers.elapsed() + PAUSE_MS;
      throw error;
    }
  }

  #take(bytes: Uint8Array): void {
    this.#lastByteAt = this.#timers.elapsed();
    const all = Buffer.concat([this.#received, bytes]);
    this.#received = all.length > MAX_BUFFER_BYTES ? all.subarray(all.length - MAX_BUFFER_BYTES) : all;
    this.#arrived?.();
  }

  #lose(why: string): void {
    const line = this.#line;
    this.#line = undefined;
    this.#failure = new ConnectionError("connection", why);
    line?.then(
      (opened) => opened.close(),
      // The caller that opened it got the error.
      () => {},
    );
    this.#arrived?.();
  }

  /** Waits until the condition holds, the time is over, or the line is lost, which throws. */
  #until(holds: () => boolean, timeoutMs: number): Promise<void> {
    const line = this.#line;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        cancel();
        this.#arrived = undefined;
        settle();
      };
      const look = () => {
        if (holds()) end(resolve);
        else if (this.#line !== line)
          end(() => reject(this.#failure ?? new ConnectionError("connection", "the line is gone")));
      };
      const cancel = this.#timers.after(timeoutMs, () => end(resolve));
      this.#arrived = look;
      look();
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#timers.after(Math.ceil(ms), resolve);
    });
  }
}
