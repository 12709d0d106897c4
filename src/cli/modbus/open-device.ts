import { UsageError } from "#cli/usage-error.ts";
import { type OpenModbus, openModbus } from "#drivers/open-modbus.ts";

/** Nothing is sent yet: a device that cannot be reached is noticed by the first request. */
export function openDevice(address: string, timeoutMs: number): OpenModbus {
  const opened = openModbus(address, timeoutMs);
  if ("problem" in opened) throw new UsageError(opened.problem);
  return opened;
}
