import { expect, test } from "vitest";
import { ConnectionError, type ConnectionErrorCode } from "#drivers/connection-error.ts";
import { watchPeers } from "./watch-peers.ts";

/** `port.open relay port://r missing` fails with that code; without a code it succeeds; `forget` is a new configuration. */
function reported(...calls: readonly string[]): readonly string[] {
  const said: string[] = [];
  const watch = watchPeers((problem) => said.push(problem ?? "fine"));
  for (const call of calls) {
    const [, name = "", args = "", code] = /^(\S+)((?: [^! ]+)*)(?: !(\w+))?$/.exec(call) ?? [];
    const given = args.trim().split(" ");
    if (name === "forget") watch.forget();
    else if (code === undefined) watch.succeeded(name, given, []);
    else watch.failed(name, given, new ConnectionError(code as ConnectionErrorCode, `${code} ${given.at(-1)}`));
  }
  return said;
}

test.each<[string, readonly string[], readonly string[]]>([
  ["a missing port at once", ["port.open relay port://r !missing"], ["missing port://r"]],
  ["once", ["port.open relay port://r !missing", "port.open relay port://r !missing"], ["missing port://r"]],
  [
    "until that port is there",
    ["port.open relay port://r !missing", "level.read r state"],
    ["missing port://r", "fine"],
  ],
  ["whatever else answers", ["port.open relay port://r !missing", "modbus.read 1"], ["missing port://r"]],
  ["a wrong address at once", ["modbus.open 127.0.0.1:502 !invalid"], ["invalid 127.0.0.1:502"]],
  ["until the configuration changes", ["modbus.map_connect 1 !invalid", "forget"], ["invalid 1", "fine"]],
  ["an address that is not allowed", ["http.send GET !refused"], ["refused GET"]],
  ["no answer to two calls is not reported", ["modbus.read 1 !timeout", "modbus.read 1 !timeout"], []],
  [
    "to three it is, until the next answer",
    ["modbus.read 1 !timeout", "modbus.read 1 !connection", "modbus.read 1 !timeout", "modbus.read 1"],
    ["timeout 1", "fine"],
  ],
  [
    "an exception is an answer",
    ["modbus.read 1 !timeout", "modbus.read 1 !timeout", "modbus.read 1 !exception", "modbus.read 1 !timeout"],
    [],
  ],
  ["a wrong argument is the script's own fault", ["modbus.read 1 !invalid"], []],
])("what keeps a device from talking is reported: %s", (_, calls, expected) => {
  expect(reported(...calls)).toEqual(expected);
});

test("a register map that nobody answers is silent", () => {
  const said: (string | undefined)[] = [];
  const watch = watchPeers((problem) => said.push(problem));
  watch.succeeded("modbus.map_read", [0, "all"], [new Map([["is_silent", true]])]);
  watch.succeeded("modbus.map_read", [0, "all"], [new Map([["is_silent", false]])]);
  expect(said).toEqual(["the device does not answer", undefined]);
});
