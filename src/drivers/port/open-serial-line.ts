// A serial line of the machine. Its package is loaded on first use, because it is native and optional.
import { ConnectionError } from "#drivers/connection-error.ts";
import { characterMs, completeSettings, type OpenLine } from "./serial-line.ts";

export function openSerialLine(path: string): OpenLine {
  return async (settings, listener) => {
    const { SerialPort } = await load();
    const port = new SerialPort({ path, ...completeSettings(settings), autoOpen: false });
    await new Promise<void>((resolve, reject) => {
      port.open((error) =>
        error === null ? resolve() : reject(new ConnectionError("connection", explain(path, error))),
      );
    });
    port.on("data", (bytes: Buffer) => listener.received(bytes));
    port.on("error", (error) => listener.lost(explain(path, error)));
    port.on("close", () => listener.lost(`${path} was closed`));
    return {
      characterMs: characterMs(settings),
      write: (data) =>
        new Promise((resolve, reject) => {
          const failed = (error: Error) => reject(new ConnectionError("connection", explain(path, error)));
          port.write(Buffer.from(data));
          port.drain((error) => (error ? failed(error) : resolve()));
        }),
      flush: () =>
        new Promise((resolve, reject) => {
          port.flush((error) => (error ? reject(new ConnectionError("connection", explain(path, error))) : resolve()));
        }),
      close() {
        port.removeAllListeners("close");
        if (port.isOpen) port.close();
      },
    };
  };
}

/**
 * Loading takes a while, so it happens at the start if there are serial lines. A failure is reported when a line is
 * opened.
 */
export function loadSerialPort(): void {
  load().catch(() => {});
}

async function load() {
  try {
    return await import("serialport");
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new ConnectionError(
      "unsupported",
      `serial lines need the package serialport, which does not load here: ${why}`,
    );
  }
}

function explain(path: string, error: Error): string {
  if (/no such file|cannot open/i.test(error.message) && /ENOENT|no such file/i.test(error.message))
    return `${path} is not there`;
  return `${path}: ${error.message}`;
}
