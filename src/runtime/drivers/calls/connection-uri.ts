import { isPortName } from "#core/hardware/hardware-port.ts";
import { ConnectionError } from "#runtime/drivers/peer-connections.ts";

/** `tcp://192.168.1.10:502` or `port://rs485?baud_rate=9600`. */
export type ConnectionUri =
  | { readonly scheme: "tcp"; readonly host: string; readonly port: number }
  | { readonly scheme: "port"; readonly name: string; readonly parameters: readonly (readonly [string, string])[] };

const MODBUS_PORT = 502;

export function parseConnectionUri(text: string): ConnectionUri {
  const [, scheme = "", target = "", query = ""] = /^([a-z]+):\/\/([^?]*?)\/?(?:\?(.*))?$/.exec(text.trim()) ?? [];
  switch (scheme) {
    case "tcp": {
      const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:/[\]@]+))(?::(\d{1,5}))?$/.exec(target) ?? [];
      const host = bracketed ?? plain;
      const number = port === undefined ? MODBUS_PORT : Number(port);
      if (host === undefined || number < 1 || number > 65_535) throw wrong(text);
      return { scheme, host, port: number };
    }
    case "port":
      if (!isPortName(target)) throw wrong(text);
      return { scheme, name: target, parameters: [...new URLSearchParams(query)] };
    case "gio":
      throw new ConnectionError(
        "unsupported",
        "gio:// is not supported: there is no generic IO here, use tcp:// or port://",
      );
    default:
      throw wrong(text);
  }
}

/** For peers that are reached by a hardware port only. */
export function parsePortUri(text: string) {
  const uri = parseConnectionUri(text);
  if (uri.scheme === "port") return uri;
  throw new ConnectionError("invalid", `"${text.slice(0, 200)}" is no port; its form is port://NAME`);
}

function wrong(text: string): ConnectionError {
  return new ConnectionError(
    "invalid",
    `"${text.slice(0, 200)}" is no connection URI such as tcp://192.168.1.10:502 or port://rs485`,
  );
}
