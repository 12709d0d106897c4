// A small PV inverter with SunSpec over Modbus TCP, to try things out without hardware. It follows its power limit.
// Usage: node inverter.mjs [PORT]
import { createServer } from "node:net";

const NONE = 0x8000;
const BASE = 40_000;
const RATED = 2500; // tens of watts
const registers = new Map();
const places = {};

function write(address, values) {
  for (const [at, value] of values.entries()) registers.set(address + at, value & 0xffff);
}

function text(value, count) {
  const bytes = Buffer.alloc(count * 2);
  bytes.write(value);
  return Array.from({ length: count }, (_, at) => bytes.readUInt16BE(at * 2));
}

const models = {
  1: [...text("Busbar", 16), ...text("Example", 16), ...text("", 8), ...text("1.0", 8), ...text("4711", 16), 1, NONE],
  103: new Array(50).fill(NONE),
  120: [4, RATED, 1, ...new Array(23).fill(NONE)],
  123: new Array(24).fill(0),
};
let next = BASE + 2;
for (const [id, data] of Object.entries(models)) {
  write(next, [Number(id), data.length, ...data]);
  places[id] = next + 2;
  next += 2 + data.length;
}
write(BASE, [0x5375, 0x6e53]); // "SunS"
write(next, [0xffff, 0]);

const [inverter, controls] = [places[103], places[123]];
write(inverter + 13, [1, 5000, -2]); // scale of W, Hz, its scale
write(inverter + 22, [0, 0, 0]); // WH and its scale
write(inverter + 30, [1, 350, NONE, NONE, NONE, -1, 4]); // scale of DCW, temperatures, status: producing
write(inverter + 38, [0, 0]); // no event
write(controls, [0, 0, 1, 1000]); // connected, limit 100.0 %
write(controls + 21, [-1, -3]); // scales

let energy = 1_000_000; // Wh
function tick() {
  const limit = registers.get(controls + 7) === 1 ? registers.get(controls + 3) / 1000 : 1;
  const power = registers.get(controls + 2) === 1 ? Math.round(RATED * Math.min(0.8, limit)) : 0;
  energy += power / 36; // tens of watts, ten times a second
  write(inverter + 12, [power]);
  write(inverter + 22, [energy >> 16, energy]);
  write(inverter + 29, [Math.round(power * 1.02)]);
}
tick();
setInterval(tick, 100);

/** The answer to a request; an exception where the inverter has no such register. */
function answer(pdu) {
  const [code, first, count] = [pdu[0], pdu.readUInt16BE(1), pdu.readUInt16BE(3)];
  const isWrite = code === 6 || code === 16;
  if (code !== 3 && !isWrite) return Buffer.from([code | 0x80, 1]);
  const values = code === 6 ? [count] : [];
  if (code === 16) for (let at = 0; at < count; at++) values.push(pdu.readUInt16BE(6 + at * 2));
  const wanted = Array.from({ length: isWrite ? values.length : count }, (_, at) => registers.get(first + at));
  if (wanted.includes(undefined)) return Buffer.from([code | 0x80, 2]);
  if (isWrite) {
    write(first, values);
    tick();
    return pdu.subarray(0, 5);
  }
  const data = Buffer.alloc(2 + count * 2);
  data.set([code, count * 2]);
  for (const [at, value] of wanted.entries()) data.writeUInt16BE(value, 2 + at * 2);
  return data;
}

const server = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    while (received.length >= 8 && received.length >= 6 + received.readUInt16BE(4)) {
      const end = 6 + received.readUInt16BE(4);
      const pdu = answer(received.subarray(7, end));
      const head = Buffer.from(received.subarray(0, 7));
      head.writeUInt16BE(pdu.length + 1, 4);
      socket.write(Buffer.concat([head, pdu]));
      received = received.subarray(end);
    }
  });
});
server.listen(Number(process.argv[2] ?? 5021), "127.0.0.1", () => {
  console.log(`the inverter listens on 127.0.0.1:${server.address().port}`);
});
