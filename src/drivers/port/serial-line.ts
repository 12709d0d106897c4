import type { LineSettings } from "#core/hardware/line-settings.ts";

/** A serial line as bytes. Its opener is its only user. */
export interface SerialLine {
  /** How long one character takes on the line, in milliseconds. */
  readonly characterMs: number;
  /** Resolves when everything has left. */
  write(data: Uint8Array): Promise<void>;
  /** Discards what the system has received and nobody has read. */
  flush(): Promise<void>;
  close(): void;
}

interface LineListener {
  received(bytes: Uint8Array): void;
  /** The line is gone: unplugged, or closed by the other side. */
  lost(why: string): void;
}

export type OpenLine = (settings: LineSettings, listener: LineListener) => Promise<SerialLine>;

const DEFAULTS = { baudRate: 9600, dataBits: 8, parity: "none", stopBits: 1 } as const;

export function completeSettings(line: LineSettings) {
  return {
    baudRate: line.baudRate ?? DEFAULTS.baudRate,
    dataBits: line.dataBits ?? DEFAULTS.dataBits,
    parity: line.parity ?? DEFAULTS.parity,
    stopBits: line.stopBits ?? DEFAULTS.stopBits,
  };
}

export function characterMs(line: LineSettings): number {
  const { baudRate, dataBits, parity, stopBits } = completeSettings(line);
  return (1000 * (1 + dataBits + (parity === "none" ? 0 : 1) + stopBits)) / baudRate;
}
