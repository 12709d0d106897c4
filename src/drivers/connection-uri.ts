import { type ConnectionUri, connectionUriProblem, parseConnectionUri } from "#core/modbus/connection-uri.ts";
import { ConnectionError } from "#drivers/connection-error.ts";

export function readConnectionUri(text: string): ConnectionUri {
  if (text.trim().startsWith("gio://"))
    throw new ConnectionError(
      "unsupported",
      "gio:// is not supported: there is no generic IO here, use tcp:// or port://",
    );
  const uri = parseConnectionUri(text);
  if (uri === undefined) throw new ConnectionError("invalid", connectionUriProblem(text));
  return uri;
}

/** For peers that are reached by a hardware port only. */
export function readPortUri(text: string) {
  const uri = readConnectionUri(text);
  if (uri.scheme === "port") return uri;
  throw new ConnectionError("invalid", `"${text.slice(0, 200)}" is no port; its form is port://NAME`);
}
