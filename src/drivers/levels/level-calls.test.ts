import { expect, test } from "vitest";
import type { LuaValue } from "#drivers/lua-value.ts";
import type { PortAnswer, PortRequest } from "#drivers/port/port-request.ts";
import { levelCalls } from "./level-calls.ts";

/** Calls a function of the host, and gives what it asks of the port. */
async function asks(name: string, ...given: readonly LuaValue[]): Promise<readonly PortRequest[]> {
  const requests: PortRequest[] = [];
  const ports = {
    call: async (_: string, request: PortRequest): Promise<PortAnswer> => {
      requests.push(request);
      return 1;
    },
  };
  await levelCalls({ ...ports, close() {} })[name]?.(given);
  return requests;
}

test.each(["state", "volts", "amps", "temperature", "counter"])("a script reads the %s of a port", async (quantity) => {
  expect(await asks("level.read", "port", quantity)).toEqual([{ op: "level.read", quantity }]);
});

test.each(["", "Volts", "constructor", 1, true, undefined])("there is no quantity %j", async (quantity) => {
  await expect(asks("level.read", "port", quantity)).rejects.toThrow("there is no such quantity");
  await expect(asks("level.write", "port", quantity, 1)).rejects.toThrow("there is no such quantity");
});
