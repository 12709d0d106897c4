// A process of its own with one Modbus TCP server on loopback for all devices; prints its port.
import { createServer } from "node:net";

const server = createServer((socket) => {
  let pending = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= 12) {
      socket.write(answer(pending.subarray(0, 12)));
      pending = pending.subarray(12);
    }
  });
});

/** Any block of holding registers: 230 volts where a float is read, small numbers elsewhere. */
function answer(request: Buffer): Buffer {
  const count = request.readUInt16BE(10);
  const bytes = Buffer.alloc(9 + 2 * count);
  request.copy(bytes, 0, 0, 4);
  bytes.writeUInt16BE(3 + 2 * count, 4);
  bytes.writeUInt8(request.readUInt8(6), 6);
  bytes.writeUInt8(3, 7);
  bytes.writeUInt8(2 * count, 8);
  for (let index = 0; index < count; index += 1) bytes.writeUInt16BE(index % 2 === 0 ? 17_254 : index, 9 + 2 * index);
  return bytes;
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`);
});
process.on("disconnect", () => process.exit(0));
