import { isPortName } from "#core/hardware/hardware-port.ts";
import { SETTING } from "./modbus-map.ts";

/** `tcp://192.168.1.10:502` or `port://rs485?baud_rate=9600`. */
export type ConnectionUri =
  | { readonly scheme: "tcp"; readonly host: string; readonly port: number }
  | { readonly scheme: "port"; readonly name: string; readonly parameters: readonly (readonly [string, string])[] };

const MODBUS_PORT = 502;

/** Undefined when the text is none. */
export function parseConnectionUri(text: string): ConnectionUri | undefined {
  const [, scheme = "", target = "", query = ""] = /^([a-z]+):\/\/([^?]*?)\/?(?:\?(.*))?$/.exec(text.trim()) ?? [];
  if (scheme === "port" && isPortName(target))
    return { scheme, name: target, parameters: [...new URLSearchParams(query)] };
  if (scheme !== "tcp") return undefined;
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:/[\]@]+))(?::(\d{1,5}))?$/.exec(target) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? MODBUS_PORT : Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { scheme, host, port: number };
}

/** The same for a text with settings such as `${connection.host}`: whether there are values that make it one. */
export function mayBeConnectionUri(text: string): boolean {
  const [first] = text.trim().match(SETTING) ?? [];
  const rest = first !== undefined && text.trim().startsWith(first) ? text.trim().slice(first.length) : undefined;
  // The setting may hold a whole URI, or its beginning.
  if (rest !== undefined && /^(?:$|\?|:\/\/)/.test(rest)) return true;
  return parseConnectionUri(text.replaceAll(SETTING, "1")) !== undefined;
}

/** What is wrong, and what would be right. */
export function connectionUriProblem(text: string): string {
  const isAddress = /[.:]/.test(text) && parseConnectionUri(`tcp://${text.trim()}`) !== undefined;
  const hint = isAddress ? `; for Modbus TCP write tcp://${text.trim()}` : "";
  return `"${text.slice(0, 200)}" is no connection URI such as tcp://192.168.1.10:502 or port://rs485${hint}`;
}
