// A real Modbus TCP server over registers, which can also behave badly.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { answerPdu, createRegisterBank, type RegisterBank } from "#drivers/modbus/answer-pdu.ts";

/**
 * What happens to the next answer: `silent` none; `close` the connection is closed instead; `garbage` bytes that are no
 * Modbus; `wrong-transaction` an answer to something else, then the right one; `only-wrong-transaction` without the
 * right one; `wrong-function` another function code; `short` fewer bytes than it says; `late` it comes when `release` is called.
 */
type Fault =
  | "silent"
  | "close"
  | "garbage"
  | "wrong-transaction"
  | "only-wrong-transaction"
  | "wrong-function"
  | "short"
  | "late";

export interface ModbusServer {
  readonly port: number;
  readonly units: Map<number, RegisterBank>;
  unit(id: number): RegisterBank;
  /** One after the other, for the requests to come. */
  readonly faults: Fault[];
  /** Answers are sent byte by byte. */
  isSplit: boolean;
  /** `unit:function` of every request, in order. */
  readonly seen: string[];
  /** The most requests that ran at once. */
  readonly mostAtOnce: () => number;
  readonly connections: () => number;
  /** Sends the answers that were kept back. */
  release(): void;
  /** Closes the connections there are. */
  disconnect(): void;
  stop(): Promise<void>;
}

export async function startModbusServer(host = "127.0.0.1"): Promise<ModbusServer> {
  const units = new Map<number, RegisterBank>();
  const faults: Fault[] = [];
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const kept: (() => void)[] = [];
  let connections = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let received = Buffer.alloc(0);
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 7 && received.length >= 6 + received.readUInt16BE(4)) {
        const length = 6 + received.readUInt16BE(4);
        const frame = Buffer.from(received.subarray(0, length));
        received = received.subarray(length);
        void answer(socket, frame);
      }
    });
  });

  async function answer(socket: Socket, frame: Buffer): Promise<void> {
    const [transaction, unit, pdu] = [frame.readUInt16BE(0), frame.readUInt8(6), frame.subarray(7)];
    seen.push(`${unit}:${pdu[0]}`);
    mostAtOnce = Math.max(mostAtOnce, ++underWay);
    // A turn of the event loop, so that a second request would be seen.
    await sleep(1);
    underWay--;
    const bank = units.get(unit);
    const fault = faults.shift();
    if (fault === "silent") return;
    if (fault === "close") return void socket.destroy();
    const right = bank === undefined ? Uint8Array.of((pdu[0] ?? 0) | 0x80, 11) : answerPdu(bank, pdu);
    const send = () => socket.write(wrap(transaction, unit, right));
    if (fault === "garbage") return void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    if (fault === "wrong-transaction" || fault === "only-wrong-transaction")
      socket.write(wrap((transaction + 7) & 0xffff, unit, right));
    if (fault === "only-wrong-transaction") return;
    if (fault === "wrong-function") return void socket.write(wrap(transaction, unit, Uint8Array.of(0x2b, 1, 2)));
    if (fault === "short") return void socket.write(wrap(transaction, unit, right.slice(0, -1)));
    if (fault === "late") return void kept.push(send);
    if (!started.isSplit) return void send();
    for (const byte of wrap(transaction, unit, right)) {
      socket.write(Uint8Array.of(byte));
      await sleep(1);
    }
  }

  server.listen(0, host);
  await once(server, "listening");
  const started: ModbusServer = {
    port: (server.address() as AddressInfo).port,
    units,
    unit(id) {
      const bank = units.get(id) ?? createRegisterBank();
      units.set(id, bank);
      return bank;
    },
    faults,
    isSplit: false,
    seen,
    mostAtOnce: () => mostAtOnce,
    connections: () => connections,
    release() {
      for (const send of kept.splice(0)) send();
    },
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      this.disconnect();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  onTestFinished(() => started.stop());
  return started;
}

function wrap(transaction: number, unit: number, pdu: Uint8Array): Buffer {
  const frame = Buffer.alloc(7 + pdu.length);
  frame.writeUInt16BE(transaction, 0);
  frame.writeUInt16BE(pdu.length + 1, 4);
  frame.writeUInt8(unit, 6);
  frame.set(pdu, 7);
  return frame;
}
