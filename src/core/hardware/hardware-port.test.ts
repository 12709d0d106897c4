import { expect, test } from "vitest";
import { parseHardwarePort } from "./hardware-port.ts";
import { parseLineSettings } from "./line-settings.ts";

const LINE = { baudRate: undefined, dataBits: undefined, parity: undefined, stopBits: undefined };

test.each([
  ["rs485=serial:/dev/ttyUSB0", { kind: "serial", path: "/dev/ttyUSB0", line: LINE, devices: [] }],
  [
    "rs485-1=serial:/dev/serial/by-id/usb-x?baud_rate=19200&parity=even&data_bits=7&stop_bits=2",
    { name: "rs485-1", line: { baudRate: 19_200, parity: "even", dataBits: 7, stopBits: 2 } },
  ],
  ["can-1=can:can0?device=a&device=b", { kind: "can", interfaceName: "can0", devices: ["a", "b"] }],
  ["do-1=file:/sys/class/gpio/gpio17/value", { kind: "file", scale: 1, offset: 0, counterPath: undefined }],
  [
    "ai-1=file:/sys/bus/iio/devices/iio:device0/in_voltage0_raw?scale=0.0008&offset=-1&counter=/sys/c",
    { kind: "file", scale: 0.0008, offset: -1, counterPath: "/sys/c" },
  ],
])("%s is a port", (text, expected) => {
  expect(parseHardwarePort(text)).toMatchObject(expected);
});

test.each([
  ["", "a port is"],
  ["rs485", "a port is"],
  ["=serial:/dev/x", "a port is"],
  ["rs 485=serial:/dev/x", "a port is"],
  ["rs485=/dev/ttyUSB0", "a port is"],
  ["rs485=usb:/dev/ttyUSB0", "a port is"],
  ["rs485=serial:", "a port is"],
  ["rs485=serial:/dev/x?baud_rate=1&baud_rate=2", "a port is"],
  ["rs485=serial:/dev/x?", undefined],
  ["rs485=serial:ttyUSB0", "not absolute"],
  ["rs485=serial:/dev/x?baud=9600", "parameter baud is unknown"],
  ["rs485=serial:/dev/x?baud_rate=fast", 'baud_rate cannot be "fast"'],
  ["rs485=serial:/dev/x?stop_bits=3", "stop_bits"],
  ["can-1=can:can0?bitrate=5", "the system sets its bit rate"],
  ["can-1=can:/dev/can0", "no name such as can0"],
  ["do-1=file:value", "not absolute"],
  ["do-1=file:/v?scale=0", "scale and offset"],
  ["do-1=file:/v?invert=1", "parameter invert is unknown"],
])("of %s it says: %s", (text, problem) => {
  const parsed = parseHardwarePort(text);
  if (problem === undefined) expect(parsed).not.toHaveProperty("problem");
  else expect(parsed).toEqual({ problem: expect.stringContaining(problem) });
});

test("letters stand for parities", () => {
  expect(["n", "E", "o"].map((letter) => parseLineSettings(new Map([["parity", letter]])))).toEqual(
    ["none", "even", "odd"].map((parity) => ({ ...LINE, parity })),
  );
});
