// Serial lines over a real pair of pseudo terminals, opened by the same package as a real adapter.
import { describe, expect, onTestFinished, test } from "vitest";
import { parseHardwarePort } from "#core/hardware/hardware-port.ts";
import { answerPdu, createRegisterBank } from "#drivers/modbus/answer-pdu.ts";
import { crc16 } from "#drivers/modbus/crc16.ts";
import { readAnswer, readRequest, writeRequest } from "#drivers/modbus/pdu.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import { createSimulatedPorts } from "#drivers/simulated-ports.ts";
import { hasPty, openPty, type Pty } from "../../../test/support/pty.ts";
import { findAnswer, frameGapMs, rtuFrame } from "./rtu.ts";
import { characterMs } from "./serial-line.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
const problemOf = (work: Promise<unknown>) =>
  work.then(
    (value) => `no problem but ${value}`,
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );

test("a frame is address, request and checksum", () => {
  expect(Buffer.from(rtuFrame(1, hex("040000000a"))).toString("hex")).toBe("01040000000a700d");
});

test.each([
  ["an answer", "", "010302002a", true],
  ["an exception", "", "018302", true],
  ["an answer after noise", "ff0001", "010302002a", true],
  ["an answer after the echo of the request", "010300000001840a", "010302002a", true],
  ["an answer of another unit", "", "020302002a", false],
  ["an answer to another function", "", "010402002a", false],
])("whether %s is taken: [%s] [%s] %s", (_, before, text, isTaken) => {
  const body = hex(text);
  const crc = crc16(body);
  const received = Uint8Array.of(...hex(before), ...body, crc & 0xff, crc >> 8);
  expect(findAnswer(received, 1, 3)).toEqual(isTaken ? body.slice(1) : undefined);
  // One byte less is not there yet, and a wrong bit makes it none.
  expect(findAnswer(received.slice(0, -1), 1, 3)).toBeUndefined();
  expect(findAnswer(received.with(received.length - 1, (crc >> 8) ^ 1), 1, 3)).toBeUndefined();
});

test("frames are apart by three and a half characters, and never less than 1.75 ms", () => {
  const line = (baudRate: number, parity: "none" | "even") => ({ baudRate, parity, dataBits: 8, stopBits: 1 }) as const;
  expect(frameGapMs(characterMs(line(9600, "none")))).toBeCloseTo(3.646, 3);
  expect(frameGapMs(characterMs(line(19_200, "even")))).toBeCloseTo(2.005, 3);
  expect(frameGapMs(characterMs(line(115_200, "none")))).toBe(1.75);
});

if (hasPty) describe("over a pseudo terminal", overPty);
else console.log("serial lines are not tested: there is no python3 to make a pseudo terminal with");

function overPty(): void {
  async function setUp(parameters = "?baud_rate=115200") {
    const pty = await openPty();
    const port = parseHardwarePort(`rs485=serial:${pty.path}${parameters}`);
    if ("problem" in port) throw new Error(port.problem);
    const hub = createPortHub({ machine: [port], simulated: createSimulatedPorts() });
    onTestFinished(() => hub.close());
    return { pty, session: hub.session({ id: "a", slug: "a" }) };
  }

  /** A unit on the line; `answer` may change what it says. */
  function unit(pty: Pty, id: number, answer: (frame: Uint8Array) => readonly Uint8Array[] = (frame) => [frame]) {
    const bank = createRegisterBank();
    pty.onData((frame) => {
      const crc = crc16(frame.subarray(0, -2));
      if (frame[0] !== id || frame.readUInt16LE(frame.length - 2) !== crc) return;
      for (const piece of answer(rtuFrame(id, answerPdu(bank, frame.subarray(1, -2))))) pty.write(piece);
    });
    return bank;
  }

  const read = (register: number, count: number, id = 1, timeoutMs = 5000) =>
    ({ op: "modbus", unit: id, pdu: readRequest("holdings", register, count), timeoutMs }) as const;

  test("a unit is read and written", async () => {
    const { pty, session } = await setUp();
    const bank = unit(pty, 1);
    for (let at = 0; at < 125; at++) bank.holdings.set(at, at);
    expect(readAnswer("holdings", 125, (await session.call("rs485", read(0, 125))) as Uint8Array)).toEqual(
      Array.from({ length: 125 }, (_, at) => at),
    );
    await session.call("rs485", {
      op: "modbus",
      unit: 1,
      pdu: writeRequest("multiple_holdings", 3, [7, 8]),
      timeoutMs: 5000,
    });
    expect([bank.holdings.get(3), bank.holdings.get(4)]).toEqual([7, 8]);
  });

  test("answers in pieces, after noise, and after an echo are found", async () => {
    const { pty, session } = await setUp();
    const bank = unit(pty, 1, (frame) => [
      hex("00ff"),
      rtuFrame(1, readRequest("holdings", 5, 1)),
      ...Array.from(frame, (byte) => Uint8Array.of(byte)),
    ]);
    bank.holdings.set(5, 55);
    expect(readAnswer("holdings", 1, (await session.call("rs485", read(5, 1))) as Uint8Array)).toEqual([55]);
  });

  test("a silent unit, and one whose answer is damaged", async () => {
    const { pty, session } = await setUp();
    unit(pty, 2, (frame) => [frame.with(frame.length - 1, 0x55 ^ (frame.at(-1) ?? 0))]).holdings.set(0, 1);
    expect(await problemOf(session.call("rs485", read(0, 1, 9, 50)))).toBe(
      "timeout: no answer from unit 9 within 50 ms",
    );
    expect(await problemOf(session.call("rs485", read(0, 1, 2, 2000)))).toBe(
      "answer: the 7 bytes that unit 2 answered are no frame with a right checksum",
    );
  });

  test("what lies on the line from before is no answer", async () => {
    const { pty, session } = await setUp();
    unit(pty, 1).holdings.set(0, 1).set(1, 2);
    await session.call("rs485", read(0, 1));
    const late = rtuFrame(1, hex("03020063"));
    pty.write(Uint8Array.of(...late, ...late));
    await session.call("rs485", { op: "serial.read", count: late.length, timeoutMs: 5000 });
    expect(readAnswer("holdings", 1, (await session.call("rs485", read(1, 1))) as Uint8Array)).toEqual([2]);
  });

  test("bytes go both ways unchanged", async () => {
    const { pty, session } = await setUp("?baud_rate=9600&parity=even&stop_bits=2");
    const heard: Buffer[] = [];
    pty.onData((bytes) => heard.push(bytes));
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await session.call("rs485", { op: "serial.write", data: every });
    await expect.poll(() => Buffer.concat(heard)).toEqual(Buffer.from(every));
    pty.write(every);
    expect(await session.call("rs485", { op: "serial.read", count: 256, timeoutMs: 5000 })).toEqual(every);
  });

  test("a line that is unplugged is an error, not a wait", async () => {
    const { pty, session } = await setUp();
    await session.call("rs485", { op: "serial.flush" });
    const reading = problemOf(session.call("rs485", { op: "serial.read", count: 1, timeoutMs: 25_000 }));
    pty.unplug();
    expect(await reading).toMatch(/^connection: /);
    expect(await problemOf(session.call("rs485", { op: "serial.flush" }))).toMatch(/^connection: /);
  });
}
