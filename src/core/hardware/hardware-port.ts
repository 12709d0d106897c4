import { type LineSettings, parseLineSettings } from "./line-settings.ts";

/** A port that scripts reach by a name, as the installer configured it. There are no others. */
export type HardwarePort = {
  readonly name: string;
  /** Ids or slugs of the devices that may use it; empty: every device. */
  readonly devices: readonly string[];
} & (
  | { readonly kind: "serial"; readonly path: string; readonly line: LineSettings }
  /** Inside the process, for a device that should run without its hardware. It always names its devices. */
  | { readonly kind: "simulated" }
  /** The interface of SocketCAN. */
  | { readonly kind: "can"; readonly interfaceName: string }
  /** A file that holds a number, as the kernel has them for GPIO, IIO and LEDs: value = number * scale + offset. */
  | {
      readonly kind: "file";
      readonly path: string;
      /** A file with the count of impulses. */
      readonly counterPath: string | undefined;
      readonly scale: number;
      readonly offset: number;
    }
);

const PORT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const FORM =
  "a port is NAME=serial:/dev/ttyUSB0?baud_rate=9600, NAME=can:can0, NAME=file:/sys/path or NAME=simulated?device=SLUG, with device=SLUG as a parameter if only that device may use it";

export function isPortName(text: string): boolean {
  return PORT_NAME.test(text);
}

export function parseHardwarePort(text: string): HardwarePort | { readonly problem: string } {
  const [, name = "", kind = "", target = "", query = ""] =
    /^([^=]*)=([a-z]+)(?::([^?]*))?(?:\?(.*))?$/.exec(text) ?? [];
  const given = parseParameters(query);
  if (!isPortName(name) || (target === "") !== (kind === "simulated") || given === undefined)
    return { problem: `has "${text}"; ${FORM}` };
  const { devices, parameters } = given;
  const wrong = (problem: string) => ({ problem: `has "${text}", where ${problem}` });
  switch (kind) {
    case "serial": {
      const line = parseLineSettings(parameters);
      if (!target.startsWith("/")) return wrong("the path is not absolute");
      return "problem" in line ? wrong(line.problem) : { name, devices, kind, path: target, line };
    }
    case "simulated":
      if (devices.length === 0) return wrong("device=SLUG is missing: a simulated port is for named devices only");
      return parameters.size > 0 ? wrong("a simulated port has no parameters but device") : { name, devices, kind };
    case "can":
      if (!/^[A-Za-z0-9_.-]{1,15}$/.test(target)) return wrong("the interface has no name such as can0");
      return parameters.size > 0
        ? wrong("a CAN interface has no parameters here: the system sets its bit rate")
        : { name, devices, kind, interfaceName: target };
    case "file": {
      const [scale, offset] = [Number(parameters.get("scale") ?? "1"), Number(parameters.get("offset") ?? "0")];
      const unknown = [...parameters.keys()].find((key) => !["scale", "offset", "counter"].includes(key));
      if (unknown !== undefined) return wrong(`parameter ${unknown} is unknown; known are scale, offset, counter`);
      if (!Number.isFinite(scale) || scale === 0 || !Number.isFinite(offset))
        return wrong("scale and offset must be numbers, and scale not 0");
      return target.startsWith("/")
        ? { name, devices, kind, path: target, counterPath: parameters.get("counter"), scale, offset }
        : wrong("the path is not absolute");
    }
    default:
      return { problem: `has "${text}"; ${FORM}` };
  }
}

/** `a=1&b=2`, each name once, but `device` as often as needed. */
function parseParameters(query: string) {
  const devices: string[] = [];
  const parameters = new Map<string, string>();
  for (const part of query === "" ? [] : query.split("&")) {
    const [, name = "", value = ""] = /^([a-z_]+)=(.+)$/.exec(part) ?? [];
    if (name === "" || parameters.has(name)) return undefined;
    if (name === "device") devices.push(value);
    else parameters.set(name, value);
  }
  return { devices, parameters };
}
