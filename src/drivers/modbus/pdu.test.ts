import { expect, test } from "vitest";
import { answerPdu, createRegisterBank } from "#drivers/modbus/answer-pdu.ts";
import { crc16 } from "./crc16.ts";
import { checkWriteAnswer, readAnswer, readRequest, type WriteKind, writeRequest } from "./pdu.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

test("requests look as the examples of the specification", () => {
  expect(hex(readRequest("coils", 0x13, 0x13))).toBe("0100130013");
  expect(hex(readRequest("discrete_inputs", 0xc4, 0x16))).toBe("0200c40016");
  expect(hex(readRequest("holdings", 0x6b, 3))).toBe("03006b0003");
  expect(hex(readRequest("inputs", 8, 1))).toBe("0400080001");
  expect(hex(writeRequest("coil", 0xac, [1]))).toBe("0500acff00");
  expect(hex(writeRequest("coil", 0xac, [0]))).toBe("0500ac0000");
  expect(hex(writeRequest("holding", 1, [3]))).toBe("0600010003");
  expect(hex(writeRequest("multiple_coils", 0x13, [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]))).toBe("0f0013000a02cd01");
  expect(hex(writeRequest("multiple_holdings", 1, [10, 0x102]))).toBe("100001000204000a0102");
});

test("answers are read as the examples of the specification", () => {
  expect(readAnswer("coils", 19, bytes("0103cd6b05"))).toEqual([
    1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1,
  ]);
  expect(readAnswer("holdings", 3, bytes("0306022b00000064"))).toEqual([555, 0, 100]);
  expect(readAnswer("inputs", 1, bytes("0402000a"))).toEqual([10]);
  expect(() => checkWriteAnswer(bytes("100001000204000a0102"), bytes("1000010002"))).not.toThrow();
});

test.each([
  ["8302", "exception 2: illegal data address"],
  ["8306", "exception 6: server device busy"],
  ["83ff", "exception 255: unknown"],
  ["83", "the answer is for function 131, not 3"],
  ["0402000a", "the answer is for function 4, not 3"],
  ["8402", "the answer is for function 132, not 3"],
  ["030100", "the answer has 1 bytes of data instead of 2"],
  ["0302000a00", "the answer has 3 bytes of data instead of 2"],
  ["0304000a000b", "the answer has 4 bytes of data instead of 2"],
  ["0302", "the answer has 0 bytes of data instead of 2"],
  ["", "the answer is for function 0, not 3"],
])("of the answer [%s] to a read it says: %s", (answer, problem) => {
  expect(() => readAnswer("holdings", 1, bytes(answer))).toThrow(problem);
});

test("a write that is confirmed as another one is none", () => {
  expect(() => checkWriteAnswer(bytes("0600010003"), bytes("0600010004"))).toThrow("confirms something else");
  expect(() => checkWriteAnswer(bytes("0600010003"), bytes("06000100"))).toThrow("confirms something else");
  expect(() => checkWriteAnswer(bytes("0600010003"), bytes("8603"))).toThrow("exception 3: illegal data value");
});

test.each<[WriteKind, readonly number[]]>([
  ["coil", [1]],
  ["holding", [65_535]],
  ["multiple_coils", [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]],
  ["multiple_holdings", [0, 1, 65_535]],
])("what %s writes to registers is what is read back", (kind, values) => {
  const bank = createRegisterBank();
  const table = kind.includes("coil") ? "coils" : "holdings";
  for (let at = 0; at < 20; at++) bank[table].set(100 + at, 0);
  const request = writeRequest(kind, 103, values);
  checkWriteAnswer(request, answerPdu(bank, request));
  const read = answerPdu(bank, readRequest(table, 103, values.length));
  expect(readAnswer(table, values.length, read)).toEqual(values);
});

test.each([
  ["a register that is not there", "03006b0001", "8302"],
  ["registers that are partly there", "0300000003", "8302"],
  ["no registers", "0300000000", "8303"],
  ["more than fit", "030000007e", "8303"],
  ["a coil that is neither on nor off", "0500000001", "8503"],
  ["a write with a wrong length", "10000000020400", "9003"],
  ["an unknown function", "2b0000", "ab01"],
  ["a write that is refused", "060000ffff", "8604"],
])("registers answer %s with an exception", (_, request, answer) => {
  const bank = createRegisterBank();
  bank.holdings.set(0, 1).set(1, 2);
  bank.coils.set(0, 0);
  bank.onWrite = (_table, _register, [value]) => (value === 0xffff ? 4 : undefined);
  expect(hex(answerPdu(bank, bytes(request)))).toBe(answer);
  expect([...bank.holdings.values(), ...bank.coils.values()]).toEqual([1, 2, 0]);
});

test("the checksum is that of the specification", () => {
  expect(crc16(bytes("01040000000a"))).toBe(0x0d70);
  expect(crc16(new Uint8Array())).toBe(0xffff);
});
