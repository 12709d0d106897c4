import { argumentValue, type Control } from "./control.ts";
import type { Write } from "./control-writer.ts";
import type { ControlCall } from "./declared-control.ts";

/** The commands that tell a device what was decided, in their order. */
export function writeCalls(control: Control, write: Write): readonly ControlCall[] {
  if (write.kind === "value") {
    const prepare = write.withPrepare && control.prepare !== undefined ? [control.prepare] : [];
    return [...prepare, valueCall(control, write.value)];
  }
  const { fallback } = control;
  if (fallback === undefined) return [];
  return [fallback.kind === "command" ? fallback : valueCall(control, fallback.value)];
}

function valueCall(control: Control, value: number): ControlCall {
  const given = new Map([...control.arguments, [control.argument, argumentValue(control, value)]]);
  return { command: control.command, arguments: given };
}
