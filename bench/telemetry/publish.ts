// Runs as a process: devices that publish as fast as they are acknowledged, by hand, so that the client costs little.
import { connect, type Socket } from "node:net";
import type { Credentials } from "./busbar.ts";
import { ATTRIBUTES, makeDevice, randomFrom, SECOND } from "./data.ts";

interface Job {
  readonly port: number;
  readonly credentials: readonly Credentials[];
  readonly seconds: number;
  /** Share of the messages that come up to ten minutes late. */
  readonly late: number;
  /** Unacknowledged messages of one device at once. */
  readonly window: number;
  /** Of a message; undefined: those of the devices' own data. */
  readonly attributes?: number;
}

const STEP_MS = 50;
const LATE_MS = 600 * SECOND;

const { port, credentials, seconds, late, window, attributes } = JSON.parse(process.argv[2] ?? "") as Job;
const random = randomFrom(7);
const bodies = attributes === undefined ? makeBodies() : makeWideBodies(attributes);
const begin = Date.now() - 5 * SECOND;
let acknowledged = 0;
let isOver = false;
const latencies: number[] = [];

const devices = await Promise.all(credentials.map((one, index) => openDevice(one, index)));
const started = performance.now();
for (const device of devices) device.start();
await new Promise((resolve) => setTimeout(resolve, seconds * SECOND));
isOver = true;
const elapsed = (performance.now() - started) / 1_000;
const messages = acknowledged;
latencies.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    perSecond: (messages * (attributes ?? ATTRIBUTES.length)) / elapsed,
    messages,
    ackP50: latencies[Math.floor(latencies.length * 0.5)],
    ackP99: latencies[Math.floor(latencies.length * 0.99)],
  }),
);
for (const { socket } of devices) socket.destroy();

interface Device {
  readonly socket: Socket;
  start(): void;
}

async function openDevice({ username, password, channel }: Credentials, index: number): Promise<Device> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.on("error", (error) => fail(`device ${index}: ${error.message}`));
  socket.on("close", () => {
    if (!isOver) fail(`device ${index} was disconnected`);
  });
  const topic = Buffer.from(`v1/from/${username}/${channel}/v1/telemetry`);
  const sentAt = new Float64Array(65_536);
  let number = 0;
  let connected: () => void = () => {};
  const signedIn = new Promise<void>((resolve) => {
    connected = resolve;
  });

  const publish = (count: number): void => {
    const packets: Buffer[] = [];
    const now = performance.now();
    for (let i = 0; i < count; i++) {
      number++;
      const id = (number % 65_535) + 1;
      sentAt[id] = now;
      const delay = late > 0 && random() < late ? Math.floor(random() * LATE_MS) : 0;
      const time = begin + number * STEP_MS + index - delay;
      const payload = Buffer.from(`{"timestamp":${time / 1_000},${bodies[(number + index) % bodies.length]}`);
      const length = 2 + topic.length + 2 + payload.length;
      packets.push(
        Buffer.from([0x32, (length & 127) | 128, length >> 7, topic.length >> 8, topic.length & 255]),
        topic,
        Buffer.from([id >> 8, id & 255]),
        payload,
      );
    }
    socket.write(Buffer.concat(packets));
  };

  let rest: Buffer = Buffer.alloc(0);
  let state: "connecting" | "publishing" = "connecting";
  socket.on("data", (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let count = 0;
    const now = performance.now();
    // CONNACK and PUBACK are four bytes each, and nothing else comes.
    for (; rest.length >= 4; rest = rest.subarray(4)) {
      if (state === "connecting") {
        if (rest[0] !== 0x20 || rest[3] !== 0) fail(`device ${index} was refused: ${rest.toString("hex")}`);
        state = "publishing";
        connected();
        continue;
      }
      if (rest[0] !== 0x40) fail(`device ${index} got ${rest.toString("hex")}`);
      count++;
      latencies.push(now - (sentAt[((rest[2] ?? 0) << 8) | (rest[3] ?? 0)] ?? now));
    }
    acknowledged += count;
    if (count > 0 && !isOver) publish(count);
  });
  socket.write(connectPacket(username, password));
  await signedIn;
  return { socket, start: () => publish(window) };
}

function connectPacket(username: string, password: string): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0, Buffer.byteLength(value)]), Buffer.from(value)]);
  const body = Buffer.concat([text("MQTT"), Buffer.from([4, 0xc2, 0, 60]), text(""), text(username), text(password)]);
  return Buffer.concat([Buffer.from([0x10, (body.length & 127) | 128, body.length >> 7]), body]);
}

/** Messages of twenty values each without their time, taken from the devices' own data. */
function makeBodies(): readonly string[] {
  const { times, columns } = makeDevice(1, { devices: 1, hours: 1, days: 1 });
  return Array.from({ length: 512 }, (_, i) => {
    const row = Math.floor((i / 512) * times.length);
    const members = columns.map(({ spec, values }) => {
      const value = values[row % values.length] ?? 0;
      const shown = spec.words?.[value] ?? (spec.type === "boolean" ? value === 1 : value);
      return `"${spec.name}":${JSON.stringify(shown)}`;
    });
    return `${members.join(",")}}`;
  });
}

/** Messages of so many numbers with a decimal place. */
function makeWideBodies(count: number): readonly string[] {
  return Array.from({ length: 512 }, () => {
    const members = Array.from({ length: count }, (_, n) => `"a${n}":${Math.floor(random() * 10_000) / 10}`);
    return `${members.join(",")}}`;
  });
}

function fail(text: string): void {
  console.error(text);
  process.exit(1);
}
