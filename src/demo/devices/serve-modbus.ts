// Modbus TCP on this machine: the socket end of a device of the plant.
import { createServer, type Server, type Socket } from "node:net";

const HEADER_BYTES = 7;
const MAX_LENGTH = 254;
const MAX_CONNECTIONS = 16;
const IDLE_MS = 5 * 60_000;

/** Answers protocol data units; a client that sends anything else is disconnected. */
export function createModbusServer(answer: (pdu: Uint8Array) => Uint8Array): Server {
  const server = createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      received = answerFrames(socket, Buffer.concat([received, bytes]), answer);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** Returns the remaining bytes. */
function answerFrames(socket: Socket, bytes: Buffer, answer: (pdu: Uint8Array) => Uint8Array): Buffer {
  let rest = bytes;
  while (rest.length >= HEADER_BYTES) {
    const length = rest.readUInt16BE(4);
    if (rest.readUInt16BE(2) !== 0 || length < 2 || length > MAX_LENGTH) {
      socket.destroy();
      return Buffer.alloc(0);
    }
    if (rest.length < 6 + length) break;
    const pdu = answer(rest.subarray(HEADER_BYTES, 6 + length));
    const frame = Buffer.alloc(HEADER_BYTES + pdu.length);
    rest.copy(frame, 0, 0, HEADER_BYTES);
    frame.writeUInt16BE(pdu.length + 1, 4);
    frame.set(pdu, HEADER_BYTES);
    socket.write(frame);
    rest = rest.subarray(6 + length);
  }
  return rest;
}
